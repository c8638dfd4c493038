/** Reads how the record names people: small, since every function that writes it needs this. */
import type { PolicyFile } from '../schema/policy-file.ts';

/** Whether entries name people by aliases. */
export const hasAliases = ({ record }: Pick<PolicyFile, 'record'>): boolean =>
  typeof record === 'object' && record.people === 'aliases';

/** Slack ids of the people of the file. */
export const usersOf = ({ people }: Pick<PolicyFile, 'people'>): ReadonlySet<string> =>
  new Set(Object.values(people).map(({ user }) => user));
