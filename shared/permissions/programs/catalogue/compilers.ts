/** Describes compilers, and the tools of Go, Rust and .NET that build with them. */
import type { Field } from '../../shell/syntax/fields.ts';
import { insideOnly, isElsewhere, operandsInside } from '../record/elsewhere.ts';
import { optionFile } from '../record/option-files.ts';
import { optionSpec, type ReadOption } from '../record/options.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  named,
  net,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  set,
  subcommands,
} from '../record/record.ts';
import { smallLetters } from './names/package-names.ts';

const GO_TEXTS = ['-extld', '-toolexec', '-vettool', '-fplugin', '-wrapper'] as const;
const OUTPUTS = set('-o -coverprofile -cpuprofile -memprofile -blockprofile -mutexprofile');
/** The file that `-o` and its like name. */
const writesOutput = (_: readonly Field[], options: readonly ReadOption[]): readonly Field[] =>
  options.flatMap(({ name, value }) => (OUTPUTS.has(name) && value !== undefined ? [value] : []));

const GO = optionSpec({
  others: 'net',
  // `--w` is `go env -w`, `--C` another directory.
  harmful:
    '--exec --toolexec --overlay --vettool --modfile --w --C -pkgdir -pgo -trace -compiler -gccgoflags -asmflags -gcflags -test.trace -debug-actiongraph -debug-trace -debug-runtime-trace',
  words:
    '-run:1 -bench:1 -count:1 -timeout:1 -tags:1 -race -cover -short -v -x -n -a -u -c -p:1 -json -failfast -benchmem -cpu:1 -parallel:1 -shuffle:1 -skip:1 -trimpath -mod:1 -coverpkg:1 -covermode:1 -coverprofile:1 -cpuprofile:1 -memprofile:1 -blockprofile:1 -mutexprofile:1 -o:1 -f:1 -m -u -deps -test',
  texts: GO_TEXTS,
});

const GO_BUILD: CommandRecord = {
  options: GO,
  writes: writesOutput,
};

/** A package of the project: `go run example.com/x@latest` fetches a foreign one. */
function ownPackage(operands: readonly Field[]): string | undefined {
  const [first] = operands;
  const own = first !== undefined && !isElsewhere(first) && (first.text.startsWith('.') || first.text.endsWith('.go'));
  return own ? undefined : 'a package from elsewhere, which go would run';
}

const CARGO_HARMFUL = '--config -C -Z --target-dir --out-dir --artifact-dir --extract-to';
/** The words behind `--` go to a compiler or to the program that runs. */
const CARGO_OPTIONS = netOptions(CARGO_HARMFUL, {
  values: 'pjF',
  flags: 'vqr',
  value: (name, value) =>
    name === '--target' && value.text.endsWith('.json')
      ? 'a target of its own, with its linker'
      : insideOnly('--manifest-path')(name, value),
  longValues:
    '--manifest-path --package --features --bin --test --example --jobs --profile --target --color --message-format',
  operands: (operands) => {
    const isAny = (...starts: readonly string[]) =>
      operands.some(({ text }) => starts.some((each) => text.startsWith(each)));
    // Test programs write what they say to this file.
    if (isAny('--logfile')) return 'a file that the tests write';
    return isAny('-C', '--config', 'linker') ? 'a code generation option' : undefined;
  },
});

const CARGO: CommandRecord = { options: CARGO_OPTIONS };
/** The words behind `--` go to the compiler alone, which writes, loads and links what they say. */
const CARGO_COMPILES: CommandRecord = {
  options: {
    ...CARGO_OPTIONS,
    operands: (operands, given, words) =>
      operands.some(({ text }) => COMPILES_WITH.test(text))
        ? 'an option of the compiler'
        : CARGO_OPTIONS.operands?.(operands, given, words),
  },
};
const COMPILES_WITH =
  /^(?:@|-[oLlZ]|--(?:codegen|test-builder|(?:test-)?runtool|out-dir|output|emit|extern|sysroot|print|theme|extend-css|html-|markdown-|index-page))/;

/** Beginnings of words that hand a stage another program or option, or write a file. */
const COMPILER_TEXTS: readonly string[] =
  '-fplugin -fuse-ld=/ -fuse-ld=. ,-o ,-M ,-plugin ,-T ,@ -Xlinker -Xassembler -Xpreprocessor -fdump -fopt -fprofile -fmodule -fcallgraph -Wa,-a ,--MD -MJ -serialize-diagnostics -ftime-trace= -fproc-stat-report= --gcc-toolchain -cc1 -fsave-optimization'.split(
    ' ',
  );

/** `toProgram` begins a word that hands the compiler's back end another program. */
const compiler = (names: string, harmful: string, toProgram: string): ProgramRecord[] =>
  programs(names, {
    ...net(`-fplugin -B -MF -dumpdir ${harmful}`, {
      values: 'o',
      operands: optionFile,
      texts: [...COMPILER_TEXTS, toProgram],
    }),
    writes: writesOutput,
    commandOptions: set('-wrapper'),
  });

/** `/p:PreBuildEvent=…` is an option, and a library is a program. */
const dotnetOperands = (operands: readonly Field[]): string | undefined =>
  optionFile(operands) ??
  (operands.some(({ text }) => text.includes(':') || text.includes('=')) ? 'a property' : undefined);

/** Properties, loggers and logs of MSBuild, whose names are in any case: they name programs and libraries, or a file that is written. */
const MSBUILD =
  /^(?:\/|--?)(?:p|property|rp|restoreproperty|l|logger|dl|distributedlogger|bl|binarylogger|fl\d?|filelogger\d?|flp\d?|fileloggerparameters\d?|pp|preprocess|ds|rsp|noautoresponse|orc|outputresultscache|irc|inputresultscaches|profileevaluation):|property:|logger:/i;

const LOGGERS = set('console trx html junit nunit xunit teamcity GitHubActions');
/** A usual logger by its name alone: one with a path, or with parameters, loads or writes a file. */
const dotnetValue = (name: string, value: Field): string | undefined =>
  (name === '--logger' || name === '-l') && !LOGGERS.has(value.text)
    ? 'a logger with parameters'
    : insideOnly('--project')(name, value);

const DOTNET = netOptions(
  '--output -o --settings -s --configfile --source --property -p --test-adapter-path -a --collect --results-directory -r --packages --diag -bl -fl --artifacts-path --blame --startup-project',
  {
    longValues: '--filter --configuration --framework --verbosity --logger --project',
    values: 'cfvl',
    value: dotnetValue,
    operands: dotnetOperands,
    whole: (words) => (words.some(({ text }) => MSBUILD.test(text)) ? 'an option of MSBuild' : undefined),
  },
);

export const COMPILERS: readonly ProgramRecord[] = [
  program('go', {
    subcommands: subcommands(
      [
        ['build install test vet', GO_BUILD],
        ['env', { options: { ...GO, flags: '', harmful: set('-w -u'), words: new Map([['-json', 0]]) }, reads: true }],
        ['fmt list mod doc version get clean fix work', { options: GO, writes: writesOutput }],
        [
          'run',
          {
            grant: 'subcommand',
            options: { ...GO, operands: ownPackage },
            runner: runner('never', { values: '-exec', anywhere: true }),
          },
        ],
        // Runs what comments of the project's own files say.
        ['generate', { ...NAMED, options: GO }],
        [
          'tool',
          {
            ...RUNS,
            subcommands: subcommands(
              [['cover', { options: optionSpec({ words: '-func:1 -html:1 -o:1' }), writes: writesOutput }]],
              { others: RUNS },
            ),
          },
        ],
      ],
      { values: '-C', harmless: '-C', inside: '-C', others: NAMED },
    ),
    commandOptions: set('-exec -toolexec -vettool --toolexec --vettool'),
  }),
  ...programs('gofmt goimports', net('-cpuprofile -local', { flags: 'ldsew' })),
  ...programs('golangci-lint staticcheck', net('--config -c --path-prefix --output --modules-download-mode')),
  program('cargo', {
    subcommands: subcommands(
      [
        ['script', RUNS],
        ['watch', { ...RUNS, commandOptions: set('-s --shell -x --exec') }],
        ['run r', { grant: 'subcommand', ...CARGO }],
        [
          'build b check c test t bench fmt doc d clean update add remove rm fetch package fix audit deny nextest outdated publish verify-project generate-lockfile machete udeps llvm-cov expand help',
          CARGO,
        ],
        ['clippy rustc rustdoc', CARGO_COMPILES],
        ['new init vendor', { options: { ...CARGO_OPTIONS, operands: operandsInside } }],
        ['tree metadata search version pkgid locate-project', { reads: true, ...CARGO }],
        ['install', named(`${CARGO_HARMFUL} --manifest-path --root --git --path --index --registry`)],
      ],
      {
        values: '-Z --config -C --color --manifest-path --target-dir',
        toolchain: true,
        harmless: '-q --quiet -v --verbose --locked --offline --frozen --color --manifest-path',
        inside: '--manifest-path',
        // Any other is a program of that name: `cargo evil` runs `cargo-evil`.
        others: NAMED,
      },
    ),
  }),
  program('rustc', {
    ...net('-C --codegen -o --out-dir -Z --extern -L --sysroot --emit', { operands: optionFile }),
    commandOptions: set('linker -Clinker'),
  }),
  program('rustfmt', net('--config-path --config')),
  program('dotnet', {
    plainName: smallLetters,
    subcommands: subcommands(
      [
        ['tool exec script fsi', RUNS],
        ['run watch ef', { grant: 'subcommand', options: DOTNET }],
        ['--version --info --list-sdks --list-runtimes', { reads: true }],
        ['build test restore clean publish pack format list add remove new sln nuget', { options: DOTNET }],
      ],
      // Any other word is a library to run, or a tool of that name.
      { others: NEVER },
    ),
  }),
  ...compiler('gcc g++ cc c++ tcc', '-specs --specs -wrapper -dumpbase -aux-info -imacros', '-wrapper'),
  ...compiler('clang clang++', '-load --config -ccc-gcc-name', '-Xclang'),
  // The tools of binutils and LLVM read options from a file, too.
  ...programs('nm objdump readelf size addr2line', net('--plugin', { operands: optionFile })),
  program('ld', net('--plugin -Map --Map', { operands: optionFile })),
  program('clang-format', net('--files', { operands: optionFile })),
  ...programs('protoc buf', {
    ...net('--plugin --descriptor_set_out --template', { operands: optionFile }),
    commandOptions: set('--plugin'),
  }),
];
