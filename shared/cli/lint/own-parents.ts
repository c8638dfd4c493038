/** Finds agents that may start themselves, at once or through others. */
import type { PolicyDocument } from '../../config/document.ts';

interface About {
  readonly code: string;
  readonly where: string;
  readonly message: string;
}

/** Wanted where a sub-agent hands parts of its work on to its like; else most likely a slip of the pen. */
export function ownParents({ policy: { agents } }: PolicyDocument): About[] {
  const parentsOf = (name: string): readonly string[] =>
    Object.hasOwn(agents, name) ? (agents[name]?.parents ?? []) : [];
  return Object.keys(agents).flatMap((name) => {
    const through = wayUp(name, parentsOf);
    if (!through) return [];
    const how = through.length ? `, through ${through.join(' and ')}` : '';
    const message = `is its own parent${how}: each session of it may start another one, and answers for it in mode bubble`;
    return [{ code: 'own_parent', where: `agents.${name}`, message }];
  });
}

/** The shortest way from the agent up to itself, without it; undefined if there is none. */
function wayUp(name: string, parentsOf: (name: string) => readonly string[]): readonly string[] | undefined {
  const seen = new Set<string>();
  let ways: readonly (readonly string[])[] = [[]];
  while (ways.length) {
    const higher = ways.flatMap((way) => parentsOf(way.at(-1) ?? name).map((parent) => [...way, parent]));
    const found = higher.find((way) => way.at(-1) === name);
    if (found) return found.slice(0, -1);
    ways = higher.filter((way) => !seen.has(way.at(-1) ?? ''));
    for (const way of ways) seen.add(way.at(-1) ?? '');
  }
  return undefined;
}
