/** Gives the state of a gate its times as programs read them; rows hold milliseconds. */
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

/** JSON leaves out what is undefined. */
export const isoOf = (ms: number | undefined): string | undefined =>
  ms === undefined ? undefined : new Date(ms).toISOString();
