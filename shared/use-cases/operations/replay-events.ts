/** Sends events of the record to a webhook again, for a receiver that lost or missed them. */
import type { ReplayOperation } from '../../contract/operation.ts';
import { isCanary } from '../../domain/canary.ts';
import { ownValue } from '../../domain/own.ts';
import { DEAD_LETTERS_AGENT } from '../../domain/proposal/reserved-ids.ts';
import { eventIdOf } from '../../domain/record/event-id.ts';
import { OPERATIONS } from '../../domain/record/operation-id.ts';
import { eventOfEntry } from '../audit/entry-event.ts';
import { UNREGISTERED } from '../identity.ts';
import type { OperatorDependencies } from './dependencies.ts';
import { type OperationResult, refuse } from './refusal.ts';

/** Entries of one operation: more would not be read and queued before the function's time is over. */
const MAX_REPLAYED = 1_000;

/** Oldest first, all that can be read or none: a part would look like the whole to whoever waits for it, and entries left out are told of. */
export async function replayEvents(
  { webhook, from, until, event: id }: ReplayOperation,
  { audit, deployment, policy, webhooks }: OperatorDependencies,
): Promise<OperationResult> {
  if (Date.parse(until) <= Date.parse(from)) return refuse('until_is_before_from');
  // Entries of the canary make no events.
  const named = Object.keys(policy.settings.agents).filter((name) => !isCanary(name));
  const agents = [...named, OPERATIONS, DEAD_LETTERS_AGENT, UNREGISTERED];
  let unread = 0;
  const unreadable = () => void unread++;
  const { records, next } = await audit.find({ agents, since: from, until, limit: MAX_REPLAYED, unreadable });
  if (next !== undefined) return refuse('too_many_events');
  const names = ownValue(policy.settings.webhooks, webhook)?.events;
  const events = records
    .map(eventOfEntry)
    .filter((event) => names === undefined || names.includes(event.name))
    .filter((event) => id === undefined || eventIdOf(deployment, event) === id)
    .reverse();
  // Somebody who asked for one event, and has it, misses none.
  const problem = unread && !(id && events.length) ? { problem: leftOut(unread) } : {};
  if (!events.length) return { ...refuse('no_such_event'), ...problem };
  await webhooks.put(webhook, events);
  return { accepted: true, code: 'replayed', ...problem };
}

const leftOut = (count: number): string =>
  `from: ${count === 1 ? '1 entry of this time was left out, which' : `${count} entries of this time were left out, which`} this release cannot read; deploy the newer one, and send this again`;
