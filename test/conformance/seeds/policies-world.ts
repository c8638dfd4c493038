/** Builds what a case of the policies names: spaces, snapshots, predicates, channels. */
import { DeadlineApprovalChannel } from '../../../shared/approvals/channels/deadline.ts';
import {
  type Action,
  type ActionSpace,
  type AgentPolicy,
  type AgentSnapshot,
  AlwaysApprove,
  ApiError,
  type ApprovalChannel,
  type ApprovalPredicate,
  ApprovalResult,
  EntityStatePredicate,
  FirstAvailablePolicy,
  FlowIdPredicate,
  HumanInTheLoopPolicy,
  LlmPolicy,
  NetworkError,
  NeverApprove,
  ParseError,
  PriorityPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { ScriptedClient, type ScriptedReply } from '../../../shared/testing/scripted-client.ts';
import { type Fields, isFields, itemsOf, textsOf } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from './uninterpretable.ts';
import type { VirtualTime } from './virtual-time.ts';
import { spoken } from './words.ts';

/** A name stands for an action of persona ops. */
/** R0-010. */
const ACTION_FIELDS = new Set(
  'flow_id persona_id entry_operation_id enabling_verdicts affected_entities description instance_bindings'.split(' '),
);

export function actionOf(named: unknown): Action {
  if (!isFields(named)) return { flow_id: String(named), persona_id: 'ops' };
  const strange = Object.keys(named).filter((key) => !ACTION_FIELDS.has(key));
  if (strange.length) throw new Uninterpretable(`action: ${strange.join(', ')}`);
  return { persona_id: 'ops', ...whole(named) } as Action;
}

export function spaceOf(given: Fields): ActionSpace {
  return {
    persona_id: 'ops',
    actions: itemsOf(given['actions']).map(actionOf),
    current_verdicts: itemsOf(given['current_verdicts']).map((label) =>
      isFields(label)
        ? (whole(label) as ActionSpace['current_verdicts'] & Fields)
        : { verdict_type: String(label), payload: {}, producing_rule: String(label), stratum: 0 },
    ) as NonNullable<ActionSpace['current_verdicts']>,
    blocked_actions: itemsOf(given['blocked_actions']).map((label) =>
      isFields(label) ? whole(label) : { flow_id: String(label), reason: { type: 'PersonaNotAuthorized' } },
    ) as NonNullable<ActionSpace['blocked_actions']>,
  };
}

export function snapshotOf(given: Fields): AgentSnapshot {
  return {
    facts: whole(given['facts'] ?? {}) as AgentSnapshot['facts'],
    entity_states: whole(given['entity_states'] ?? {}) as AgentSnapshot['entity_states'],
    observed_at: String(given['observed_at'] ?? '2026-02-27T10:00:00Z'),
  };
}

/** A policy that remembers the spaces and snapshots it was asked about. */
export class Counted implements AgentPolicy {
  readonly asked: { readonly space: ActionSpace; readonly snapshot: AgentSnapshot }[] = [];
  readonly #inner: AgentPolicy;
  constructor(inner: AgentPolicy) {
    this.#inner = inner;
  }
  choose(space: ActionSpace, snapshot: AgentSnapshot): Promise<Action | null> {
    this.asked.push({ space, snapshot });
    return this.#inner.choose(space, snapshot);
  }
}

export class CountedPredicate implements ApprovalPredicate {
  calls = 0;
  readonly #inner: ApprovalPredicate;
  constructor(inner: ApprovalPredicate) {
    this.#inner = inner;
  }
  requiresApproval(action: Action, snapshot: AgentSnapshot): boolean {
    this.calls += 1;
    return this.#inner.requiresApproval(action, snapshot);
  }
}

class CountedChannel implements ApprovalChannel {
  readonly received: { readonly proposed: Action; readonly space: ActionSpace; readonly snapshot: AgentSnapshot }[] =
    [];
  readonly #answer: () => Promise<ApprovalResult>;
  constructor(answer: () => Promise<ApprovalResult>) {
    this.#answer = answer;
  }
  requestApproval(proposed: Action, space: ActionSpace, snapshot: AgentSnapshot): Promise<ApprovalResult> {
    this.received.push({ proposed, space, snapshot });
    return this.#answer();
  }
}

const NONE: AgentPolicy = { choose: async () => null };

/** `first_available`, `none`, `record`, {priority}, {llm}, {hitl}, and words of a fault. */
export function policyOf(word: unknown, time: VirtualTime): AgentPolicy {
  if (word === 'first_available' || word === 'record') return new FirstAvailablePolicy();
  if (word === 'none' || word === 'returns_none') return NONE;
  if (isFields(word)) {
    if ('priority' in word) return new PriorityPolicy(textsOf(word['priority']));
    if ('llm' in word) return new LlmPolicy(new ScriptedClient(itemsOf([word['llm']].flat()).map(replyOf)), 'model');
    if ('hitl' in word) {
      const { channel } = channelOf({ channel_result: word['hitl'] }, time);
      const delegate = policyOf(word['delegate'] ?? 'first_available', time);
      return new HumanInTheLoopPolicy(delegate, channel, 60_000, behaviourOf(word['tb']));
    }
  }
  if (typeof word === 'string' && spoken(word).fault === 'raises')
    return { choose: () => Promise.reject(new Error(spoken(word).why)) };
  // A policy that answers with an action of its own, in the space or not (R0-042).
  const answer = typeof word === 'string' ? /^(?:proposes|returns|chooses) (\S+)$/.exec(word)?.[1] : undefined;
  if (answer !== undefined) return { choose: async () => actionOf(answer) };
  // A policy that takes its time, and then is another one.
  const { delayMs, answer: then } = spoken(typeof word === 'string' ? word : '');
  if (delayMs > 0) {
    const policy = policyOf(then === '' ? 'first_available' : then, time);
    return { choose: (space, snapshot) => time.sleep(delayMs).then(() => policy.choose(space, snapshot)) };
  }
  throw new Uninterpretable(`policy ${JSON.stringify(word)}`);
}

export function predicateOf(word: unknown): ApprovalPredicate {
  const { fault, why } = spoken(typeof word === 'string' ? word : '');
  if (fault === 'raises')
    return {
      requiresApproval: () => {
        throw new Error(why);
      },
    };
  if (word === 'AlwaysApprove') return new AlwaysApprove();
  if (word === 'NeverApprove') return new NeverApprove();
  if (isFields(word) && 'FlowId' in word) return new FlowIdPredicate(textsOf(word['FlowId']));
  if (isFields(word) && 'EntityState' in word) {
    return new EntityStatePredicate(itemsOf(word['EntityState']).map((pair) => textsOf(pair) as [string, string]));
  }
  throw new Uninterpretable(`predicate ${JSON.stringify(word)}`);
}

/** `undefined` leaves the argument out, so that the constructor's own default shows. */
export function behaviourOf(word: unknown): TimeoutBehavior | undefined {
  switch (word) {
    case undefined:
    case 'default':
      return undefined;
    case 'Reject':
      return TimeoutBehavior.Reject;
    case 'Approve':
      return TimeoutBehavior.Approve;
    default:
      throw new Uninterpretable(`timeout behaviour ${JSON.stringify(word)}`);
  }
}

function resultOf(word: unknown): ApprovalResult {
  if (word === 'Approved' || word === 'record') return ApprovalResult.Approved;
  if (word === 'Rejected') return ApprovalResult.Rejected;
  if (word === 'Timeout') return ApprovalResult.Timeout;
  if (isFields(word) && 'Substitute' in word) return ApprovalResult.Substitute(actionOf(word['Substitute']));
  throw new Uninterpretable(`channel result ${JSON.stringify(word)}`);
}

/** The channel's answer, read before anybody asks: a word that nobody knows fails the case in any event. */
function answerOf(word: unknown): () => Promise<ApprovalResult> {
  const result = resultOf(word);
  return async () => result;
}

/** How a result is written in a case. */
export const wordOf = (result: ApprovalResult): unknown =>
  result.type === 'substitute'
    ? { Substitute: result.action.flow_id }
    : { approved: 'Approved', rejected: 'Rejected', timeout: 'Timeout' }[result.type];

const RESULTS: ReadonlySet<string> = new Set(['Approved', 'Rejected', 'Timeout', 'record']);

/** `sleeps 50ms then Approved`, `raises`, `never answers`; with `deadline wrapper` in front, inside of one (R0-039). */
export function channelOf(
  given: Fields,
  time: VirtualTime,
): { readonly counted: CountedChannel; readonly channel: ApprovalChannel } {
  const { channel_result: result = 'Approved' } = given;
  // Words of a result that takes its time or fails are those of a channel.
  const isPlain = typeof result !== 'string' || RESULTS.has(result);
  const words = given['channel'] ?? (isPlain ? undefined : result);
  if (words === undefined) {
    const counted = new CountedChannel(answerOf(result));
    return { counted, channel: counted };
  }
  if (typeof words !== 'string') throw new Uninterpretable(`channel ${JSON.stringify(words)}`);
  const { plain, delayMs, fault, why, answer: said } = spoken(words);
  const wrapped = /deadline/i.test(plain);
  const fails = fault === 'raises' || fault === 'returns';
  // A flow in quotes is no text of an error here.
  const substitute = fails
    ? undefined
    : /\bSubstitute\W+(\S+?)\W*$/.exec(/^Substitute\W*$/.test(said) ? words : said)?.[1];
  const named = substitute ? { Substitute: substitute } : /\b(Approved|Rejected|Timeout)\b/i.exec(plain)?.[1];
  const silent = (fault === 'silent' && !named) || (wrapped && !named && !fails && delayMs === 0);
  // A wait alone ends in an approval; behind `then` stands an answer that is known.
  if (!named && !fails && !silent && (delayMs === 0 || /\bthen\b/.test(plain)))
    throw new Uninterpretable(`channel ${JSON.stringify(words)}`);
  const answer = answerOf(named ?? 'Approved');
  const counted = new CountedChannel(async () => {
    if (delayMs > 0) await time.sleep(delayMs);
    if (silent) return new Promise<never>(() => {});
    if (fails) throw new Error(why);
    return answer();
  });
  const timeoutMs = Number(given['timeout_ms'] ?? 60_000);
  return { counted, channel: wrapped ? new DeadlineApprovalChannel(counted, timeoutMs, time.start) : counted };
}

/** Raw text, or an error that the client throws. */
export function replyOf(word: unknown): ScriptedReply {
  if (typeof word === 'string') return word;
  const kind = isFields(word) ? word['error'] : undefined;
  const message = String((word as Fields)['message'] ?? 'scripted');
  if (kind === 'NetworkError') return new NetworkError(message);
  if (kind === 'ApiError') return new ApiError(Number((word as Fields)['status'] ?? 500), message);
  if (kind === 'ParseError') return new ParseError(message);
  throw new Uninterpretable(`reply ${JSON.stringify(word)}`);
}
