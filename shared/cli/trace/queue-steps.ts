/** Tells which queues hold messages now. SQS shows no message without handing it out. */
import type { QueueState } from '../status/read.ts';
import type { Step } from './step.ts';

/** Dead letters always; messages that wait only where nothing is known of an end. */
export function queueSteps(queues: readonly QueueState[], now: number, hasEnded: boolean): readonly Step[] {
  const at = new Date(now).toISOString();
  return queues.flatMap(({ name, dead, visible, inFlight, delayed, oldestSeconds }) => {
    const waiting = hasEnded ? 0 : visible + inFlight + delayed;
    return [
      ...(dead
        ? [{ at, source: 'queue' as const, what: 'dead letters', detail: `${name}: ${dead} now, of any proposal` }]
        : []),
      ...(waiting
        ? [
            {
              at,
              source: 'queue' as const,
              what: 'waiting',
              detail: `${name}: ${waiting} now, of any proposal${oldestSeconds === undefined ? '' : `, the oldest for ${oldestSeconds} s`}`,
            },
          ]
        : []),
    ];
  });
}
