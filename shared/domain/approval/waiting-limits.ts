/** Bounds how many questions may wait at once, and how many the design carries. */

/**
 * `usual`: the limit where the policy file states none. `most`: the highest that it may state. A channel takes one card a second, so that 3,600
 * questions to a group take an hour to post. A list of all waiting questions has to be read within the three seconds that Slack gives.
 */
export const WAITING = {
  agent: { usual: 20, most: 1_000 },
  group: { usual: 200, most: 3_600 },
} as const;

/** Why a policy file that states more is refused. */
export const tooManyToCarry = (whose: keyof typeof WAITING): string =>
  `must be at most ${WAITING[whose].most}: no more questions of one ${whose} that wait at once are carried`;
