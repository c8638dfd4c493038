/**
 * Lists the files below the project root that a search has to leave out.
 * The gate sees no disk: the runner of the search applies the list.
 */
import type { CallContext } from '../call/call-context.ts';
import { EVERYTHING, ignoreLines, plainIgnoreLines } from '../paths/ignore-lines.ts';
import { fixedSegments, type PathContext, type Segments } from '../paths/normalise.ts';
import { ANY_DEPTH, deniedSegments, nameSegment } from '../paths/pattern.ts';
import type { NamePattern } from '../protected/protected-paths.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { foldText } from '../text/characters.ts';
import { matchesTokens } from '../text/glob.ts';
import { isCurrent, policiesOf, READER_TOOLS } from './match.ts';

type ReadingContext = Pick<CallContext, 'protected' | 'policy' | 'sessionRules' | 'projectRoot' | 'home'>;

interface Exclusions {
  /** Lines of an ignore file in gitignore syntax, in the project root; their order matters. */
  readonly patterns: readonly string[];
  /** Protected names and rules that speak of nothing below the project root. */
  readonly outside: readonly string[];
}

interface Excluded {
  readonly name: string;
  readonly lines: readonly string[];
}

/**
 * Protected names that may not be read, and the paths of deny and ask rules on Read, Grep and Glob. The gate folds case: whoever compares is
 * to do so, too. Names are those that a disk lists: other spellings of them (`.env.`, `GIT~1`) are none of its files. Rules on a tool as a
 * whole name no path. @param now epoch milliseconds: rules with an end date count until then
 */
export function readExclusions(call: ReadingContext, now: number): Exclusions {
  // Rules that cannot be read refuse every call.
  if (policiesOf(call).some(({ refused }) => refused !== undefined)) return { patterns: [EVERYTHING], outside: [] };
  const { projectRoot, home } = call;
  const context: PathContext = { cwd: projectRoot, projectRoot, home };
  const root = fixedSegments(projectRoot);
  const { names, custom } = call.protected.unreadable;
  // An exception takes back lines before it, and only its own name's: names with exceptions come first.
  const excepted = names.filter(({ except }) => except.length > 0).map((name) => excludedName(name, root));
  const plain = names.filter(({ except }) => except.length === 0).map((name) => excludedName(name, root));
  const patterns = custom.map(({ text, pattern }) => ({
    name: text,
    lines: ignoreLines(deniedSegments(pattern, context), root),
  }));
  const rules = policiesOf(call)
    .flatMap(({ rules }) => rules)
    .filter((rule) => rule.ref.effect !== 'allow' && isCurrent(rule, now))
    .flatMap((rule) => excludedByRule(rule, context));
  const all = [...excepted, ...plain, ...patterns, ...rules];
  const lines = all.flatMap((each) => each.lines);
  return {
    patterns: lines.includes(EVERYTHING) ? [EVERYTHING] : withoutRepeated(lines),
    outside: [...new Set(all.filter((each) => each.lines.length === 0).map(({ name }) => name))],
  };
}

/** The last of equal lines counts: one that takes back may stand between them. */
const withoutRepeated = (lines: readonly string[]): string[] => [...new Set(lines.toReversed())].reverse();

function excludedName({ pattern, exact, rooted, except }: NamePattern, root: Segments): Excluded {
  const segments = exact.map(nameSegment);
  // In a project below such a file's name the name protects nothing.
  const counted = root.filter((name) => !except.some((tokens) => matchesTokens(tokens, foldText(name))));
  const lines = ignoreLines(rooted ? segments : [ANY_DEPTH, ...segments], counted);
  const taken = except.flatMap((tokens) => plainIgnoreLines([ANY_DEPTH, nameSegment(tokens)]));
  return { name: pattern, lines: [...lines, ...taken.map((line) => `!${line}`)] };
}

function excludedByRule({ parsed, ref }: CompiledRule, context: PathContext): Excluded[] {
  if (parsed.kind !== 'path' || !READER_TOOLS.has(parsed.tool)) return [];
  const lines = ignoreLines(deniedSegments(parsed.path, context), fixedSegments(context.projectRoot));
  return [{ name: `${ref.effect} ${ref.pattern}`, lines }];
}
