/** Judges what the record says of decisions and of calls that ran, and where it must say nothing. */
import type { Decided, Effect, History, Terms } from '../model/history.ts';
import { LIMITS, NON_IDEMPOTENT, PEOPLE } from '../model/policies.ts';
import type { Fail, Remaining, Remains } from '../world/remains.ts';

type Sent = History['sent'][number];

export function judgeRecord(history: History, remains: Remains, fail: Fail): void {
  const { proposals, leaks, archive = [] } = remains;
  for (const finding of archive) fail('G36', `the archive is not whole: ${finding}`);
  for (const place of leaks?.tokens ?? []) fail('G24', `a task token stands in ${place}`);
  for (const place of leaks?.secrets ?? []) fail('G37', `the secret of an agent stands in ${place}`);
  judgeRecovery(history, fail);
  judgeRefused(history, remains, fail);
  for (const [id, effects] of Map.groupBy(history.effects, (effect) => effect.id)) {
    const sent = history.sent.find((one) => one.id === id);
    if (sent) judgeRan(sent, effects, proposals.get(id), history.terms, fail);
  }
}

/** The reason of a refusal, where the person was told it by its code. */
const CODE = /^[a-z_]+$/;

/** A click that is refused is on record as well. */
function judgeRefused({ votes }: History, { proposals, strays = [] }: Remains, fail: Fail): void {
  for (const { id, who, told } of votes) {
    if (told === undefined || told === 'counted' || !CODE.test(told)) continue;
    const records = told === 'unknown_approval' ? strays : (proposals.get(id)?.records ?? []);
    const clicks = records.filter(({ entry }) => entry.type === 'click');
    if (!clicks.some(({ entry }) => entry.person?.user === PEOPLE[who].user && entry.accepted === false))
      fail('G20', `the click of ${who} on ${id} is refused, and not on record`);
  }
}

/** Some time after everything works again. */
const RECOVERED_MS = 60_000;
const isNear = (one: number, other: number): boolean => Math.abs(one - other) < RECOVERED_MS;

/** An approved call runs once its tool works again. */
function judgeRecovery({ sent, decided, effects, terms }: History, fail: Fail): void {
  const payments = (agent: string) => sent.filter((one) => one.tool === 'Pay' && one.agent === agent);
  for (const { id, agent, run, sentAt, tool } of sent) {
    if (run?.how !== 'gate' || sentAt < terms.calmAt + RECOVERED_MS) continue;
    // An agent that may have spent its budget runs nothing that day; a payment whose process ended is spent as well.
    if (payments(agent).length >= LIMITS.payments) continue;
    const approved = decided.find(({ decision }) => decision.proposalId === id && decision.outcome === 'approved');
    // Another process has the one slot, and nobody in this one would hear of its end: the call is refused, and may be sent again.
    const isContended = ({ at }: Decided) =>
      sent.some(
        (other) =>
          other.id !== id && other.tool === 'Sync' && effects.some((one) => one.id === other.id && isNear(one.at, at)),
      );
    if (!approved || (tool === 'Sync' && isContended(approved))) continue;
    if (!effects.some((effect) => effect.id === id)) fail('G31', `${id} never runs, though its tool works`);
  }
}

/** Each call that ran is on record, and one that may not run again ran once, whatever came of it. */
function judgeRan(
  { id, tool }: Sent,
  effects: readonly Effect[],
  end: Remaining | undefined,
  { isWhole }: Terms,
  fail: Fail,
): void {
  if (effects.length > 1 && NON_IDEMPOTENT.has(tool))
    fail('G32', `${id} may not be repeated, and ran ${effects.length} times`);
  const ran = end?.records.flatMap(({ entry }) => (entry.ran ? [entry.ran] : [])) ?? [];
  for (const { by, isInterrupted, isReported } of effects) {
    if (by === 'agent' && !isReported) continue;
    if (!ran.length && isWhole) fail('G35', `${id} ran, and nothing on record says so`);
    // Nobody can know what came of it.
    if (isInterrupted && ran.some(({ status }) => status !== 'unknown'))
      fail('G32', `${id} was interrupted, and is recorded as ${ran.map(({ status }) => status).join()}`);
  }
}

/** A decision names the policy file that it follows, the people who gave it, and the time of the gate. */
export function judgeNames(
  { decision, at, since }: Decided,
  { id }: Sent,
  end: Remaining | undefined,
  history: History,
  fail: Fail,
): void {
  const { apartMs } = history.terms;
  const versions = history.deployed.flatMap(({ at: from, version }, index) => {
    const next = history.deployed[index + 1];
    return from <= at && (next?.doneAt ?? next?.at ?? Number.POSITIVE_INFINITY) >= since ? [version] : [];
  });
  if (!versions.includes(undefined) && !versions.includes(decision.policyVersion))
    fail('G38', `the decision on ${id} names a policy that is not in force`);
  for (const { entry, decision: decided } of end?.records ?? []) {
    const recordedAt = Date.parse(entry.recordedAt);
    if (decided && (recordedAt < since - apartMs || recordedAt > at + apartMs))
      fail('G38', `the record of ${id} names another time`);
  }
  const named = Object.entries(PEOPLE).filter(([, { user }]) => decision.decidedBy.id.includes(user));
  for (const [who] of named)
    if (!history.votes.some((vote) => vote.who === who && vote.at <= at))
      fail('G38', `the decision on ${id} names ${who}, who said nothing`);
  if (decision.decidedBy.type === 'human' && !named.length) fail('G38', `the decision on ${id} names no person`);
}
