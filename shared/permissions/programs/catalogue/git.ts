/** Records `git`: harmless options, ways to run other programs, and files that it writes. */
import type { Field } from '../../shell/syntax/fields.ts';
import { operandsInside } from '../record/elsewhere.ts';
import type { OptionSpec, ReadOption } from '../record/options.ts';
import { lastOperand } from '../record/outputs.ts';
import {
  type CommandRecord,
  GROUP,
  NAMED,
  named,
  net,
  type PathRoles,
  type ProgramRecord,
  program,
  runner,
  set,
  subcommands,
} from '../record/record.ts';
import { configWrites, OPTIONS } from './git-options.ts';
import { PUSH } from './git-push.ts';

/** Before the sub-command. */
const HARMLESS =
  '-C -P --no-pager --version --help --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice';
const VALUES =
  '-C -c --git-dir --work-tree --namespace --exec-path --super-prefix --config-env --attr-source --list-cmds';

/** Sub-commands of which only these words are harmless, and those of them that change nothing. */
const FIRST_OPERAND: ReadonlyMap<
  string,
  readonly [harmless: ReadonlySet<string>, reading: ReadonlySet<string>, readsAlone?: false]
> = new Map<string, readonly [ReadonlySet<string>, ReadonlySet<string>, false?]>([
  ['reflog', [set('show list exists HEAD'), set('show list exists HEAD')]],
  ['remote', [set('show get-url prune update'), set('show get-url')]],
  ['stash', [set('push list show pop apply drop branch save clear'), set('list show'), false]],
  ['worktree', [set('list prune remove lock unlock'), set('list')]],
  ['submodule', [set('status summary init update sync deinit absorbgitdirs'), set('status summary')]],
  ['bisect', [set('start good bad old new skip reset log'), set('log')]],
  ['notes', [set('list show add append'), set('list show')]],
  ['sparse-checkout', [set('list set add disable reapply'), set('list')]],
  ['lfs', [set('ls-files status env version track pull fetch'), set('ls-files status env version')]],
]);

const READING = set(
  'log show diff shortlog whatchanged rev-list diff-tree diff-index diff-files range-diff status blame ls-files ls-tree cat-file rev-parse ' +
    'describe for-each-ref show-ref merge-base name-rev count-objects grep version check-ignore check-attr cherry fsck config',
);

/** Listing branches or tags: no option that makes, moves or removes one, and a name only to choose by. */
const LISTING = set(
  '-a -r -v -vv -l -i -n --list --all --remotes --verbose --show-current --merged --no-merged --contains --no-contains --sort --points-at --format --color --no-color --column --no-column --ignore-case --abbrev --no-abbrev',
);
const LISTS = set('-l --list --merged --no-merged --contains --no-contains --points-at');

function onlyLists(operands: readonly Field[], options: readonly ReadOption[]): boolean {
  const names = options.map(({ name }) => name);
  return names.every((name) => LISTING.has(name)) && (operands.length === 0 || names.some((name) => LISTS.has(name)));
}

/** Sub-commands whose operands are commits before they are files. */
const OF_REVISIONS = set(
  'log show diff shortlog whatchanged rev-list diff-tree diff-index range-diff rev-parse describe merge-base name-rev blame reset rebase ' +
    'merge cherry-pick revert checkout switch branch tag reflog cherry',
);

/** Values that are messages, patterns and formats. */
const TEXTS =
  '--message --grep --author --committer --format --since --until --after --before --date --trailer --fixup --squash --sort --exclude --match --origin --subject-prefix';
/** Short options whose value is text, by sub-command. */
const SHORT_TEXTS: ReadonlyMap<string, string> = new Map([
  ['commit', '-m'],
  ['tag', '-m'],
  ['merge', '-m'],
  ['stash', '-m'],
  ['notes', '-m'],
  ['grep', '-e -A -B -C -m'],
  ['ls-files', '-x'],
  ['clean', '-e'],
  ['clone', '-b -o --branch'],
  ['checkout', '-b -B'],
  ['switch', '-c -C'],
  ...['log', 'show', 'diff', 'shortlog', 'whatchanged', 'rev-list', 'diff-tree', 'range-diff', 'reflog'].map(
    (name) => [name, '-S -G -n'] as const,
  ),
]);

function pathsOf(name: string): PathRoles {
  return {
    texts: set(`${TEXTS} ${SHORT_TEXTS.get(name) ?? ''}`),
    // `git check-ignore` prints whether a file is ignored, and opens none.
    ...(name === 'check-ignore' ? { text: true } : {}),
    ...(name === 'grep' ? { pattern: set('-e -f') } : {}),
    ...(OF_REVISIONS.has(name) ? { revisions: true } : {}),
    globOperands: true,
  };
}

/** A revision that git always knows: of any other, `rev-parse` prints the word itself. */
const isHead = (word: string): boolean => {
  const rest = ['HEAD', 'ORIG_HEAD', 'FETCH_HEAD', 'MERGE_HEAD', '@'].find((each) => word.startsWith(each));
  return rest !== undefined && [...word.slice(rest.length)].every((char) => '~^0123456789'.includes(char));
};

/** Options of `rev-parse` that print a location, a name or a number. Git prints an unknown option unchanged. */
const REV_PARSE = set(
  '--abbrev-ref --short --verify --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-bare-repository --symbolic-full-name -q --quiet',
);

/** Sub-commands that print a place, a revision or a name that git has checked, and with which words. */
const PRINTS_PLACE: ReadonlyMap<string, CommandRecord['printsLocation']> = new Map([
  ['rev-parse', (words) => words.every((word) => REV_PARSE.has(word) || isHead(word))],
  ['branch', (words) => words.length === 1 && words[0] === '--show-current'],
  ...['merge-base', 'describe', 'rev-list', 'symbolic-ref'].map(
    (name) => [name, (words: readonly string[]) => words.every((word) => !word.startsWith('--format'))] as const,
  ),
]);

function recordOf(name: string, options: OptionSpec): CommandRecord {
  const first = FIRST_OPERAND.get(name);
  const reads =
    name === 'branch' || name === 'tag'
      ? onlyLists
      : first === undefined
        ? READING.has(name)
        : (operands: readonly Field[]) =>
            operands[0] === undefined ? first[2] !== false : first[1].has(operands[0].text);
  return {
    // The long name of clone's option is one of every sub-command.
    ...(name === 'clone' ? { commandOptions: set('-u') } : {}),
    options:
      first === undefined
        ? options
        : {
            ...options,
            operands: (operands, given, words) => {
              const operand = operands[0];
              return operand === undefined || first[0].has(operand.text)
                ? options.operands?.(operands, given, words)
                : `git ${name} ${operand.text.slice(0, 40)}`;
            },
          },
    reads,
    each: name === 'checkout' ? 'behind --' : EACH.has(name),
    paths: pathsOf(name),
    implied: impliedBy(name),
    printsLocation: PRINTS_PLACE.get(name),
    ...(name === 'ls-files' || name === 'diff' ? { lists: (given) => listsFiles(name, given) } : {}),
    ...(name === 'apply' ? { patches: true } : {}),
    ...(name === 'push' ? PUSH : {}),
    ...(name === 'bisect' || name === 'submodule' || name === 'rebase'
      ? { runner: runner('options', { anywhere: true }) }
      : {}),
  };
}

/** Sub-commands that do the same to each operand, and have no verb for it. */
const EACH = set('branch tag restore clean reset cherry-pick revert merge submodule');

/** Names alone: a format or a prefix would print what the command likes before them. */
const listsFiles = (name: string, given: readonly ReadOption[]): boolean =>
  (name === 'ls-files' || given.some((each) => each.name === '--name-only')) &&
  !given.some((each) => each.name === '--format' || each.name.endsWith('-prefix'));

const REMOTE_WRITES = set('add rename remove rm set-url set-head set-branches');

/** git reads its options before the first operand only. */
function configFile(rest: readonly string[]): string {
  const end = rest.findIndex((word) => !word.startsWith('-'));
  const options = end < 0 ? rest : rest.slice(0, end);
  if (options.includes('--global')) return '~/.gitconfig';
  return options.includes('--system') ? '/etc/gitconfig' : '.git/config';
}

/** The configuration files that the words behind such a sub-command change. */
function impliedBy(name: string): CommandRecord['implied'] {
  if (name === 'config') return (rest) => (configWrites(rest) ? [configFile(rest)] : []);
  const changing =
    name === 'remote' ? REMOTE_WRITES : name === 'submodule' || name === 'worktree' ? set('add') : undefined;
  return (
    changing && ((rest) => (changing.has(rest.find((word) => !word.startsWith('-')) ?? '') ? ['.git/config'] : []))
  );
}

export const GIT: readonly ProgramRecord[] = [
  program('git', {
    commandOptions: set(
      '-c --upload-pack --receive-pack --exec -x --env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter --tag-name-filter --extcmd -O --open-files-in-pager',
    ),
    subcommands: subcommands(
      [
        ...[...OPTIONS].map(([name, options]) => [name, recordOf(name, options)] as const),
        ['am', { ...NAMED, patches: true }],
        [
          'bundle',
          {
            subcommands: subcommands(
              [['create', { ...GROUP, ...net('', { operands: (operands) => operandsInside(operands.slice(0, 1)) }) }]],
              { others: GROUP },
            ),
          },
        ],
        ['pack-objects', { ...NAMED, writes: lastOperand }],
        ['fast-export', named('--export-marks')],
        // Prints passwords of the store.
        ['credential', { ...NAMED, implied: (words) => (words.includes('fill') ? ['~/.git-credentials'] : []) }],
      ],
      // Any other sub-command may be an alias, which runs a command of the configuration.
      {
        values: VALUES,
        harmless: HARMLESS,
        inside: '-C',
        others: NAMED,
      },
    ),
  }),
];
