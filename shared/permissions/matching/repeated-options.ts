/** Finds another value of what a rule states: of two equal options the last one holds. */
import { isLocal, withoutVersion } from '../programs/catalogue/index.ts';
import { addsUp } from '../programs/catalogue/names/adding-options.ts';
import { connectionSpellings } from '../programs/catalogue/names/connections.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import { programOf } from '../shell/syntax/command.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { matchesWildcard } from '../text/glob.ts';
import { UNKNOWN } from '../text/unknown.ts';
import { type Given, givenOptions } from './spellings/given-options.ts';
import { MIN_ABBREVIATION } from './spellings/listed-options.ts';
import { statedOptions } from './spellings/option-rules.ts';
import { respelled } from './spellings/respelled.ts';
import { partsOf } from './spellings/rule-parts.ts';

/** An option or a variable, each of its names, and the values that the rule states for it. */
interface Stated {
  readonly names: readonly string[];
  readonly values: readonly string[];
  /** Options that take its place, whatever their value. */
  readonly wider: readonly string[];
}

/** `kubectl -n dev -A` is in all namespaces. */
const WIDER: ReadonlyMap<string, readonly string[]> = new Map([['namespace', ['all-namespaces', 'A']]]);

const ASSIGNMENT = /^[A-Za-z_]\w*=/;

/**
 * Why a rule does not cover the words behind its own: `kubectl -n dev:*` is no rule for `-n prod`. Programs that look at this machine only
 * are left out, because an option that comes again adds a pattern or a predicate there.
 */
export function repeatedOption(spec: CommandSpec, argv: readonly Field[], within = ''): string | undefined {
  if (spec.form === 'exact' || !mayStateMore(spec, argv)) return undefined;
  const { outer, inner, start, skips } = partsOf(spec);
  const from = inner === undefined ? -1 : argv.findIndex(({ text }, at) => at > 0 && matchesWildcard(start, text));
  const program = withoutVersion(programOf(argv[0]) ?? '') || within;
  if (inner === undefined || from < 0) return otherValue(spec, argv, program);
  return (
    otherValue(outer, argv.slice(0, from), program) ??
    repeatedOption(inner, argv.slice(skips ? from + 1 : from), program)
  );
}

/** Other spellings move words: behind `-n` of `kubectl get -n dev pods` another one would stand. */
const connectionsOf = (argv: readonly Field[]): readonly (readonly Field[])[] =>
  resolveCommand(argv)?.program.spellings === connectionSpellings ? respelled(argv) : [];

/** An address may state the value of an option, where the program reads it so. */
const mayStateMore = (spec: CommandSpec, argv: readonly Field[]): boolean =>
  countOf(argv.map(({ text }) => text)) > countOf(spec.words) ||
  (argv.some(({ text }) => text.includes('://')) && connectionsOf(argv).length > 0);

/** Words that may state a value; a command holds those of its rule. */
const countOf = (words: readonly string[]): number =>
  words.filter((word) => word.startsWith('-') || word.includes('=') || word.includes(UNKNOWN)).length;

function otherValue(spec: CommandSpec, argv: readonly Field[], name: string): string | undefined {
  const stated = statedIn(spec);
  if (stated.length === 0) return undefined;
  const program = resolveCommand(argv)?.program;
  if (program !== undefined && isLocal(program)) return undefined;
  // `psql -h a 'host=b'` connects to b.
  const readings = [argv, ...connectionsOf(argv)].map((words) => [words, givenOptions(words)] as const);
  const again = stated.find((each) =>
    readings.some(([words, given]) => isOther(each, given, words, addsUp(name, each.names))),
  );
  return again && `the rule states another value of ${shown(again.names[0] as string)}`;
}

function shown(name: string): string {
  if (name.endsWith('=')) return name.slice(0, -1);
  return name.length === 1 ? `-${name}` : `--${name}`;
}

const cache = new WeakMap<CommandSpec, readonly Stated[]>();

function statedIn(spec: CommandSpec): readonly Stated[] {
  let found = cache.get(spec);
  if (found === undefined) {
    found = readStated(spec);
    cache.set(spec, found);
  }
  return found;
}

function readStated(spec: CommandSpec): readonly Stated[] {
  const stated = new Map<string, Stated & { readonly values: string[] }>();
  const add = (names: readonly string[], value: string): void => {
    const [first = ''] = names;
    const one = stated.get(first);
    const wider = names.flatMap((name) => WIDER.get(name) ?? []);
    if (one === undefined) stated.set(first, { names, values: [value], wider });
    else one.values.push(value);
  };
  for (const { names, guessed, value } of statedOptions(spec))
    if (value !== undefined)
      add(
        [...names, ...guessed].flatMap((each) => (each.length === 1 ? each : [])),
        value,
      );
  for (const word of spec.words.slice(1))
    if (ASSIGNMENT.test(word)) add([word.slice(0, word.indexOf('=') + 1)], word.slice(word.indexOf('=') + 1));
  return [...stated.values()];
}

/** `adds`: another value stands beside the first. */
function isOther({ names, values, wider }: Stated, given: Given, argv: readonly Field[], adds: boolean): boolean {
  const { options } = given;
  const [first = ''] = names;
  const isNew = (value: string): boolean => !isStated(values, value) && !(adds && !isSameKey(values, value));
  if (wider.some((name) => options.has(name))) return true;
  // `make` reads these behind `--`, too.
  if (first.endsWith('='))
    return argv.some(({ text }) => text.startsWith(first) && !isStated(values, text.slice(first.length)));
  return [...options].some(([name, found]) => names.some((each) => isSame(name, each, given)) && found.some(isNew));
}

const isSame = (name: string, stated: string, { listed, words }: Given): boolean =>
  name === stated ||
  (name.length >= MIN_ABBREVIATION && stated.startsWith(name) && words.has(name) && !listed.has(name));

/** Another `KEY=VALUE` or `KEY: VALUE` stands beside the first and leaves it as it is. */
function isStated(values: readonly string[], value: string): boolean {
  if (values.some((each) => matchesWildcard(each, value))) return true;
  const key = keyOf(value);
  return key !== undefined && values.every((each) => keyOf(each) !== undefined && keyOf(each) !== key);
}

const isSameKey = (values: readonly string[], value: string): boolean => {
  const key = keyOf(value);
  return key !== undefined && values.some((each) => keyOf(each) === key);
};

/** `labels[]=x` is one of several. */
const keyOf = (value: string): string | undefined => /^([^=:]+)(?<!\[\])(?:=|: )/.exec(value)?.[1]?.toLowerCase();
