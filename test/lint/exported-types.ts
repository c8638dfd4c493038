/** Finds exported types that no other file names: a reader looks for their users in vain. */
import { posix } from 'node:path';

const FROM = /^(?:import|export)\s+(?:type\s+)?([^;'"]*?)\s*from\s+'(\.[^']+)'/gm;
const INLINE = /\bimport\('(\.[^']+)'\)\.(\w+)/g;
const DECLARED = /^export (?:type|interface) (\w+)/gm;

/** Exports of an entry of the package are for its users. `files`: each by its path and text. */
export function unusedTypes(files: ReadonlyMap<string, string>, entries: readonly string[]): string[] {
  const named = new Map<string, Set<string>>();
  /** The files whose names the key passes on. */
  const passedOn = new Map<string, string[]>();
  const name = (file: string, each: string) => named.set(file, (named.get(file) ?? new Set()).add(each));
  for (const [file, text] of files) {
    const at = (specifier: string) => posix.join(posix.dirname(file), specifier);
    for (const [, clause = '', specifier = ''] of text.matchAll(FROM)) {
      if (clause === '*') passedOn.set(file, [...(passedOn.get(file) ?? []), at(specifier)]);
      for (const one of /\{([^}]*)\}/.exec(clause)?.[1]?.split(',') ?? [])
        name(
          at(specifier),
          one
            .trim()
            .replace(/^type\s+/, '')
            .replace(/\s+as\s.*$/s, ''),
        );
    }
    for (const [, specifier = '', each = ''] of text.matchAll(INLINE)) name(at(specifier), each);
  }
  const open = new Set(entries);
  for (const file of open) for (const each of passedOn.get(file) ?? []) open.add(each);
  const usersOf = (file: string): string[] => [
    file,
    ...[...passedOn].flatMap(([through, passed]) => (passed.includes(file) ? usersOf(through) : [])),
  ];
  return [...files].flatMap(([file, text]) => {
    if (open.has(file)) return [];
    const used = usersOf(file);
    return [...text.matchAll(DECLARED)].flatMap(([, each = '']) =>
      used.some((through) => named.get(through)?.has(each))
        ? []
        : [`${file}: the type ${each} is exported, and no other file names it`],
    );
  });
}
