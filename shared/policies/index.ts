/** `countersign/policies`: the six policies, their predicates, and how they are run. */

export * from '../contract/action-space.ts';
export * from '../ports/llm-client.ts';
export * from './agent-loop.ts';
export * from './agent-policy.ts';
export * from './approval-channel.ts';
export * from './build.ts';
export * from './composite.ts';
export * from './deliberate.ts';
export * from './durable.ts';
export * from './first-available.ts';
export * from './human-in-the-loop.ts';
export * from './journal.ts';
export * from './llm.ts';
export { DEFAULT_SYSTEM_PROMPT } from './llm-prompt.ts';
export * from './outcome.ts';
export * from './places.ts';
export * from './predicates/always.ts';
export * from './predicates/approval-predicate.ts';
export * from './predicates/entity-state.ts';
export * from './predicates/flow-id.ts';
export * from './predicates/never.ts';
export * from './priority.ts';
export * from './random.ts';
export * from './space.ts';
export * from './tree.ts';
