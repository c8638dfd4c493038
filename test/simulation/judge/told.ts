/** Judges how often people are asked, how soon an agent hears, and the reasons that it reads. */
import type { Decided, History } from '../model/history.ts';
import { MAX_PATTERN } from '../model/plan.ts';
import { ESCALATED, HOOK_MS, HOOKED } from '../model/policies.ts';
import type { Fail, Remains } from '../world/remains.ts';

type Sent = History['sent'][number];

/** Where nothing fails, a proposal is asked about or decided within so long: less than the pause before a message comes again. */
const PROMPT_MS = 1_900;
/** Calls of a card ask their hooks one after the other. */
const promptMsOf = ({ tool, alsoTool, more = 0 }: Sent): number =>
  [tool, alsoTool].some((name) => HOOKED.some((hooked) => hooked === name))
    ? PROMPT_MS + (2 + more) * HOOK_MS
    : PROMPT_MS;

/** A row that waits for people costs a few looks, whatever they do to it, and none each minute. */
const MAX_LOOKS = 3;
/** Time does something to it: the reconciler sets it back first, and the card of each of two channels says when it is looked at next. */
const LOOKS_OF_A_STEP = 3;

/** A process knows a sender for so long. */
const KNOWN_MS = 5 * 60_000;

export function judgeTold(history: History, { proposals, large = [] }: Remains, fail: Fail): void {
  for (const one of large) fail('A15', `${one}, which is too much`);
  for (const rule of history.ruled) {
    if (rule.length > MAX_PATTERN && rule.doneAt !== undefined)
      fail('A15', `a rule of ${rule.length} characters is taken`);
  }
  const { orders } = history;
  for (const [id, sent] of Map.groupBy(orders, (order) => order.id))
    if (
      history.terms.isWhole &&
      sent.every((one) => one.promise !== 'none' && (one.doneAt ?? one.refusedAt) === undefined)
    )
      fail('G35', `the operation ${id} is nowhere on record`);
  for (const [id, asked] of Map.groupBy(history.opened, (one) => one.id))
    if (asked.length > 1) fail('G33', `people are asked ${asked.length} times about ${id}`);
  for (const { id, at, doneAt, promise } of orders)
    if (
      promise === undefined &&
      doneAt !== undefined &&
      at > (history.dismissedAt ?? at) + KNOWN_MS + history.terms.apartMs
    )
      fail('A5', `the operation ${id} is done, and its operator was let go before`);
  if (history.troubled.length) return;
  const heard = heardAt(history);
  for (const sent of history.sent) judgePromptness(sent, heard, fail);
  for (const [id, { looks = 0, view }] of proposals) {
    if (looks <= MAX_LOOKS) continue;
    const isReminded = history.sent.some((sent) => sent.id === id && sent.tool === ESCALATED);
    const most = MAX_LOOKS + (view?.approval.version ?? 0) * (isReminded ? LOOKS_OF_A_STEP : 1);
    if (view && looks > most) fail('A27', `the row of ${id} is looked at ${looks} times`);
  }
}

/** A reason that the agent reads is one that somebody gave. */
export function judgeReason(
  { decision, at, since }: Decided,
  { id, agent, sentAt }: Sent,
  history: History,
  fail: Fail,
): void {
  const { deployed, operations, terms } = history;
  const codes = new Set([decision.reasonCode, ...decision.calls.map(({ reasonCode }) => reasonCode)]);
  const isOtherPolicy = deployed
    .slice(1)
    .some((one) => one.at <= at && (one.doneAt ?? one.at) >= sentAt - terms.apartMs);
  if (codes.has('policy_changed') && !isOtherPolicy)
    fail('G38', `${id} is denied for a change of the policy, and nobody changed it`);
  const isPaused = operations.some(
    ({ effect, scope, at: from, until = Number.POSITIVE_INFINITY }) =>
      effect !== 'lift' && from <= at && until >= since - terms.apartMs && !('agent' in scope && scope.agent !== agent),
  );
  if (codes.has('paused') && !isPaused) fail('G38', `${id} is denied for a pause, and nobody paused it`);
}

/** When each proposal was first asked about or decided: a load has thousands. */
function heardAt({ opened, decided }: History): ReadonlyMap<string, number> {
  const heard = new Map<string, number>();
  const ends = decided.map(({ decision, at }) => ({ id: decision.proposalId, at }));
  for (const { id, at } of [...opened, ...ends]) if (id !== null) heard.set(id, Math.min(at, heard.get(id) ?? at));
  return heard;
}

/** No call holds up another. */
function judgePromptness(sent: Sent, heard: ReadonlyMap<string, number>, fail: Fail): void {
  const { id, sentAt, spoilt } = sent;
  if (spoilt) return;
  const first = heard.get(id) ?? Number.POSITIVE_INFINITY;
  if (first - sentAt > promptMsOf(sent))
    fail('G34', `${id} waits ${Math.round((first - sentAt) / 1_000)} s, and nothing failed`);
}
