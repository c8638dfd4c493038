/** Collects the figures that a play states, and the questions that it leaves open. */
import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import type { Incident } from '../../support/incidents.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed } from '../harness/agents.ts';

/** A figure that AWS writes, and no function: found among those that the alarm reads. */
interface OwnFigure {
  readonly metric: string;
  /** The series that names this resource; absent: the alarm reads one series of the metric. */
  readonly of?: string;
  readonly value: number;
}

/** Facts of a play besides the lines of the log. */
export interface Seen {
  readonly own?: readonly OwnFigure[];
  /** The fault comes so often a minute where it goes on; default: once. */
  readonly timesAMinute?: number;
  /** Why this machine cannot play it: all its figures are stated. */
  readonly stated?: string;
  /** Ends the fault, once its figures are read. Without it the fault ends with the play. */
  readonly lift?: () => void;
  /** Before the fault: what has to happen all the time, and then does not. */
  readonly before?: { readonly metric: string; readonly value: number; readonly everyMs: number };
}
export type Play = () => Promise<Seen>;

/** Plays that leave each other alone run side by side; the phases follow one another. */
export type Phase = Readonly<Partial<Record<Incident, Play>>>;

export const nothing: Seen = {};
export const minutes = (count: number): number => count * 60_000;
export const stated = (why: string, own: readonly OwnFigure[], more: Omit<Seen, 'own' | 'stated'> = {}): Play => {
  const seen = { stated: why, own, ...more };
  return async () => seen;
};
export const AWS_ALONE = 'AWS alone writes the figure, and the local endpoint never refuses for load';

/** The same play for several incidents, once. */
export function once(play: Play): Play {
  let played: Promise<Seen> | undefined;
  return () => {
    played ??= play();
    return played;
  };
}

const pushed: string[] = [];
export const push = async (name: string): Promise<{ readonly id: string; readonly pid: string }> => {
  const builder = await agentNamed('builder');
  const id = await builder.run(`git push origin ${name}`);
  pushed.push(id);
  return { id, pid: builder.pid(id) };
};

/** Withdraws the questions that are still open: other tests use the same agent. */
export async function withdraw(): Promise<void> {
  const { client } = await agentNamed('builder');
  for (const id of pushed) await client.cancel(id).catch(() => undefined);
}

export const levelOf = async (QueueUrl: string): Promise<number> => {
  const { root } = await e2eGate();
  const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
  return Number((await root.sqs.send(read)).Attributes?.['ApproximateNumberOfMessages']);
};
