/** What a prefix allow covers of interpreters and shells: a script file, with options that change neither what runs nor what is loaded. */
import { baseName } from '../rules/index-rules.ts';
import type { ShellCommand } from '../shell/command.ts';
import type { Field } from '../shell/fields.ts';
import { isStandardInput } from '../shell/standard-input.ts';
import { SHELLS } from '../shell/wrappers.ts';

const set = (text: string): ReadonlySet<string> => new Set(text.split(' ').filter((word) => word !== ''));

interface InterpreterSpec {
  /** Options without a value. */
  readonly flags: ReadonlySet<string>;
  /** Options that take the next word, and what it may be; `undefined` is anything. */
  readonly values: ReadonlyMap<string, ReadonlySet<string> | undefined>;
  /** Words before the script that name no program, as in `deno run x.ts`. */
  readonly words: ReadonlySet<string>;
  /** Operands that are not code; further ones are. */
  readonly operands?: number | undefined;
  /** `-m` names a module. */
  readonly modules?: boolean | undefined;
}

function spec(flags: string, more: Partial<InterpreterSpec> = {}): InterpreterSpec {
  return { flags: set(flags), values: new Map(), words: set(''), ...more };
}

const PYTHON = spec('-u -B -b -bb -s -S -v -q -O -OO -E -I', {
  // A category with a dot in it would be imported.
  values: new Map([['-W', set('ignore default error always module once')]]),
  modules: true,
});
const NODE = spec(
  '--trace-warnings --no-warnings --no-deprecation --trace-deprecation --test --watch --enable-source-maps',
);
/** No `-c`, `-s` or `-i`, and nothing that reads another file first. */
const SHELL = spec('-u -v');
const ANY: ReadonlySet<string> | undefined = undefined;

/** By family; any other interpreter has no harmless options. */
const SPECS: ReadonlyMap<string, InterpreterSpec> = new Map([
  ['python', PYTHON],
  ['pypy', PYTHON],
  ['node', NODE],
  ['nodejs', NODE],
  ['ruby', spec('-w -W -W0 -W1 -W2 -v')],
  ['perl', spec('-w -W -T -t')],
  ['php', spec('-q -n -l')],
  ['lua', spec('-W')],
  [
    'deno',
    spec('-q --quiet -A --allow-all --allow-net --allow-read --allow-write --allow-env --check --no-check', {
      words: set('run'),
    }),
  ],
  ['bun', spec('--watch --hot --silent', { words: set('run') })],
  [
    'psql',
    spec('-l -q -t -A -w', { values: new Map(['-h', '-p', '-U', '-d'].map((name) => [name, ANY])), operands: 2 }),
  ],
  ['mysql', spec('-t -s -p', { values: new Map(['-h', '-P', '-u', '-D'].map((name) => [name, ANY])), operands: 1 })],
  ['sqlite3', spec('-readonly -csv -json -column -header -table -line -markdown', { operands: 1 })],
]);
const NONE = spec('');
/** These read options behind an operand, too: `psql db -c …`, `R x -e …`. All others leave them to the script. */
const READ_ON = set('psql mysql sqlite3 R erl ghc ghci dc gnuplot ipython sbcl octave jshell');
const ASKS_VERSION = set('--version -V --help');

/** `python3.12` is `python`. */
function specOf(name: string): InterpreterSpec {
  if (SHELLS.has(name)) return SHELL;
  let end = name.length;
  while (end > 0 && '0123456789.-'.includes(name[end - 1] as string)) end--;
  return SPECS.get(name) ?? SPECS.get(name.slice(0, end)) ?? NONE;
}

/** Something that is fetched or made rather than a file: `https://…`, `npm:…`, `data:…`. */
function isForeign(text: string): boolean {
  const lower = text.toLowerCase();
  return lower.includes('://') || SCHEMES.some((scheme) => lower.startsWith(scheme));
}
const SCHEMES = ['http:', 'https:', 'npm:', 'jsr:', 'data:', 'blob:', 'node:'] as const;

/** A reason why the words after an interpreter are not covered, or `undefined`. `ruleWords`: those of the rule, which may name a module. */
export function interpreterRefusal(command: ShellCommand, ruleWords: readonly string[]): string | undefined {
  const name = baseName(command.argv[0]?.text ?? '');
  const { flags, values, words, operands = Number.POSITIVE_INFINITY, modules } = specOf(name);
  const rest = command.argv.slice(1);
  let read = 0;
  for (let at = 0; at < rest.length; at++) {
    const field = rest[at] as Field;
    const { text } = field;
    if (!field.known || field.glob) return `a script of ${name} that is not literal`;
    if (text === '-m' && modules === true) {
      const named = ruleWords.includes('-m') && ruleWords.includes(rest[at + 1]?.text ?? '');
      return named ? undefined : `a module that ${name} runs`;
    }
    if (ASKS_VERSION.has(text) && rest.length === 1) return undefined;
    if (words.has(text)) continue;
    if (values.has(text)) {
      at += 1;
      const value = rest[at];
      if (value?.known !== true || values.get(text)?.has(value.text) === false) return `an option of ${name}`;
    } else if (text.startsWith('-') || text.startsWith('+')) {
      if (!flags.has(text)) return `an option of ${name}`;
    } else {
      read += 1;
      if (isStandardInput(text) || isForeign(text) || read > operands) return `code for ${name}`;
      if (!READ_ON.has(name)) return undefined;
    }
  }
  return read > 0 ? undefined : `code for ${name} from standard input`;
}
