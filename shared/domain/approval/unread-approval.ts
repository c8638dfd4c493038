/**
 * Takes from an approval row that this version cannot read as much as it needs to end it (A7, G27).
 * Pure.
 */
import type { Decision } from '../../contract/decision.ts';
import { identifier, instant } from '../../contract/primitives.ts';
import { CountersignError } from '../errors.ts';

/** The Slack message that shows a card. */
interface CardMessage {
  readonly channel: string;
  readonly ts: string;
  readonly gone?: true | undefined;
  readonly drawn?: string | undefined;
  readonly list?: string | undefined;
}

/** An approval whose row does not parse, or whose proposal is gone. A field is undefined where even that part cannot be read. */
export interface UnreadApproval {
  readonly pid: string;
  readonly agent: string | undefined;
  /** The group against whose limit of waiting questions it counts (A14). */
  readonly group: string | undefined;
  readonly proposalId: string | null;
  /** When its wait ends at the latest, in milliseconds. */
  readonly expiresAt: number | undefined;
  readonly version: number | undefined;
  readonly isDecided: boolean;
  /** How it ended, if that can be read although the approval cannot. */
  readonly decision?: Decision | undefined;
  /** The agent's own queue has the decision. Only cards and the workflow still need a look. */
  readonly isNotified?: true | undefined;
  /** Pids of its followers, the identical waiting calls that take its answer (A24). */
  readonly waiters: readonly string[];
  readonly cards: readonly CardMessage[];
  /** The text of its proposal was stored apart from the row and is gone for good. */
  readonly isInputGone: boolean;
}

/** The facts that a store keeps beside the approval, in attributes of their own. */
interface RawApproval extends Omit<UnreadApproval, 'agent' | 'group' | 'proposalId' | 'expiresAt'> {
  readonly approval: unknown;
  /** Absent in rows of earlier releases. */
  readonly counted?: { readonly agent: string; readonly group: string } | undefined;
  readonly expiresAt?: number | undefined;
}

/** The store has the row, and this version cannot read it: asking again does not help. */
export class UnreadableApprovalError extends CountersignError {
  override readonly name = 'UnreadableApprovalError';
  readonly unread: UnreadApproval;
  constructor(raw: RawApproval, cause: unknown) {
    super('unreadable_approval', 'the row of an approval cannot be read', { cause });
    this.unread = unreadOf(raw);
  }
}

function unreadOf({ approval, counted, expiresAt, ...known }: RawApproval): UnreadApproval {
  const stages = field(field(approval, 'question'), 'stages');
  const firstGroup = Array.isArray(stages) ? field(stages[0], 'group') : undefined;
  const stated = instant.safeParse(field(approval, 'expiresAt')).data;
  return {
    ...known,
    agent: counted?.agent ?? name(field(approval, 'agent')),
    group: counted?.group ?? name(field(approval, 'countedUnder')) ?? name(firstGroup),
    proposalId: name(field(approval, 'proposalId')) ?? null,
    expiresAt: expiresAt ?? (stated === undefined ? undefined : Date.parse(stated)),
  };
}

const name = (value: unknown): string | undefined => identifier.safeParse(value).data;

function field(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Readonly<Record<string, unknown>>)[key];
}
