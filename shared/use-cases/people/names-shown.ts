/**
 * Finds names for the people of an approval whom the policy file does not list.
 *
 * Rows hold ids alone.
 */
import type { CardNames } from '../../config/readers/card-names.ts';
import type { Approval } from '../../contract/index.ts';
import { personKey } from '../../domain/people-ids.ts';
import type { PeopleDirectory } from '../../ports/people.ts';

/** Somebody whose name cannot be found out now is called by their id. */
export async function namesShown(
  { votes, passed = [], editors = [], owner, requester }: Approval,
  names: CardNames,
  { nameOf }: Pick<PeopleDirectory, 'nameOf'>,
): Promise<CardNames> {
  const seats = [...votes, ...passed].flatMap(({ by, standsFor }) => (standsFor ? [by, standsFor] : [by]));
  const others = [...editors, owner, ...(requester ? [requester] : []), ...passed.flatMap(({ to }) => to ?? [])];
  const unlisted = new Map([...seats, ...others].map((person) => [personKey(person), person]));
  const found = await Promise.all(
    [...unlisted.values()]
      .filter((person) => names.personName(person) === undefined)
      .map(async (person) => [personKey(person), await nameOf(person).catch(() => undefined)] as const),
  );
  const known = new Map(found);
  return { ...names, personName: (person) => names.personName(person) ?? known.get(personKey(person)) };
}
