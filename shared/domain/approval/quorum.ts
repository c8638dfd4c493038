/** Checks that different people can fill all stages of an approval: each votes once. */

interface Seats<Who> {
  readonly quorum: number;
  /** Undefined where they are not known, as in a Slack user group: such a group counts as large enough. */
  readonly members: readonly Who[] | undefined;
}

/** A matching of people to places by augmenting paths; the numbers are small. */
export function fillable<Who>(stages: readonly Seats<Who>[]): boolean {
  const candidates = stages.flatMap(({ quorum, members }) =>
    members ? Array.from({ length: quorum }, () => members) : [],
  );
  const taken = new Map<Who, number>();
  const seat = (index: number, tried: Set<Who>): boolean => {
    for (const person of candidates[index] ?? []) {
      if (tried.has(person)) continue;
      tried.add(person);
      const other = taken.get(person);
      if (other === undefined || seat(other, tried)) {
        taken.set(person, index);
        return true;
      }
    }
    return false;
  };
  return candidates.every((_, index) => seat(index, new Set()));
}
