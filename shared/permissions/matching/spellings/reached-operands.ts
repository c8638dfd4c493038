/** Spells a command with words of a rule that it may act on without naming them: `git push --all`. */
import { recordOf } from '../../programs/catalogue/index.ts';
import type { Reach } from '../../programs/record/record.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import { walks } from '../../programs/walks.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import { programOf, type ShellCommand } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { type GlobToken, tokensIntersect } from '../../text/glob.ts';
import { takesFiles } from './changed-words.ts';
import { optionRules } from './option-rules.ts';
import { isOption } from './option-words.ts';
import { isBare, plainWord } from './plain-word.ts';
import type { Folders } from './plain-words.ts';

/** Operands that a command reaches, with the words before them and with its options. */
interface Reached extends Reach {
  readonly start: readonly Field[];
  readonly options: readonly Field[];
}

export function reachOf(argv: readonly Field[]): Reached | undefined {
  const resolved = resolveCommand(argv);
  const reach = resolved?.record.reaches?.(resolved.words);
  if (resolved === undefined || reach === undefined) return undefined;
  const start = [argv[0] as Field, ...resolved.path.map(literalField)];
  return { ...reach, start, options: resolved.words.filter(({ text }) => isOption(text)) };
}

/** The command with the operands that the rule names, where it may act on them; with its own options, and without any. */
export function reached(spec: CommandSpec, reach: Reached): readonly (readonly Field[])[] {
  const { operands, patterns, start, options } = reach;
  // Behind a `*` an option is no operand: `git push *--force*`. More letters may end a name: `git push *-prod*`.
  const written = spec.words.filter((word) => !isOption(word) && !/^\*+-(?:-|[A-Za-z]{1,2}\*|$)/.test(word));
  const forms =
    spec.form === 'wildcard' ? [written] : [written, ...optionRules(spec, start).map(({ path }) => path.words)];
  return forms.flatMap((words) => {
    if (start.some(({ text }, at) => at > 0 && words[at] !== text)) return [];
    const named = words.slice(start.length);
    const isMet = (word: string): boolean =>
      patterns.some((pattern) => tokensIntersect(tokensOf(pattern), tokensOf(word)));
    // A `*` of the rule stands for any number of operands.
    const rests = spec.form === 'wildcard' ? [named.slice(operands.length), named] : [named.slice(operands.length)];
    return rests
      .filter(([first, second]) => first !== undefined && isMet(operands.length > 0 ? first : (second ?? first)))
      .map((rest) => [...start, ...[...operands, ...rest].map(literalField)])
      .flatMap((argv) => [[...argv, ...options], argv]);
  });
}

/** Readings of a command in the words of a rule. */
type Spell = (spec: CommandSpec) => readonly (readonly Field[])[];

/** Words of one command or rule that are looked at for folders. */
const MAX_WORDS = 64;

/** The command with what the rule names below a folder that it walks through: `rm -r src` as `rm -r src/x`. */
export function belowFolders({ argv, dir }: ShellCommand, { projectRoot, home }: Folders): Spell | undefined {
  if (!walks({ argv }) && !argv.some(({ text }) => RECURSIVE.test(text))) return undefined;
  const plain = (word: string, from: string): string =>
    plainWord(word, false, { dir: from, base: projectRoot, home, words: 'paths', marks: false }).replace(/\/$/, '');
  const folders = argv.slice(0, MAX_WORDS).flatMap(({ text, isKnown }, at) => {
    if (at === 0 || !isKnown || text === '' || isOption(text)) return [];
    return [{ at, folder: plain(text, dir) }];
  });
  const isBelow = (path: string, folder: string): boolean =>
    folder === '.' ? /^[^./~*-]/.test(path) : path.startsWith(`${folder}/`);
  const isOfFiles = takesFiles(resolveCommand(argv));
  return ({ words }) =>
    words.slice(1, MAX_WORDS).flatMap((word) => {
      // The mode of `chmod -R 777` is no file below `.`.
      if (isOption(word) || (!isOfFiles && isBare(word) && !word.includes('.'))) return [];
      const path = plain(word, projectRoot);
      return folders.filter(({ folder }) => isBelow(path, folder)).map(({ at }) => argv.with(at, literalField(word)));
    });
}

const RECURSIVE = /^--recursive$/;

/** The command with each value that the rule gives an option of which it takes every value: `kubectl -A` as `kubectl -n prod`. */
export function everyValue(argv: readonly Field[]): Spell | undefined {
  const { every } = resolveCommand(argv)?.program ?? {};
  if (every === undefined || !argv.some(({ text }) => every.option.test(text))) return undefined;
  return ({ words }) =>
    words.flatMap((word, at) => {
      if (!every.valued.test(word)) return [];
      const stated = words.slice(at, /^(?:-.|--[^=]+)$/.test(word) ? at + 2 : at + 1).map(literalField);
      return [argv.flatMap((field) => (every.option.test(field.text) ? stated : [field]))];
    });
}

/** A module is a file of its path, where the rule names that: `python -m scripts.wipe` as `python scripts/wipe.py`. */
export function asModule(argv: readonly Field[]): Spell | undefined {
  if (resolveCommand(argv)?.program.interpreter?.modules !== true) return undefined;
  const at = argv.findIndex(({ text }) => MODULE.test(text));
  const attached = MODULE.exec(argv[at]?.text ?? '')?.[1];
  const name = (attached || argv[at + 1]?.text) ?? '';
  if (at < 1 || name === '') return undefined;
  const path = name.replaceAll('.', '/');
  const rest = argv.slice(attached ? at + 1 : at + 2);
  const isFile = (word: string): boolean => [`${path}.py`, `${path}/__main__.py`].includes(word.replace(/^\.\//, ''));
  return ({ words }) => words.filter(isFile).map((word) => [argv[0] as Field, literalField(word), ...rest]);
}

/**
 * The command with the name that the rule gives it, where it may be a beginning of that, part by part: `console d:q:s` as `console
 * doctrine:query:sql`.
 */
export function asAbbreviated(argv: readonly Field[]): Spell | undefined {
  const script = argv.findIndex((field) => recordOf(programOf(field) ?? '')?.isScript === true);
  const at = script < 0 ? -1 : argv.findIndex(({ text }, index) => index > script && !isOption(text));
  const parts = argv[at]?.text.toLowerCase().split(':');
  if (parts === undefined) return undefined;
  const isMeant = (word: string): boolean => {
    const names = word.toLowerCase().split(':');
    return names.length === parts.length && parts.every((part, index) => names[index]?.startsWith(part));
  };
  return ({ words }) =>
    words.slice(1, MAX_WORDS).flatMap((word) => (isMeant(word) ? [argv.with(at, literalField(word))] : []));
}

/** `-m NAME`, `-Im NAME`, `-mNAME`: letters before it take no value. */
const MODULE = /^-[bBdEhiIOqsSuvVx]*m(.*)$/s;

const tokensOf = (pattern: string): GlobToken[] =>
  Array.from(pattern, (char) => (char === '*' ? { kind: 'run' } : { kind: 'char', char }));
