/** Gives the state of a gate its times as programs read them; rows hold milliseconds. */
import { isoOf } from '../support/terminal.ts';
import type { Status } from './read.ts';

export function withTimes({ control, ...status }: Status) {
  if (!control) return status;
  const { pauses, voidedAt, ...more } = control;
  return {
    control: {
      pauses: pauses.map(({ since, until, ...pause }) => ({ ...pause, since: isoOf(since), until: isoOf(until) })),
      ...more,
      voidedAt: isoOf(voidedAt),
    },
    ...status,
  };
}
