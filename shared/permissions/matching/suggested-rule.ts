/** Words the rule that would cover a command, or the file of a redirection. */
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import type { PreparedCall } from '../call/prepared-call.ts';
import { normalisePath, type PathContext } from '../paths/normalise.ts';
import { prefixCovers } from '../programs/prefix.ts';
import type { ShellCommand, ShellRedirect } from '../shell/syntax/command.ts';
import { UNKNOWN } from '../text/unknown.ts';
import { locationOf } from './reads-inside.ts';

/** The rule with these words, or with those that it would have to name. */
export function ruleFor(
  command: ShellCommand,
  words: readonly string[],
  prepared: PreparedCall,
): { readonly words: readonly string[]; readonly write?: string; readonly why?: string } {
  const verdict = prefixCovers(command, words, locationOf(command, prepared));
  if (verdict.kind === 'covered')
    return words.every(isPlainWord) ? { words, write: `${prepared.call.toolName}(${words.join(' ')}:*)` } : { words };
  const { write } = verdict;
  const isLonger = write !== undefined && write.length > words.length;
  return isLonger ? ruleFor(command, write, prepared) : { words, why: verdict.why };
}

/** Means itself in a rule. */
const isPlainWord = (word: string): boolean => /^[\w./@+-]+$/.test(word);

/** The rule for one file, where the text says for certain which file that is. */
export function pathRuleFor(
  { access, target, dir, otherDirs }: ShellRedirect,
  { context }: PreparedCall,
): string | undefined {
  if (!target.isKnown || target.hasGlob || otherDirs.length > 0) return undefined;
  const family = access === 'write' ? 'Edit' : 'Read';
  const pattern = pathPattern(family, target.text, { ...context, cwd: dir });
  const root = `${family}(/${context.projectRoot}/`;
  const isInside = pattern?.startsWith(root) === true && /^[\w.]/.test(pattern.slice(root.length));
  return isInside ? `${family}(${pattern.slice(root.length)}` : pattern;
}

/** The rule for exactly one path, its wildcards escaped; undefined where it may be several. */
function pathPattern(family: 'Edit' | 'Read', path: string, context: PathContext): string | undefined {
  const { exact, finding } = normalisePath(path, context);
  const [segments] = exact;
  if (finding !== undefined || exact.length !== 1 || segments === undefined || segments.length === 0) return undefined;
  return `${family}(//${segments.map(escaped).join('/')})`;
}

/** Escapes characters with a meaning in patterns. */
const escaped = (segment: string): string =>
  [...segment].map((char) => ('\\*?[]'.includes(char) ? `\\${char}` : char)).join('');

export function printable(text: string): string {
  return cutMarked(text.replaceAll(UNKNOWN, '…'), 60);
}
