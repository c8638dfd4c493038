/** Describes programs that search names or texts, or transform texts by a pattern or a script. */
import type { Field } from '../../shell/syntax/fields.ts';
import { isHarmlessAwk } from '../record/awk.ts';
import { type OptionSpec, optionSpec, type ReadOption } from '../record/options.ts';
import { netOptions, type ProgramRecord, program, programs, RUNS, SHOWS, set, subcommands } from '../record/record.ts';
import { isHarmlessJq, isHarmlessSed, isHarmlessYq, namesNoModule, sedFiles } from '../record/scripts.ts';

/** Scripts that only transform text; `options` are those that give one. */
function scriptOperand(
  check: (script: string) => boolean,
  scriptOptions: readonly string[],
  what: string,
): OptionSpec['operands'] {
  return (operands: readonly Field[], options: readonly ReadOption[]) => {
    const given = options.filter((option) => scriptOptions.includes(option.name));
    const scripts = given.length > 0 ? given.map((option) => option.value) : [operands[0]];
    for (const script of scripts) {
      if (script === undefined) continue;
      if (!script.isKnown || !check(script.text)) return `a script of ${what} that may do more than transform text`;
    }
    return undefined;
  };
}

function jqOperands([script]: readonly Field[], options: readonly ReadOption[]): string | undefined {
  // Versions of jq differ in the words that an attached name takes.
  if (options.some(({ name, value }) => name.startsWith('--arg') && value !== undefined)) return 'a variable of jq';
  return script !== undefined && !(script.isKnown && isHarmlessJq(script.text))
    ? 'a script of jq that may read the environment or files'
    : undefined;
}

const EVALS = set('e eval ea eval-all');

const GREP_PATHS = {
  pattern: set('-e --regexp -f --file'),
  texts: set('-e --regexp --exclude --exclude-dir -m --max-count -A -B -C --label'),
  globs: set('--include'),
} as const;

const IN_PLACE = set('-i --in-place');

export const SEARCH: readonly ProgramRecord[] = [
  // In PowerShell it filters by code: `gci | where { rm x }`.
  program('where', { subcommands: subcommands([['{', RUNS]], { harmless: '-FilterScript', others: SHOWS }) }),
  program('tldr', {
    options: netOptions('-r --render -e -E --edit-page --edit-patch'),
    paths: { text: true, files: set('-r --render') },
  }),
  ...programs('grep egrep fgrep zgrep bzgrep xzgrep', {
    walks: 'rR',
    passesLines: true,
    reads: true,
    options: netOptions('-f --file --exclude-from', {
      flags: 'ivwxcnlLhHoqsrRzZaIUTPEFGb',
      values: 'eABCm',
      long: '--only-matching --files-with-matches --files-without-match --with-filename --no-filename --exclude-dir',
      longValues:
        '--regexp --include --exclude --color --colour --context --after-context --before-context --max-count --binary-files',
      numbers: true,
    }),
    // A label stands for the standard input's name.
    lists: (options) =>
      options.some(({ name }) => ['-l', '-L', '--files-with-matches', '--files-without-match'].includes(name)) &&
      !options.some(({ name }) => name.startsWith('--la')),
    paths: GREP_PATHS,
  }),
  program('rg ripgrep', {
    walks: '',
    passesLines: true,
    reads: true,
    options: optionSpec({
      flags: 'inlcvwxFSsouPUHhINLpaq0.',
      values: 'ABCegtTmMjdrE',
      long: '--ignore-case --line-number --files-with-matches --files-without-match --files --count --count-matches --invert-match --word-regexp --line-regexp --fixed-strings --smart-case --case-sensitive --only-matching --unrestricted --pcre2 --multiline --multiline-dotall --with-filename --no-filename --no-line-number --heading --no-heading --hidden --no-ignore --no-ignore-vcs --follow --pretty --text --quiet --null --json --stats --vimgrep --column --trim --crlf --passthru --no-messages --type-list --debug --no-config --one-file-system --sort-files --binary --no-unicode --max-columns-preview --version',
      longValues:
        '--after-context --before-context --context --regexp --glob --iglob --type --type-not --max-count --max-columns --max-depth --max-filesize --threads --replace --encoding --color --colors --sort --sortr --context-separator --path-separator --engine --dfa-size-limit --regex-size-limit',
      harmful:
        '--pre --pre-glob --hostname-bin --search-zip --file --ignore-file --type-add --hyperlink-format --generate',
    }),
    lists: (options) =>
      options.some(({ name }) => ['-l', '--files-with-matches', '--files-without-match', '--files'].includes(name)),
    commandOptions: set('--pre --hostname-bin'),
    paths: {
      pattern: set('-e --regexp -f --file --files --type-list'),
      texts: set('-e --regexp -r --replace -t --type -T --type-not -m -A -B -C --color --sort --max-depth'),
      globs: set('-g --glob --iglob'),
    },
  }),
  ...programs('ag ack', {
    walks: '',
    reads: true,
    options: netOptions('--pager --path-to-ignore -p --ackrc --files-from -x', { flags: 'o' }),
    commandOptions: set('--pager'),
    paths: { pattern: set('--match'), texts: set('--ignore --ignore-dir'), globs: set('-G') },
  }),
  program('ugrep ug', {
    walks: '',
    reads: true,
    options: netOptions(
      '-f --file --exclude-from --include-from --filter --filter-magic-label --pager --view --config --save-config --query -Q --ignore-files --index',
      { flags: 'ivwxcnlLhHoqsrRzZaIUPEFG', values: 'eABCmgtO', longValues: '--regexp --include --exclude --context' },
    ),
    commandOptions: set('--filter --pager --view'),
    paths: GREP_PATHS,
  }),
  program('ast-grep sg-grep', { options: netOptions('-U --update-all') }),
  program('sed gsed ssed', {
    reads: true,
    options: optionSpec({
      flags: 'nErsuz',
      // An attached value names a backup.
      optionals: 'i',
      // No `-l`: only GNU's has a value, and with BSD's the next word would be an option or the script.
      values: 'e',
      long: '--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --follow-symlinks --in-place',
      longValues: '--expression --line-length',
      harmful: '--file',
      operands: (operands, options, ruleWords) =>
        scriptOperand(isHarmlessSed, ['-e', '--expression'], 'sed')?.(operands, options, ruleWords) ??
        inPlaceProblem(operands, options),
    }),
    writes: sedWrites,
    edits: true,
    paths: {
      pattern: set('-e --expression -f --file'),
      script: isHarmlessSed,
      scriptFiles: sedFiles,
      scripts: set('-e --expression'),
      texts: set('-l --line-length'),
    },
  }),
  program('awk gawk mawk nawk original-awk goawk', {
    reads: true,
    options: optionSpec({
      values: 'Fv',
      long: '--posix --traditional --sandbox --re-interval --version',
      longValues: '--field-separator --assign',
      harmful: '--file --exec --source --include --load --dump-variables --profile --pretty-print --debug --gen-pot',
      operands: scriptOperand(isHarmlessAwk, [], 'awk'),
    }),
    paths: {
      pattern: set('-f --file -e --source -E --exec'),
      script: isHarmlessAwk,
      texts: set('-F --field-separator'),
      variables: set('-v --assign'),
    },
  }),
  program('jq gojq jaq', {
    reads: true,
    options: optionSpec({
      flags: 'rcsnSejaMCR0',
      long: '--raw-output --compact-output --slurp --null-input --sort-keys --exit-status --join-output --ascii-output --monochrome-output --color-output --raw-input --tab --unbuffered --stream --seq --args --jsonargs',
      longValues: '--indent',
      words: '--arg:2 --argjson:2',
      harmful:
        '--from-file --slurpfile --rawfile --library-path --run-tests --stream-errors --build-configuration --raw-output0',
      operands: jqOperands,
    }),
    paths: { pattern: set('-f --from-file'), script: namesNoModule },
  }),
  program('mlr', {
    options: netOptions('-I --prepipe --prepipex --load --mload -s', {
      flags: 'onrqSx',
      whole: millerProblem,
    }),
  }),
  ...programs('yq xq tomlq', {
    reads: true,
    options: optionSpec({
      flags: 'rPeCMNjn0i',
      values: 'oIp',
      long: '--inplace --in-place --unwrapScalar --prettyPrint --exit-status --colors --no-colors --no-doc --null-input --tojson',
      longValues: '--output-format --input-format --indent',
      harmful: '--split-exp --split-exp-file --from-file --expression --front-matter',
      operands: (operands, options) =>
        scriptOperand(isHarmlessYq, [], 'yq')?.(behindEval(operands), [], []) ??
        (isInPlace(options) && yqWrites(operands, options).length === 0 ? 'an edit of no certain file' : undefined),
    }),
    writes: yqWrites,
    edits: true,
    paths: { pattern: set('--from-file --expression'), script: isHarmlessYq, patternOrFile: true },
  }),
];

/** Code of Miller that runs a command, or reads the environment. */
const MILLER_RUNS = /\b(?:system|exec|ENV)\b/;
/** Code of Miller that writes elsewhere than to its output. */
const MILLER_WRITES = /\b(?:tee|e?print\w*|emit\w*|e?dump)\b[^;}]*[>|]/;

/** Verbs that write files, and code behind `put` and `filter`. */
function millerProblem(words: readonly Field[]): string | undefined {
  if (words.some(({ text }) => text === 'tee' || text === 'split')) return 'a verb of Miller that writes files';
  const at = words.findIndex(({ text }) => text === 'put' || text === 'filter');
  const harms = ({ text, isKnown }: Field): boolean =>
    !isKnown || text === '-f' || MILLER_RUNS.test(text) || MILLER_WRITES.test(text);
  return at >= 0 && words.slice(at).some(harms) ? 'code of Miller that may do more than transform records' : undefined;
}

/** `-i.bak` and `--in-place=x` write a second file, which a suffix with a slash puts anywhere. */
function inPlaceProblem(operands: readonly Field[], options: readonly ReadOption[]): string | undefined {
  const inPlace = options.filter(({ name }) => IN_PLACE.has(name));
  if (inPlace.some(({ value }) => value !== undefined)) return 'a backup file of sed';
  // Elsewhere than in GNU's, the word behind `-i` is the suffix, and the script is another.
  const unclear = inPlace.length > 0 && (operands[0]?.text === '' || sedWrites(operands, options).length === 0);
  return unclear ? 'an edit of no certain file' : undefined;
}

const behindEval = (operands: readonly Field[]): readonly Field[] =>
  operands[0] !== undefined && EVALS.has(operands[0].text) ? operands.slice(1) : operands;

const isInPlace = (options: readonly ReadOption[]): boolean =>
  options.some(({ name }) => IN_PLACE.has(name) || name === '--inplace');

/** With `-i` yq writes the files behind its expression. */
function yqWrites(operands: readonly Field[], options: readonly ReadOption[]): readonly Field[] {
  return isInPlace(options) ? behindEval(operands).slice(1) : [];
}

/** With `-i` sed writes the files behind its script. */
function sedWrites(operands: readonly Field[], options: readonly ReadOption[]): readonly Field[] {
  if (!options.some(({ name }) => IN_PLACE.has(name))) return [];
  return options.some(({ name }) => name === '-e' || name === '--expression') ? operands : operands.slice(1);
}
