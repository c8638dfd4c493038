/** Finds another value of what a rule states: of two equal options the last one holds. */
import { isLocal } from '../programs/catalogue/index.ts';
import { resolveCommand } from '../programs/resolve.ts';
import type { CommandSpec } from '../rules/command-spec.ts';
import type { Field } from '../shell/syntax/fields.ts';
import { matchesWildcard } from '../text/glob.ts';
import { type Given, givenOptions } from './given-options.ts';
import { statedOptions } from './option-spellings.ts';

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
export function statedAgain(spec: CommandSpec, argv: readonly Field[]): string | undefined {
  if (spec.form === 'exact') return undefined;
  const stated = statedIn(spec);
  if (stated.length === 0) return undefined;
  const program = resolveCommand(argv)?.program;
  if (program !== undefined && isLocal(program)) return undefined;
  const given = givenOptions(argv);
  const again = stated.find((each) => isOther(each, given));
  return again && `the rule states another value of ${shown(again.names[0] as string)}`;
}

function shown(name: string): string {
  if (name.endsWith('=')) return name.slice(0, -1);
  return name.length === 1 ? `-${name}` : `--${name}`;
}

const known = new WeakMap<CommandSpec, readonly Stated[]>();

function statedIn(spec: CommandSpec): readonly Stated[] {
  let found = known.get(spec);
  if (found === undefined) {
    found = readStated(spec);
    known.set(spec, found);
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

function isOther({ names, values, wider }: Stated, { options, operands, listed }: Given): boolean {
  const [first = ''] = names;
  if (wider.some((name) => options.has(name))) return true;
  if (first.endsWith('='))
    return operands.some(({ text }) => text.startsWith(first) && !isStated(values, text.slice(first.length)));
  return [...options].some(
    ([name, found]) =>
      names.some((each) => isSame(name, each, listed)) && found.some((value) => !isStated(values, value)),
  );
}

/** Programs take the beginning of a long option for it. */
const MIN_ABBREVIATION = 3;

const isSame = (name: string, stated: string, listed: ReadonlySet<string>): boolean =>
  name === stated || (name.length >= MIN_ABBREVIATION && stated.startsWith(name) && !listed.has(name));

/** Another `KEY=VALUE` or `KEY: VALUE` stands beside the first and leaves it as it is. */
function isStated(values: readonly string[], value: string): boolean {
  if (values.some((each) => matchesWildcard(each, value))) return true;
  const key = keyOf(value);
  return key !== undefined && values.every((each) => keyOf(each) !== undefined && keyOf(each) !== key);
}

const keyOf = (value: string): string | undefined => /^([^=:]+)(?:=|: )/.exec(value)?.[1]?.toLowerCase();
