/** Declares the dependencies of every listener. */
import type { WebClient } from '@slack/web-api';
import type { Policy } from '../../shared/config/compile.ts';
import type { AskedInSlack, SessionRow } from '../../shared/contract/index.ts';
import type { PendingApprovals } from '../../shared/ports/inbox.ts';
import type { ApprovalStore } from '../../shared/ports/stores/approval-store.ts';
import type { Control } from '../../shared/ports/stores/control.ts';
import type { VoteHistory } from '../../shared/ports/stores/vote-history.ts';
import type { VotingDependencies } from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import type { VoterDependencies } from '../../shared/use-cases/people/seats.ts';

/** Reads what App Home shows of one person. */
export interface HomeDependencies {
  readonly deps: VoterDependencies & { readonly policy: Policy; readonly approvals: Pick<ApprovalStore, 'read'> };
  /** Approvals that may wait for members of these groups, in bounded reads. */
  pending(groups: readonly string[]): Promise<PendingApprovals>;
  /** The stored rows of an agent's sessions; read only. */
  sessions(agent: string): Promise<readonly SessionRow[]>;
  /** Since when approvals for later count. */
  control(): Promise<Pick<Control, 'voidedAt'>>;
  readonly history: VoteHistory;
}

export interface ListenerDependencies extends HomeDependencies {
  readonly deps: VotingDependencies;
  /** Passes on what a person asks for and this function may not do. */
  ask(asked: AskedInSlack): Promise<void>;
  /** Draws App Home where no request names the person's own client, as after a vote on a card. */
  readonly client: WebClient;
  /** Requests signed for another app that shares the secret are refused. */
  readonly appId: string;
}
