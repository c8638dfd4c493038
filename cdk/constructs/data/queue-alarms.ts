/** Says in the alarms of each queue who waits while it is late, and what a dead letter loses. */
import type { LATE_AFTER_S } from '../../../shared/config/schema/defaults.ts';
import { type AlarmText, cause, ticket } from '../alarm/alarm.ts';

export type QueueName = keyof typeof LATE_AFTER_S;

interface Meaning {
  readonly late: string;
  readonly dead: string;
}

const MEANINGS: Readonly<Record<QueueName, Meaning>> = {
  Proposals: { late: 'Agents wait for decisions', dead: 'An agent got an error in place of a decision' },
  Deferred: {
    late: 'Agents wait for decisions that need a model, a hook or their rate',
    dead: 'An agent got an error in place of a decision',
  },
  Cards: {
    late: 'People do not see in Slack what waits for them, or how it ended',
    dead: 'People were not shown a question in Slack, or how one ended',
  },
  Operators: {
    late: 'Pauses, votes and other operations wait to be done',
    dead: 'A pause, a vote or another operation was not done',
  },
  Executions: {
    late: 'Agents wait for calls that the gate runs',
    dead: 'A call that the gate was asked to run did not run',
  },
  Outcomes: {
    late: 'Limits of agents still count runs that have ended',
    dead: 'The report of a run could not be taken',
  },
  Talk: { late: 'People wait for answers of the task agent', dead: 'A person got no answer of the task agent' },
  Webhooks: { late: 'Receivers of webhooks wait for events', dead: 'A receiver of a webhook misses an event' },
};

/** Agents wait for the gate itself, and for nothing else. */
const DECIDING: ReadonlySet<QueueName> = new Set(['Proposals']);
/** Nothing brings a message of these back by itself, or its sender cannot go on without an answer. An operator is told by the command. */
const MISSED: ReadonlySet<QueueName> = new Set([...DECIDING, 'Cards']);

export const isMissed = (name: QueueName): boolean => MISSED.has(name);

/** Tells of a further letter, or of those that lie there. */
export function deadText(name: QueueName, receipts: number, isPage: boolean): AlarmText {
  const told = [
    'dead-letters',
    `${MEANINGS[name].dead}: a message of ${name} could not be processed ${receipts} times`,
    name === 'Cards'
      ? "the log of slack-out, then countersign redrive cards --reason 'the cause is mended'"
      : 'countersign dead list',
  ] as const;
  return isPage ? cause('dead-letters', ...told) : ticket(...told);
}

export function lateText(name: QueueName, lateAfterS: number): AlarmText {
  const told = [
    'late-queues',
    `${MEANINGS[name].late}: the oldest message of ${name} is ${lateAfterS} s old`,
    'countersign status',
  ] as const;
  return DECIDING.has(name) ? cause('decisions', ...told) : ticket(...told);
}
