/** What every listener is given. */
import type { Approval } from '../../shared/contract/index.ts';
import type { VotingGate } from '../../shared/pipeline/vote.ts';
import type { VoteHistory } from '../../shared/ports/vote-history.ts';

export interface Listening {
  readonly gate: VotingGate;
  /** Everything that waits for people. */
  pending(): Promise<readonly Approval[]>;
  readonly history: VoteHistory;
  /** Requests signed for another app that shares the secret are refused (G19). */
  readonly appId: string;
}
