/** Declares the stores of a run of an approved call, and the message that asks for one. */
import type { ResultStore } from '../../ports/stores/result-store.ts';
import type { Registry } from '../identity.ts';
import type { CompletionDependencies } from './complete-call.ts';

export interface ExecutionDependencies extends CompletionDependencies {
  readonly agents: Registry;
  readonly accountsAllowed: boolean;
  readonly results: ResultStore;
}

export interface ExecutionMessage {
  readonly messageId: string;
  readonly raw: string;
  /** SQS's SenderId. */
  readonly principal: string;
  /** Milliseconds since 1970: until then the run has to be over. */
  readonly deadlineAt: number;
}
