/** Judges the chat: each message has its effect once, and no task goes without a yes. */
import type { History } from '../model/history.ts';
import type { Fail, Remains } from '../world/remains.ts';

/** A text of a person in Slack, or of an agent's user. */
interface Word {
  readonly at: number;
  readonly who: string;
  readonly text: string;
}

/** A question of the task agent may be answered for so long (R2-057). */
const ANSWERABLE_MS = 5 * 60_000;
/** A message is remembered for so long (decision 0046). */
const REMEMBERED_MS = 60 * 60_000;

export function judgeChat(history: History, { chat }: Remains, fail: Fail): void {
  for (const [who, left] of chat ?? []) {
    // Slack may send a message again minutes later, where the endpoint did not take it: it is answered then.
    const heard = history.talks.filter((one) => one.who === who).map((one) => ({ ...one, at: one.heardAt ?? one.at }));
    const words = heard.toSorted((a, b) => a.at - b.at);
    judgeOwner(who, words, left, history, fail);
    for (const shownAt of left.isSetAside ? [] : left.open)
      if (history.talks.some((one) => one.who === who && one.heardAt !== undefined && one.at > shownAt + CLOCKS_MS))
        fail('G33', `${who} has said something since, and a question of ${shownAt} still shows its buttons`);
    // A click is answered where its question stood: it adds no message.
    if (!history.isFaulty && left.replies.length !== words.length)
      fail('G33', `${who} is answered ${left.replies.length} times, and wrote ${words.length} times`);
  }
}

/** Over a queue that has no order, each message has one decision as well. */
export function judgeAsks(history: History, { asks }: Remains, fail: Fail): void {
  for (const [id, count] of asks?.ends ?? [])
    if (count !== 1) fail(count ? 'G18' : 'G33', `the message ${id} to the task agent has ${count} decisions`);
  for (const [who, tasks] of asks?.tasks ?? []) {
    const own = history.asks.filter(({ agent, user }) => `${agent}/${user}` === who);
    const words = own.map(({ sentAt: at, text }) => ({ who, at, text })).toSorted((a, b) => a.at - b.at);
    judgeOwner(who, words, { tasks }, history, fail);
  }
}

interface Left {
  readonly tasks: readonly string[];
}

function judgeOwner(who: string, words: readonly Word[], left: Left, history: History, fail: Fail): void {
  for (const message of words) judgeTask(message, words, left, history, fail);
  const known = words.flatMap(({ text }) => [addedBy(text), renamedTo(text)]);
  for (const task of left.tasks)
    if (!known.includes(task)) fail('G19', `the list of ${who} holds ${task}, which is not theirs`);
}

const addedBy = (text: string): string | undefined => /^todo: (.+)$/.exec(text)?.[1];
const renamedTo = (text: string): string | undefined => /^make it (.+)$/.exec(text)?.[1];
const deletedBy = (text: string): string | undefined => /^delete (.+)$/.exec(text)?.[1];

function judgeTask(message: Word, words: readonly Word[], { tasks }: Left, history: History, fail: Fail): void {
  const task = addedBy(message.text);
  if (task === undefined) return;
  const { who, at } = message;
  const { apartMs } = history.terms;
  const later = words.filter((one) => one.at > at);
  const renames = later.filter(({ text }) => renamedTo(text) !== undefined);
  const names = [task, ...renames.map(({ text }) => renamedTo(text))];
  const there = tasks.filter((one) => names.includes(one));
  if (there.length > 1) fail('G33', `${who} adds ${task} once, and has it ${there.length} times`);
  const isSafe = later.every(({ text }) => deletedBy(text) === undefined) || !mayBeDeleted(message, later, history);
  if (history.isFaulty) return;
  if (there.length && isConfirmed(task, later, history)) fail('G33', `${who} says yes, and ${task} is still there`);
  if (!there.length && isSafe && mayRun(message, history))
    fail('G21', `${task} of ${who} is gone, and ${who} did not say yes in time`);
  for (const rename of renames) {
    const { text, at: renamedAt } = rename;
    const before = words.findLast((one) => one.at < renamedAt);
    const age = renamedAt - (before?.at ?? Number.NEGATIVE_INFINITY);
    const isRenamed = tasks.includes(renamedTo(text) ?? '');
    if (isRenamed && age > REMEMBERED_MS + apartMs) fail('0046', `"${text}" of ${who} is understood after ${age} ms`);
    const isKnown = before === message && age < REMEMBERED_MS - apartMs;
    if (!isRenamed && isKnown && isSafe && mayRun(rename, history))
      fail('0046', `"${text}" of ${who} is not understood after ${age} ms`);
  }
}

/** A yes of its owner, in words or by the button, within the time of a question. */
function mayBeDeleted({ who }: Word, later: readonly Word[], { answered, terms }: History): boolean {
  const asked = later.filter(({ text }) => deletedBy(text) !== undefined);
  const words = later.filter(({ text }) => text === 'yes');
  const clicks = answered.filter((one) => one.who === who && one.of === who && one.choice === 'yes');
  return [...words, ...clicks].some(({ at }) =>
    asked.some((one) => one.at < at && at < one.at + ANSWERABLE_MS + terms.apartMs + ANSWERED_MS),
  );
}

/** The next word to a question is a yes, and comes soon. */
function isConfirmed(task: string, later: readonly Word[], history: History): boolean {
  const asked = later.findIndex(({ text }) => deletedBy(text) === task);
  const next = asked < 0 ? undefined : later[asked + 1];
  if (next?.text !== 'yes' || !mayRun(next, history)) return false;
  return next.at - (later[asked]?.at ?? 0) < ANSWERABLE_MS - ANSWERED_MS;
}

/** Whether no operator had paused everything by then: the tools of the task agent are refused then. */
const mayRun = ({ at }: Word, { operations }: History): boolean =>
  !operations.some((one) => one.effect !== 'lift' && 'all' in one.scope && one.at < at + ANSWERED_MS);

/** The place of a message tells its time in seconds. */
const CLOCKS_MS = 1_000;

/** A question stands so long after its message. */
const ANSWERED_MS = 5_000;
