/** Exports the words on the wire. */
export * from './action-space.ts';
export * from './approval.ts';
export * from './audit-entry.ts';
export * from './decision.ts';
export * from './delegation.ts';
export * from './execution.ts';
export * from './journal-entry.ts';
export * from './operation.ts';
export * from './outcome.ts';
export * from './permit.ts';
export * from './primitives.ts';
export * from './proposal.ts';
export * from './session.ts';
export * from './task-conversation.ts';
