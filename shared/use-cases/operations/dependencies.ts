/** Declares the stores that operations of operators need, and the message that holds one. */
import type { DeadLetters } from '../../ports/dead-letters.ts';
import type { ControlStore } from '../../ports/stores/control.ts';
import type { DelegationStore } from '../../ports/stores/delegation-store.ts';
import type { SessionStore } from '../../ports/stores/session-store.ts';
import type { WebhookQueue } from '../../ports/webhook-queue.ts';
import type { VotingDependencies } from '../approvals/voting/cast-vote.ts';
import type { PeopleAliases } from '../audit/people-aliases.ts';
import type { Registry } from '../identity.ts';

export interface OperatorDependencies extends VotingDependencies {
  readonly operators: Registry;
  readonly accountsAllowed: boolean;
  readonly control: ControlStore;
  readonly sessions: SessionStore;
  readonly delegations: DelegationStore;
  /** Aliases of people in the record, which can be destroyed. */
  readonly aliases: PeopleAliases;
  readonly webhooks: WebhookQueue;
  readonly deadLetters: DeadLetters;
  /** The sender through which people ask in Slack: IAM's id of the function that verified their requests. Absent: nobody can. */
  readonly slackRoleId?: string | undefined;
}

export interface OperatorMessage {
  readonly messageId: string;
  readonly raw: string;
  readonly principal: string;
  /** When the queue received it, in milliseconds since 1970. */
  readonly sentAt: number;
  /**
   * The time at which its sender first sent it, as stated: a message that was sent again keeps it. A stated time can only make the operation older.
   */
  readonly statedAt?: number | undefined;
}
