/** `countersign/testing`: a gate in memory, scripted people and models, and a clock that a test moves. */
export type { Clock } from '../ports/clock.ts';
export type { SetTimer, Timers } from '../ports/timers.ts';
export {
  type Answering,
  type Approver,
  type ApproverAnswer,
  type AskedQuestion,
  type CallAnswer,
  type ScriptedAnswer,
  ScriptedApprover,
} from './approver.ts';
export { FakeClock } from './fake-clock.ts';
export { type PolicyTester, policyTester, type TestedCall, type TestedVerdict } from './policy-tester.ts';
export { type ScriptedCall, ScriptedClient, type ScriptedReply } from './scripted-client.ts';
export { createTestGate, type TestGate, type TestGateOptions } from './test-gate.ts';
