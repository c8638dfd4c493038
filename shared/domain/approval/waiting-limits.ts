/** Bounds how many questions may wait at once, and how many the design carries. */

/**
 * `usual`: where the policy file says nothing. `most`: the largest figure that a policy file may state. A channel takes one card a second, so
 * that a group of 3,600 is asked for an hour; lists of what waits are read as a whole within the three seconds that Slack gives.
 */
export const WAITING = {
  agent: { usual: 20, most: 1_000 },
  group: { usual: 200, most: 3_600 },
} as const;

/** Why a policy file that states more is refused. */
export const tooManyToCarry = (whose: keyof typeof WAITING): string =>
  `must be at most ${WAITING[whose].most}: no more questions of one ${whose} that wait at once are carried`;
