/** Records shells and interpreters: a prefix covers a script file, and no code in the words. */
import { isElsewhere } from '../record/elsewhere.ts';
import { NET } from '../record/options.ts';
import {
  type CommandRecord,
  type Interpreter,
  interpreter,
  NEVER,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  set,
  subcommands,
} from '../record/record.ts';
import { connectionSpellings } from './names/connections.ts';
import { SCRIPT_OR_PROGRAM } from './names/script-names.ts';

/** No `-c`, `-s` or `-i`, and nothing that reads another file first. */
const SHELL: Interpreter = interpreter('-c', { flags: '-u -v', shell: true });
const COMMON = '-e --eval -p --print -pe';

const is = (record: Interpreter): CommandRecord => ({ interpreter: record });
const withCode = (code: string): CommandRecord => is(interpreter(code));

const PYTHON = interpreter('-c', {
  flags: '-u -B -b -bb -s -S -v -q -O -OO -E -I',
  // A category with a dot in it would be imported.
  values: [
    ['-W', 'ignore default error always module once'],
    ['-X', 'dev utf8'],
  ],
  modules: true,
});
const NODE = interpreter(COMMON, {
  flags:
    '--trace-warnings --no-warnings --no-deprecation --trace-deprecation --test --test-only --watch --enable-source-maps --check -c',
  values: [['--test-name-pattern', undefined]],
});

export const SHELLS: readonly ProgramRecord[] = [
  ...programs('sh bash dash ash', is({ ...SHELL, isRead: true })),
  ...programs(
    'zsh ksh lksh mksh oksh loksh pdksh posh hush sash bash-static zsh-static csh tcsh yash elvish xonsh rc es osh ysh mrsh gsh bosh pbosh bsh jsh brush ' +
      // Restricted shells, and those with the rights of a profile, run files as the others do.
      'rbash rksh rzsh pfsh pfbash pfcsh pfksh pfzsh',
    is(SHELL),
  ),
  program('fish', { interpreter: SHELL, commandOptions: set('-c -C --command --init-command') }),
  program('nu', { interpreter: SHELL, commandOptions: set('-c -e --commands --execute') }),
  program('pwsh', is({ ...SHELL, ofWindows: true })),
  // Without an option its words are commands.
  program('powershell', { grant: 'never', interpreter: { ...SHELL, ofWindows: true } }),
  program('cmd', { ...RUNS, commandOptions: set('/c /C /k /K') }),
  ...programs('robocopy xcopy taskkill', { anyCase: true, spellings: slashOptions }),
];

/** Programs of Windows take options anywhere: `taskkill /F /IM x` as `taskkill /im x` and `taskkill x /f /im`. */
function slashOptions(words: readonly string[]): readonly (readonly string[])[] {
  const all = words.map((word) => word.toLowerCase());
  const isOption = (word: string | undefined): boolean => word === undefined || /^\/[a-z]/.test(word);
  return all.flatMap((word, at) => {
    if (!isOption(word)) return [];
    const own = all.slice(at, isOption(all[at + 1]) ? at + 1 : at + 2);
    return [own, [word, ...all.toSpliced(at, 1)], [...all.filter((each) => !isOption(each)), word]];
  });
}

const DENO_FLAGS =
  '-q --quiet -A --allow-all --allow-net --allow-read --allow-write --allow-env --check --no-check --version -V';
const BUN_FLAGS = '--watch --hot --silent --version -v';

/** A word is a script file, or a tool of the program with options of its own: a name of a script is no option of it. */
const scriptOr =
  (tool: CommandRecord) =>
  (word: string): CommandRecord =>
    word.includes('.') || word.includes('/') ? {} : tool;

const DENO = netOptions('-c -o -L --cert --lock --location', { flags: 'qA' });
/** `deno fmt`, `bun build`: options that load code, name another configuration or write are not covered. */
const DENO_TOOL: CommandRecord = { options: DENO };
/** `deno test` runs what it is given. */
const DENO_RUNS: CommandRecord = {
  options: {
    ...DENO,
    operands: (operands) =>
      operands.some(({ text }) => text.includes('://')) ? 'a script from an address' : undefined,
  },
};
const BUN_TOOL: CommandRecord = {
  options: netOptions('-c -r -d --define --cwd --conditions --loader --tsconfig-override'),
};
const SWIFT_TOOL: CommandRecord = {
  options: netOptions(
    '-Xswiftc -Xcc -Xcxx -Xlinker --sdk --toolset --destination --swift-sdk --allow-writing-to-directory',
    {
      values: 'cj',
      longValues: '--configuration --jobs --filter --skip --target --product',
    },
  ),
};

/** Commands of Redis, in any case, that run code, load a library, write settings or lead elsewhere. */
const REDIS = set(
  'slaveof replicaof migrate eval evalsha eval_ro evalsha_ro script config module debug fcall fcall_ro function',
);

export const INTERPRETERS: readonly ProgramRecord[] = [
  ...programs('python pypy', is(PYTHON)),
  program('node nodejs', is({ ...NODE, ending: '.js' })),
  program('deno', {
    interpreter: interpreter('eval', { flags: DENO_FLAGS, words: 'run' }),
    subcommands: subcommands(
      [
        ['eval repl x', RUNS],
        [
          'task',
          {
            commandOptions: set('--eval'),
            options: netOptions('--eval -c --config --cwd --import-map'),
          },
        ],
        ['install uninstall jupyter upgrade serve compile', NEVER],
        ['run', {}],
        ['test bench', DENO_RUNS],
      ],
      { harmless: DENO_FLAGS, others: scriptOr(DENO_TOOL) },
    ),
  }),
  program('bun', {
    interpreter: interpreter('-e --eval -p --print', {
      flags: BUN_FLAGS,
      words: 'run',
      values: [['--cwd', { has: (text) => !isElsewhere({ text, isKnown: true }) }]],
    }),
    subcommands: subcommands(
      [
        ['x exec create repl', RUNS],
        ['run', {}],
      ],
      {
        values: '--cwd',
        harmless: `${BUN_FLAGS} --cwd`,
        inside: '--cwd',
        runsPrograms: SCRIPT_OR_PROGRAM,
        others: scriptOr(BUN_TOOL),
      },
    ),
  }),
  program('ruby', is(interpreter('-e', { flags: '-w -W -W0 -W1 -W2 -v' }))),
  program('perl', is(interpreter('-e -E -n -p', { flags: '-w -W -T -t' }))),
  program('php', is(interpreter('-r -B -R -E', { flags: '-q -n -l' }))),
  program('lua', is(interpreter('-e', { flags: '-W' }))),
  program('osascript', { grant: 'never', interpreter: interpreter('-e') }),
  // Modules of Python that run their words, or their input.
  program('timeit', is(interpreter('-s --setup', { readsOn: true }))),
  program('asyncio', { stdin: true, interpreter: interpreter('-c') }),
  ...programs('luajit Rscript groovy irb racket runghc kotlin raku ocaml', withCode('-e')),
  program('scala', { ...withCode('-e'), subcommands: subcommands([], { others: scriptOr({ options: NET }) }) }),
  program('swift', { ...withCode('-e'), subcommands: subcommands([], { others: scriptOr(SWIFT_TOOL) }) }),
  ...programs('R ghc ghci dc gnuplot', is(interpreter('-e', { readsOn: true }))),
  ...programs('tclsh wish', withCode('')),
  // A class, an archive or a source file: the class path says which code that is.
  program('java', is(interpreter('', { flags: '-ea -esa -server -showversion -version --version -Xint' }))),
  program('jshell', is(interpreter('', { readsOn: true }))),
  program('expect', { grant: 'never', interpreter: interpreter('-c') }),
  program('julia', withCode('-e -E --eval --print')),
  program('elixir', withCode('-e --eval')),
  program('iex', { grant: 'never', interpreter: interpreter('-e --eval') }),
  program('erl', is(interpreter('-eval', { readsOn: true }))),
  program('clojure clj', withCode('-e -M')),
  ...programs('tsx ts-node', withCode('-e --eval -p')),
  program('guile', withCode('-c')),
  program('jrunscript', withCode('-e')),
  ...programs('sbcl octave', is(interpreter('--eval', { readsOn: true }))),
  program('ipython', is(interpreter('-c', { readsOn: true }))),
  program('sqlite3 sqlite duckdb litecli', {
    anyCase: true,
    stdin: true,
    interpreter: interpreter('-cmd', {
      flags: '-readonly -csv -json -column -header -table -line -markdown',
      operands: 1,
      readsOn: true,
    }),
  }),
  program('psql', {
    anyCase: true,
    stdin: true,
    inputOption: '-f',
    spellings: connectionSpellings,
    interpreter: interpreter('-c --command', {
      flags: '-l -q -t -A -w',
      values: [
        ['-h', undefined],
        ['-p', undefined],
        ['-U', undefined],
        ['-d', undefined],
      ],
      operands: 2,
      readsOn: true,
    }),
  }),
  ...programs('mysql mariadb', {
    anyCase: true,
    stdin: true,
    interpreter: interpreter('-e --execute', {
      flags: '-t -s -p',
      values: [
        ['-h', undefined],
        ['-P', undefined],
        ['-u', undefined],
        ['-D', undefined],
      ],
      operands: 1,
      readsOn: true,
    }),
  }),
  program('mongosh mongo', { stdin: true, interpreter: interpreter('--eval', { operands: 1, readsOn: true }) }),
  program('redis-cli valkey-cli', {
    anyCase: true,
    stdin: set(''),
    subcommands: subcommands([], {
      values:
        '-h -p -n -a -u --user --pass -s -r -i -d -D -t -X --eval --rdb --functions-rdb --pattern --quoted-pattern --count --cursor --sni --cacert --cacertdir --cert --key --tls-ciphers --tls-ciphersuites --show-pushes --intrinsic-latency --lru-test --memkeys-samples --keystats-samples --top',
      harmless: '-h -p -n --raw --no-raw --csv --json -3',
      others: (name) => (REDIS.has(name.toLowerCase()) ? NEVER : {}),
    }),
  }),
  // A page, a macro or a registry entry runs code that no word shows.
  ...programs('rundll32 regsvr32 mshta wscript cscript certutil open xdg-open dbus-send', NEVER),
  program('invoke-expression', { grant: 'never', evaluates: true }),
  ...programs('start ld.so ld-linux ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1', RUNS),
];
