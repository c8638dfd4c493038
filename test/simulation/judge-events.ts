/** Judges events that a webhook is sent again: all that were asked for, in order, without people. */
import type { History } from './history.ts';
import { PEOPLE } from './policies.ts';
import type { Fail } from './remains.ts';

/** Before it is sent again, an entry is in the index by which the record is searched. */
const INDEXED_MS = 10_000;

export function judgeEvents({ decided, events, replayed, terms }: History, fail: Fail): void {
  const texts = JSON.stringify(events);
  const named = Object.values(PEOPLE).find(({ user }) => texts.includes(user));
  if (named) fail('G37', `an event names ${named.user} outside of the account`);
  for (const sent of events)
    if (sent.some(({ at }, index) => at < (sent[index - 1]?.at ?? at)))
      fail('G38', 'events are sent again in another order');
  for (const { id, at, from, doneAt } of replayed) {
    if (doneAt === undefined) continue;
    const ids = new Set(events.flat().map(({ proposalId }) => proposalId));
    for (const { decision, at: decidedAt } of decided) {
      const isMeant = decidedAt > from + terms.apartMs && decidedAt < at - INDEXED_MS;
      if (isMeant && decision.proposalId !== null && !ids.has(decision.proposalId))
        fail('G45', `${id} sends no event of ${decision.proposalId} again`);
    }
  }
}
