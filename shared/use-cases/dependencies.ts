/** Declares the dependencies that all use cases share, wired once per process. */
import type { Policy } from '../config/compile.ts';
import type { ShellParser } from '../permissions/shell/syntax/shell-parser.ts';
import type { Clock } from '../ports/clock.ts';
import type { DelegationStore } from '../ports/stores/delegation-store.ts';
import type { SessionStore } from '../ports/stores/session-store.ts';
import type { Redactor } from './redactor.ts';

/** Dependencies of every use case. */
export interface BaseDependencies {
  /** Name of the deployment: part of every key, and the one tenant. */
  readonly deployment: string;
  readonly policy: Policy;
  readonly clock: Clock;
  /** Keys the digests that are stored. */
  readonly digestKey: Uint8Array;
  /** Takes secrets out of what is stored, shown or told. */
  readonly redactor: Redactor;
}

export interface Decides extends BaseDependencies {
  shell(): Promise<ShellParser>;
  readonly sessions: SessionStore;
  /** Whether people who approved something could still. */
  readonly delegations: Pick<DelegationStore, 'read'>;
}
