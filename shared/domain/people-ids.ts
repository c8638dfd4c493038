/**
 * Names people in stored texts: by their Slack ids, which their readers turn into names.
 *
 * A name that stood in the text itself could not be taken out of the record any more.
 */
import type { Person } from '../contract/index.ts';

const BETWEEN = ' and ';

/** Tells people of several workspaces apart. */
export const personKey = ({ team, user }: Person): string => `${team}/${user}`;

/** Empty for nobody. */
export const idsOfPeople = (people: readonly Pick<Person, 'user'>[]): string =>
  people.map(({ user }) => user).join(BETWEEN);

/** The ids in such a text. */
export const usersIn = (ids: string): string[] => ids.split(BETWEEN);

/** The same people as their reader calls them. Texts of earlier releases hold names, which stay as they are. */
export const namesOfIds = (ids: string, nameOf: (user: string) => string): string =>
  usersIn(ids).map(nameOf).join(BETWEEN);
