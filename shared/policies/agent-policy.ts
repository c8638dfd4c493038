/** Declares an agent's policy, and how a choice tells which stage decided. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { TokenUsage } from '../ports/llm-client.ts';

/** How a choice is followed and called off. A policy that neither waits nor has stages may ignore both. */
export interface ChooseOptions {
  /** Aborts when nobody waits for the choice any more: models, people and webhooks that are asked are let go. */
  readonly signal?: AbortSignal | undefined;
  /** Is told how the choice came about. */
  readonly observe?: Observer | undefined;
}

/** The single decision point of an agent. */
export interface AgentPolicy {
  /**
   * Picks one of the executable actions of the space, or none: `null` means "do nothing this cycle". Changes neither argument.
   *
   * @throws the signal's reason if it aborts meanwhile
   */
  choose(actionSpace: ActionSpace, snapshot: AgentSnapshot, options?: ChooseOptions): Promise<Action | null>;
}

/** The outcome of a choice at one policy of the tree. */
export type StageOutcome =
  | 'empty_space'
  | 'chosen'
  /** human-in-the-loop */
  | 'delegate_none'
  | 'delegate_outside_space'
  | 'approved'
  | 'rejected'
  | 'substituted'
  | 'substitute_outside_space'
  | 'timeout_rejected'
  | 'timeout_approved'
  | 'channel_failed'
  /** llm */
  | 'declined'
  | 'attempts_exhausted'
  | 'client_failed'
  /** composite */
  | 'proposer_none'
  | 'proposer_outside_space'
  | 'predicate_failed'
  | 'auto_approved'
  | 'approver_approved'
  | 'approver_rejected'
  | 'approver_changed_action';

/** The record of one policy of the tree in one choice. */
export interface StageRecord {
  /** The path of the policy in the tree, as in `composite.approver/human`. */
  readonly place: string;
  readonly policy: PolicyName;
  readonly outcome: StageOutcome;
  /** The flow that this stage proposed, chose or refused; `null` if there was none. */
  readonly flowId: string | null;
  /** The person who answered, as the channel knows them. */
  readonly by?: string | undefined;
  /** Why, in words for people: a reason given, an error met. Untrusted text. */
  readonly detail?: string | undefined;
  /** The tokens of all attempts of a model together. */
  readonly usage?: (TokenUsage & { readonly calls: number }) | undefined;
}

/** The six kinds of policies. */
export type PolicyName = 'random' | 'first-available' | 'priority' | 'human-in-the-loop' | 'llm' | 'composite';

/** Called in the order in which stages end, inner ones first. */
export type Observer = (record: StageRecord) => void;

/** The segment of a place that stands for a policy. */
export const PLACE_OF = {
  random: 'random',
  'first-available': 'first-available',
  priority: 'priority',
  'human-in-the-loop': 'human',
  llm: 'llm',
  composite: 'composite',
} as const satisfies Record<PolicyName, string>;

/** The options of a policy that stands inside another, in the role `composite.proposer`, `human.delegate` … */
export function under({ observe, signal }: ChooseOptions, role: string): ChooseOptions {
  return { signal, observe: observe && ((record) => observe({ ...record, place: `${role}/${record.place}` })) };
}

/** Bounds texts in the audit: models and people may write long ones. */
const MAX_DETAIL_LENGTH = 1000;

/** The outcome of one stage and what it gives back, in one expression. */
export function reporter({ observe }: ChooseOptions, policy: PolicyName) {
  const place = PLACE_OF[policy];
  return (
    outcome: StageOutcome,
    result: Action | null,
    more: Partial<Pick<StageRecord, 'flowId' | 'by' | 'detail' | 'usage'>> = {},
  ): Action | null => {
    const { detail, ...others } = more;
    const cut = detail === undefined ? {} : { detail: String(detail).slice(0, MAX_DETAIL_LENGTH).toWellFormed() };
    observe?.({ place, policy, outcome, flowId: result?.flow_id ?? null, ...others, ...cut });
    return result;
  };
}
