/** Refuses one Slack account under two names of a policy file. */
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

/** A quorum of two would be one person's, and never met. */
export function accountProblems({ people }: PolicyFile): PolicyProblem[] {
  const seen = new Map<string, string>();
  return Object.entries(people).flatMap(([name, { team, user }]) => {
    const account = `${team}/${user}`;
    const holder = seen.get(account);
    if (holder === undefined) seen.set(account, name);
    return holder === undefined ? [] : [{ path: ['people', name, 'user'], message: `is already people.${holder}` }];
  });
}
