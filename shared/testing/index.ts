/** `countersign/testing`: a gate in memory, scripted people and models, and a clock that a test moves. */
export {
  type Approver,
  type ApproverAnswer,
  type AskedQuestion,
  type ScriptedAnswer,
  ScriptedApprover,
} from './approver.ts';
export { FakeClock } from './fake-clock.ts';
export { type ScriptedCall, ScriptedClient, type ScriptedReply } from './scripted-client.ts';
export { createTestGate, type TestGate, type TestGateOptions } from './test-gate.ts';
