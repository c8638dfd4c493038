/** Records build tools and interpreters of less common languages. */
import type { Field } from '../../shell/syntax/fields.ts';
import { insideOnly, isElsewhere } from '../record/elsewhere.ts';
import { optionFile } from '../record/option-files.ts';
import { optionOnly } from '../record/outputs.ts';
import {
  type CommandRecord,
  interpreter,
  net,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  subcommands,
} from '../record/record.ts';

/** Any other sub-command is covered but for options with telling names. */
const runsUnder = (names: string, runs: string, others: CommandRecord = {}): ProgramRecord[] =>
  programs(names, { subcommands: subcommands([[runs, RUNS]], { others, values: '-C -f --file --config' }) });

/** A word that is code of the program's own: several commands in one, or one that evaluates. */
const isCommandText = ({ text }: Field): boolean =>
  /[\s;]|^(?:eval|set|console|shell|runMain|exec|repl|trampoline|with-profile|update-in|do)$/.test(text);

/** A task with names behind it, in one word as sbt has them: `testOnly a.B`. A word with a dash goes to a framework. */
const CHOOSES = /^(?:[\w-]+\/)*(?:testOnly|testQuick|project)(?: [\w.*$][\w.*$-]*)+$/;

/** Other programs for a step of the compiler, and its plugins. */
const HASKELL = net('-w --stack-yaml', { texts: ['--with-', '-pgm', '-fplugin'] });

export const LANGUAGES: readonly ProgramRecord[] = [
  ...runsUnder('stack', 'exec run ghc ghci runghc runhaskell repl script eval ide', HASKELL),
  ...runsUnder('cabal', 'exec run repl script v2-exec v2-run v2-repl new-exec new-run', HASKELL),
  ...runsUnder('dune', 'exec utop top'),
  program('mix', {
    subcommands: subcommands(
      [
        ['cmd eval run rpc escript.install archive.install', RUNS],
        ['do', { ...RUNS, nested: 0 }],
      ],
      { others: net('-r -e'), values: '-C -f --file --config' },
    ),
  }),
  ...runsUnder('rebar3', 'shell do as'),
  program('dart', { subcommands: subcommands([['pub', { subcommands: subcommands([['global', RUNS]]) }]]) }),
  ...runsUnder('fastlane', 'run action console'),
  ...runsUnder('babashka bb crystal', 'eval play'),
  ...runsUnder('nim', 'e r', net('', { texts: ['passC', 'passL', '.exe', '.path'] })),
  ...programs('sbt mill lein', {
    ...net('-D -J --java-home', {
      operands: (operands) =>
        operands.some((each) => isCommandText(each) && !CHOOSES.test(each.text))
          ? 'code, or a word that runs more than a target'
          : undefined,
    }),
    goals: true,
  }),
  program('meson', {
    subcommands: subcommands(
      [
        ['devenv', RUNS],
        ['subprojects', { subcommands: subcommands([['foreach', RUNS]]) }],
      ],
      {
        others: net('-f -t -d --wrap --ninja-args --vs-args --xcode-args', { values: 'C', value: insideOnly('-C') }),
      },
    ),
    goals: true,
  }),
  program(
    'xcodebuild',
    net('', { operands: (operands) => (operands.some(isSetting) ? 'a build setting' : undefined) }),
  ),
  ...programs('ocamlc ocamlopt ocamlfind', net('-pp -ppx -cc')),
  program('jsdoc', {
    ...net('', { values: 'd', longValues: '--destination', flags: 'r' }),
    writes: optionOnly('-d', '--destination'),
  }),
  ...programs(
    'swiftc valac dmd ldc2 javadoc jdeps jlink jpackage',
    net('-doclet -J', { operands: optionFile, whole: (words) => outputElsewhere(words, /^-d$/) }),
  ),
  program('nvcc', net('-ccbin --options-file -optf')),
  program(
    'javac',
    net('-processor -J', { operands: optionFile, whole: (words) => outputElsewhere(words, /^-[dsh]$/) }),
  ),
  ...programs(
    'kotlinc kotlinc-jvm kotlinc-js scalac groovyc',
    net('-script -Xplugin', {
      operands: optionFile,
      whole: (words) => holdsCode(words) ?? outputElsewhere(words, /^-d$/),
    }),
  ),
  ...programs(
    'msbuild xbuild csc vbc fsc',
    net('', { operands: (operands) => (operands.some(isSwitch) ? 'a switch' : undefined) }),
  ),
  ...programs('scons doit', net('-f -C --sconstruct -Y --repository --srcdir')),
  program('erb', { interpreter: interpreter('-r') }),
  program('m4', { interpreter: interpreter('', { flags: '-P -s' }) }),
  program('matlab', { interpreter: interpreter('-batch -r', { readsOn: true }) }),
  ...programs('clisp ecl', { interpreter: interpreter('-x -i -eval --eval', { readsOn: true }) }),
  program('maxima', { interpreter: interpreter('--batch-string --batch -r -b -p', { readsOn: true }) }),
  program(
    'pydoc',
    net('-p -n', { operands: (operands) => (operands.some(isFile) ? 'a file that it runs' : undefined) }),
  ),
];

/** The folder of the output behind a whole word, whose letter is within the names of other options. */
const outputElsewhere = (words: readonly Field[], option: RegExp): string | undefined =>
  words.some(({ text }, at) => option.test(text) && isElsewhere(words[at + 1] ?? NOT_NAMED))
    ? 'a folder for its output outside of the project'
    : undefined;

const NOT_NAMED = { text: '', isKnown: false };
const holdsCode = (words: readonly Field[]): string | undefined =>
  words.some(({ text }) => text === '-e') ? 'code' : undefined;

const isSetting = ({ text }: Field): boolean => text.includes('=');
const isSwitch = ({ text }: Field): boolean => text.startsWith('/') || text.startsWith('@');
const isFile = ({ text }: Field): boolean => text.includes('/') || text.endsWith('.py');
