/** Finds people who seem to be listed twice, and delegations that are over. */
import type { PolicyDocument } from '../../config/document.ts';
import { foldedText } from '../../domain/redaction/text/fold.ts';

interface About {
  readonly code: string;
  readonly where: string;
  readonly message: string;
  /** Where it stands, if `where` is not its key. */
  readonly path?: readonly (string | number)[];
}

/** With a second account they could approve what the first one may not. The same id under two names is refused when the file is loaded; the same name with two ids only looks like one person. */
export function sameNames({ policy: { people } }: PolicyDocument): About[] {
  const entries = Object.entries(people);
  return entries.flatMap(([key, { name }], at) => {
    const earlier = entries.slice(0, at).find(([, other]) => spelling(other.name) === spelling(name));
    if (!earlier) return [];
    const message = `has the same name as people.${earlier[0]}, but another account: whoever owns an agent could approve its calls with the second`;
    return [{ code: 'same_name', where: `people.${key}`, message }];
  });
}

/** `now`: in milliseconds since 1970. */
export function pastDelegations({ policy: { delegations } }: PolicyDocument, now: number): About[] {
  return delegations.flatMap(({ person, group, to, until }, index) => {
    if (Date.parse(until) > now) return [];
    const seat = person === undefined ? `as one more of ${group}` : `in the place of ${person}`;
    const message = `ended at ${until}: ${to} no longer votes ${seat}. Take it out, or give it a later end`;
    return [{ code: 'past_delegation', where: `delegations[${index}]`, message, path: ['delegations', index] }];
  });
}

const spelling = (name: string): string =>
  foldedText(name)
    .toLowerCase()
    .replaceAll(/[\s.'’_-]+/g, ' ')
    .trim();
