/** `countersign/policies`: the six policies, their predicates, and the loop that runs them. */
export type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
export type { Duration } from '../domain/duration.ts';
export { CountersignError, InvalidSettingError } from '../domain/errors.ts';
export type {
  Answer,
  Asker,
  CallQuestion,
  ChoiceQuestion,
  Question,
  TextQuestion,
} from '../ports/asker.ts';
export type { ApprovalScope } from '../ports/human-loop.ts';
export * from '../ports/llm-client.ts';
export { withDeadline } from '../ports/with-deadline.ts';
export * from './agent-loop.ts';
export type { AgentPolicy, ChooseOptions, Observer, PolicyName, StageOutcome, StageRecord } from './agent-policy.ts';
export * from './approval-channel.ts';
export * from './asked-channel.ts';
export * from './composite.ts';
export * from './factories.ts';
export * from './first-available.ts';
export * from './human-in-the-loop.ts';
export { LlmPolicy, type LlmPolicyOptions } from './llm.ts';
export * from './predicates/always.ts';
export * from './predicates/approval-predicate.ts';
export * from './predicates/combine.ts';
export * from './predicates/entity-state.ts';
export * from './predicates/flow-id.ts';
export * from './predicates/never.ts';
export * from './priority.ts';
export { type Random, RandomPolicy } from './random.ts';
