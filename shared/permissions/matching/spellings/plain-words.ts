/** Compares commands with deny and ask rules in one spelling of paths and addresses. */
import type { PathContext } from '../../paths/normalise.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import type { ShellCommand } from '../../shell/syntax/command.ts';
import type { Field } from '../../shell/syntax/fields.ts';
import { isAddress, namesThisMachine, type Wanting } from '../../text/plain-address.ts';
import { ALL_ADDRESSES, THIS_MACHINE } from '../../text/private-host.ts';
import { changedFields, kindOf } from './changed-words.ts';
import { namesWords } from './names-words.ts';
import { type Manner, mannerKey, plainSpec } from './plain-word.ts';

export type Folders = Pick<PathContext, 'cwd' | 'projectRoot' | 'home'>;

/** Readings of one command that are compared so besides each of its operands. */
export const MAX_READINGS = 24;
/** In longer commands no word is put back for a rule: for each rule all words would be read again. */
const MAX_PUT_BACK = 256;

/** A host of a rule that does not begin with a wildcard, or speaks of this machine. */
const NAMES_HOST = /:\/\/(?!\*)|localhost|127|::1/i;

const WANTINGS: readonly Wanting[] = [
  {},
  { user: false },
  { user: false, scheme: 'https' },
  { user: false, scheme: 'https', here: true },
  { user: false, scheme: '' },
];

/** With each name of this machine in place of another one of it. */
const HERE: readonly Wanting[] = THIS_MACHINE.flatMap((machine) => WANTINGS.map((each) => ({ ...each, machine })));

/** A server that listens on all addresses does more than one on this machine's: a rule on `--host 0.0.0.0` names no `--host localhost`. */
const LISTENING: readonly Wanting[] = HERE.filter(({ machine }) => machine !== ALL_ADDRESSES);

/** The forms in which the addresses of the words are compared. */
function wantingsFor(argv: readonly Field[], words: Manner['words']): readonly Wanting[] {
  const isFetched = words === 'addresses';
  const wantings = argv.some(({ text }) => isAddress(text, isFetched)) ? WANTINGS : WANTINGS.slice(0, 1);
  if (!argv.some(({ text }) => namesThisMachine(text, isFetched))) return wantings;
  return [...wantings, ...(words === 'paths' ? LISTENING : HERE)];
}

/** One reading in that spelling. */
interface Plain {
  readonly manner: Omit<Manner, 'marks'>;
  readonly isSame: boolean;
  /** `http` of this machine is read as `https`, of which only a rule with a host speaks. */
  readonly isAssumed: boolean;
  readonly names: (spec: CommandSpec, own: readonly string[]) => boolean;
}

/** Readings for which a rule is spelled in the same way. */
interface Alike {
  readonly manner: Omit<Manner, 'marks'>;
  readonly key: string;
  readonly all: readonly Plain[];
  readonly changed: readonly Plain[];
}

function grouped(forms: readonly Plain[]): readonly Alike[] {
  return [...Map.groupBy(forms, ({ manner }) => mannerKey(manner))].map(([key, all]) => ({
    key,
    all,
    manner: (all[0] as Plain).manner,
    changed: all.filter(({ isSame }) => !isSame),
  }));
}

/** Relative paths of a rule start in the root of the project, or in the folder of the call. */
export function plainNames(
  readings: readonly (readonly Field[])[],
  { dir, otherDirs }: ShellCommand,
  { cwd, projectRoot, home }: Folders,
): (spec: CommandSpec) => boolean {
  const bases = [...new Set([projectRoot, cwd])];
  const dirs = [...new Set([dir, ...otherDirs])];
  const formsOf = (marks: boolean): readonly Alike[] =>
    grouped(readings.flatMap((argv) => bases.flatMap((base) => plainForms(argv, dirs, { base, home, marks }))));
  const forms: { plain?: readonly Alike[]; marked?: readonly Alike[] } = {};
  return (spec) => {
    if (spec.words.length < 2 && !/[/*]/.test(spec.words[0] ?? '')) return false;
    let isMarked = false;
    const isNamed = ({ manner, key, all, changed }: Alike, marks: boolean): boolean => {
      const wanted = plainSpec(spec, manner, key);
      isMarked ||= wanted.marks === true;
      if ((wanted.marks === true) !== marks) return false;
      return (wanted === spec ? changed : all).some(
        ({ names, isAssumed }) =>
          (!isAssumed || spec.words.some((word) => NAMES_HOST.test(word))) && names(wanted, spec.words),
      );
    };
    forms.plain ??= formsOf(false);
    if (forms.plain.some((each) => isNamed(each, false))) return true;
    if (!isMarked) return false;
    forms.marked ??= formsOf(true);
    return forms.marked.some((each) => isNamed(each, true));
  };
}

/** The reading from each folder and in each form of its addresses; equal ones once. */
function plainForms(
  argv: readonly Field[],
  dirs: readonly string[],
  manner: Pick<Manner, 'base' | 'home' | 'marks'>,
): readonly Plain[] {
  const resolved = resolveCommand(argv);
  const words = kindOf(resolved);
  const ofRule = { base: manner.base, home: manner.home, words, dir: manner.base };
  const wantings = wantingsFor(argv, words);
  const found = new Map<string, Plain>();
  for (const dir of dirs)
    for (const wanting of wantings) {
      const changed = changedFields(argv, resolved, { ...manner, ...wanting, dir, words });
      const key = JSON.stringify([...changed].map(([at, { text }]) => [at, text]));
      if (!found.has(key))
        found.set(key, {
          manner: ofRule,
          isSame: changed.size === 0,
          isAssumed: wanting.here === true,
          names: namer(argv, changed),
        });
    }
  return [...found.values()];
}

/** A word that the rule has, too, is no file of another folder. */
function namer(argv: readonly Field[], changed: ReadonlyMap<number, Field>): Plain['names'] {
  const spelledWith = (own: ReadonlySet<string>) =>
    namesWords(argv.map((field, at) => (own.has(field.text) ? field : (changed.get(at) ?? field))));
  const texts = new Set([...changed.keys()].map((at) => argv[at]?.text));
  const known = new Map<string, (spec: CommandSpec) => boolean>();
  return (spec, words) => {
    const own = argv.length > MAX_PUT_BACK ? [] : words.filter((word) => texts.has(word));
    const key = own.join(' ');
    let names = known.get(key);
    if (names === undefined) {
      names = spelledWith(new Set(own));
      known.set(key, names);
    }
    return names(spec);
  };
}
