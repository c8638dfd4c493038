/** Compares commands with deny and ask rules in one spelling of paths and addresses. */
import { fixedSegments, type PathContext, segmentsOf, startsWithSegments } from '../../paths/normalise.ts';
import { resolveCommand } from '../../programs/resolve.ts';
import type { CommandSpec } from '../../rules/command-spec.ts';
import type { ShellCommand } from '../../shell/syntax/command.ts';
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { plainAddress, plainHost, type Wanting } from '../../text/plain-address.ts';
import { namesWords } from './names-words.ts';

export type Folders = Pick<PathContext, 'cwd' | 'projectRoot' | 'home'>;

/** Readings of one command that are compared so, and folders in which it may run. */
const MAX_READINGS = 24;
const MAX_DIRS = 4;

/** How the words of one command or rule are read. */
interface Manner extends Wanting {
  /** Where relative paths start. */
  readonly dir: string;
  /** Paths within it are written without it. */
  readonly base: string;
  readonly home: string;
  readonly words: 'addresses' | 'hosts' | 'paths';
}

const WANTINGS: readonly Wanting[] = [
  {},
  { user: false },
  { user: false, scheme: 'https' },
  { user: false, scheme: '' },
];

/** Relative paths of a rule start in the root of the project, or in the folder of the call. */
export function plainNames(
  readings: readonly (readonly Field[])[],
  { dir, otherDirs }: ShellCommand,
  { cwd, projectRoot, home }: Folders,
): (spec: CommandSpec) => boolean {
  const looked = readings.slice(0, MAX_READINGS);
  const dirs = [dir, ...otherDirs].slice(0, MAX_DIRS);
  return (spec) => {
    const [first = ''] = spec.words;
    if (spec.words.length < 2 && !/[/*]/.test(first)) return false;
    const own = new Set(spec.words);
    return looked.some((argv) => {
      const words = kindOf(argv);
      return [...new Set([projectRoot, cwd])].some((base) => {
        const wanted = plainSpec(spec, { dir: base, base, home, words });
        return dirs.some((from) =>
          WANTINGS.some((wanting) => {
            const manner = { ...wanting, dir: from, base, home, words };
            const plain = argv.map((field, at) => plainField(field, at === 0, own, manner));
            const isSame = wanted === spec && plain.every((field, at) => field === argv[at]);
            return !isSame && namesWords(plain)(wanted);
          }),
        );
      });
    });
  };
}

function kindOf(argv: readonly Field[]): Manner['words'] {
  const resolved = resolveCommand(argv);
  if (resolved?.record.fetches === true) return 'addresses';
  const connects = resolved?.record.connects ?? resolved?.program.connects;
  return connects === 'host' || connects === 'service' ? 'hosts' : 'paths';
}

/** A word that the rule has, too, is no file of another folder. */
function plainField(field: Field, isProgram: boolean, own: ReadonlySet<string>, manner: Manner): Field {
  if (!field.known || own.has(field.text)) return field;
  const text = plainWord(field.text, isProgram, manner);
  return text === field.text ? field : literalField(text);
}

function plainSpec(spec: CommandSpec, manner: Manner): CommandSpec {
  const words = spec.words.map((word, at) => plainWord(word, at === 0, manner));
  if (words.every((word, at) => word === spec.words[at])) return spec;
  const text = words.join(' ') + (spec.form === 'wildcard' && spec.text.endsWith(':*') ? ':*' : '');
  return { ...spec, words, text, unquoted: text };
}

function plainWord(word: string, isProgram: boolean, manner: Manner): string {
  if (isProgram) {
    if (!word.includes('/')) return word;
    const path = plainPath(word, manner);
    return path.startsWith('/') ? path : `./${path}`;
  }
  if (word === '' || word.startsWith('-') || /^[a-z]+=/.test(word)) {
    const equals = word.indexOf('=') + 1;
    return equals === 0 ? word : word.slice(0, equals) + plainWord(word.slice(equals), false, manner);
  }
  const isHost = manner.words === 'hosts' && (!word.includes('://') || word.startsWith('ssh:'));
  if (isHost) return plainHost(word);
  return plainAddress(word, manner, manner.words === 'addresses') ?? plainPath(word, manner);
}

function plainPath(word: string, { dir, base, home }: Manner): string {
  const isPlain = !/^[.~]|\//.test(word) && dir === base;
  // A wildcard may stand for several folders, and a folder above is that of none of them.
  if (isPlain || /\*.*\.\./.test(word)) return word;
  const isHome = word === '~' || word.startsWith('~/');
  const stated = isHome ? home + word.slice(1) : word.startsWith('/') ? word : `${dir}/${word}`;
  const segments = segmentsOf(stated);
  const root = fixedSegments(base);
  return startsWithSegments(segments, root) ? segments.slice(root.length).join('/') || '.' : `/${segments.join('/')}`;
}
