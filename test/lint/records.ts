/**
 * Finds look-ups in plain records by a word that is not written in the code.
 *
 * Such a word may be `__proto__` (G9).
 */

interface LookUp {
  readonly file: string;
  readonly line: number;
  /** The record and what it is looked up by, as written. */
  readonly text: string;
}

/** A name that is declared with a type of a record with any key. */
const DECLARED = /\b([A-Za-z_$][\w$]*)\??:\s*(?:Readonly<)?(?:Partial<)?Record<string,/g;
/** One that inherits nothing. */
const BARE = /\b(?:const|let) ([A-Za-z_$][\w$]*)\b.*= Object\.create\(null\)/g;
const INDEXED = /([A-Za-z_$][\w$]*)(?:\?\.)?\[([^[\]]*)\]/g;
/** `(value as Record<string, unknown>)[key]` */
const CAST = /\bas (?:Readonly<)?Record<string[^()]*>\)(?:\?\.)?\[([^[\]]*)\]/g;
/** A text or a number of the code itself. */
const WRITTEN = /^(?:'[^']*'|"[^"]*"|`[^`$]*`|\d+|)$/;

/** Whether the statement around a look-up asks first whether the record itself has the key. */
const isGuarded = (lines: readonly string[], line: number): boolean =>
  /\bObject\.hasOwn\(/.test(lines.slice(Math.max(0, line - 2), line + 1).join(' '));

/** Every such look-up of a file; `ownValue` of `shared/domain/own.ts` is what should stand in its place. */
export function unsafeLookUps(file: string, text: string): LookUp[] {
  const lines = text.split('\n');
  const records = new Set([...text.matchAll(DECLARED)].map(([, name]) => name));
  for (const [, name] of text.matchAll(BARE)) records.delete(name);
  return lines.flatMap((written, line) => {
    const code = written.replace(/^\s*(?:\*|\/\/|\/\*).*/, '');
    const named = [...code.matchAll(INDEXED)].filter(([, name]) => records.has(name));
    const found = [
      ...named.map(({ 0: all, 2: key = '' }) => ({ all, key })),
      ...[...code.matchAll(CAST)].map(({ 0: all, 1: key = '' }) => ({ all, key })),
    ];
    return found
      .filter(({ key }) => !WRITTEN.test(key.trim()) && !isGuarded(lines, line))
      .map(({ all }) => ({ file, line: line + 1, text: all }));
  });
}
