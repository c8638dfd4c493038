/** Reads a YAML text as the JSON value that it stands for, and refuses what JSON would drop or change. */
import { type Alias, type Document, isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { LIMITS } from '../contract/bounds.ts';
import { TOO_DEEP } from '../domain/json-form.ts';
import type { PolicyProblem } from './schema/problems.ts';
import { positionsOf, type TextPositions } from './text-positions.ts';
import { syntaxProblems } from './yaml-problems.ts';

interface YamlText {
  /** Null of an empty text, undefined with problems. */
  readonly value: unknown;
  readonly positions: TextPositions;
  /** Each with line and column. */
  readonly problems: readonly PolicyProblem[];
}

/** Never throws. Keys are the texts that stand there: `010` and `10` are two keys, `1` and `"1"` are one that stands there twice. */
export function readYaml(source: string): YamlText {
  const lines = new LineCounter();
  const document = parseDocument(source, { lineCounter: lines, uniqueKeys: true, stringKeys: true, strict: true });
  const positions = positionsOf(document, lines, source);
  const refused = (problems: readonly PolicyProblem[]): YamlText => ({ value: undefined, positions, problems });
  const at = (offset: number, message: string): PolicyProblem => ({ path: [], message, ...positions.at(offset) });

  // YAML ends a line there, and the parser does not: rules behind a comment would be part of it.
  const loneReturn = source.search(/\r(?!\n)/);
  if (loneReturn >= 0) return refused([at(loneReturn, LONE_RETURN)]);
  const syntax = syntaxProblems(document, source);
  if (syntax.length) {
    // The parser meets what follows from an error in the same line.
    const misread = new Set<number | undefined>();
    const told = syntax.filter(({ offset, standsAlone }) => {
      const { line } = positions.at(offset);
      if (misread.has(line)) return false;
      if (!standsAlone) misread.add(line);
      return true;
    });
    const inOrder = [...told].sort((one, other) => one.offset - other.offset);
    return refused(inOrder.map(({ offset, message }) => at(offset, message)));
  }
  const unread = unreadNodes(document);
  if (unread.length) return refused(unread.map(({ offset, message }) => at(offset, message)));
  let value: unknown;
  try {
    // So many aliases that a small file would be a huge value show only here.
    value = document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    return refused([at(aliasesIn(document).at(-1)?.range?.[0] ?? 0, wordsOf(error))]);
  }
  const problems = [...notJson(value, [], [])];
  return problems.length
    ? refused(problems.map((one) => ({ ...one, ...positions.value(one.path) })))
    : { value, positions, problems };
}

const LONE_RETURN = 'a line ends here with a carriage return (CR) alone: save the file with line ends LF or CRLF';

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : 'is not YAML');

/** YAML 1.1 merges at `<<`, and so does a file that says `%YAML 1.1`. YAML 1.2 takes it for an ordinary key: the merged keys would be missing. */
const MERGED = '<<: nothing is merged here: write the keys out, or name a whole value by &anchor and use it by *anchor';

interface UnreadNode {
  readonly offset: number;
  readonly message: string;
}

/** Nodes that no value is made of: an alias without its anchor, a merge, and a key that the schema of a mapping with free keys would drop. */
function unreadNodes(document: Document): UnreadNode[] {
  const merges = document.directives?.yaml.version === '1.1';
  const nodes: UnreadNode[] = [];
  const refuse = (node: { readonly range?: readonly number[] | null | undefined }, message: string) =>
    void nodes.push({ offset: node.range?.[0] ?? 0, message });
  // One walk for all of them: an alias that looks for its anchor by itself walks the whole text.
  const anchors = new Set<string>();
  const anchored = (_: unknown, { anchor }: { readonly anchor?: string | undefined }) =>
    void (anchor !== undefined && anchors.add(anchor));
  visit(document, {
    Scalar: anchored,
    Collection: anchored,
    Alias: (_, alias) => {
      if (!anchors.has(alias.source))
        refuse(alias, `*${alias.source}: is an alias without its anchor; put a text with * in quotes`);
    },
    Pair: (_, { key }) => {
      if (!isScalar(key)) return;
      if (key.value === '__proto__') refuse(key, '__proto__: is no name that a key may have');
      if (key.value === '<<' && key.type === 'PLAIN' && !merges) refuse(key, MERGED);
    },
  });
  return nodes;
}

function aliasesIn(document: Document): Alias[] {
  const found: Alias[] = [];
  visit(document, { Alias: (_, node) => void found.push(node) });
  return found;
}

type Path = PolicyProblem['path'];

/** Values of YAML that no JSON text holds: the digest of a policy would leave them out, or could not be made. */
function* notJson(value: unknown, path: Path, above: readonly object[]): Generator<PolicyProblem> {
  const message = typeof value === 'object' && value !== null ? brokenObject(value, above) : brokenScalar(value);
  if (message !== undefined) yield { path, message };
  else if (Array.isArray(value))
    for (const [index, one] of value.entries()) yield* notJson(one, [...path, index], [...above, value]);
  else if (typeof value === 'object' && value !== null)
    for (const [key, one] of Object.entries(value)) {
      const broken = brokenText(key);
      if (broken !== undefined) yield { path: [...path, key], atKey: true, message: broken };
      yield* notJson(one, [...path, key], [...above, value]);
    }
}

function brokenObject(value: object, above: readonly object[]): string | undefined {
  if (above.includes(value)) return 'contains itself';
  if (above.length >= LIMITS.depth) return TOO_DEEP;
  return Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype
    ? undefined
    : 'must be text, a number, true, false, null, a list or a mapping';
}

function brokenScalar(value: unknown): string | undefined {
  if (typeof value === 'string') return brokenText(value);
  return typeof value === 'number' && !Number.isFinite(value) ? 'must be a number that has an end' : undefined;
}

function brokenText(text: string): string | undefined {
  if (!text.isWellFormed()) return 'holds half of a surrogate pair';
  return text.includes('\ufffd')
    ? 'holds U+FFFD, which stands for bytes that are not UTF-8: save the file as UTF-8'
    : undefined;
}
