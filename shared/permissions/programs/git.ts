/** What a prefix allow covers of `git`: harmless options of harmless sub-commands. Unknown ones, aliases among them, ask. */
import type { Field } from '../shell/fields.ts';
import { configWrites } from '../shell/git-config.ts';
import { type OptionSpec, optionSpec, readOptions } from './options.ts';

const GLOBAL = optionSpec({
  flags: 'P',
  long: '--no-pager --version --help --no-optional-locks --no-replace-objects --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-lazy-fetch --no-advice',
});

/** Showing commits and differences; without `--output`, `--ext-diff`, `--textconv`, `-O` and `--no-index`. */
const SHOWING = {
  flags: 'pusawbBMCDREFPiqcmrtgzv',
  values: 'nSGLl',
  optionals: 'U',
  numbers: true,
  long: '--oneline --stat --graph --all --decorate --abbrev-commit --no-abbrev-commit --name-only --name-status --patch --no-patch --numstat --shortstat --summary --cached --staged --color --no-color --word-diff --color-words --ignore-all-space --ignore-space-change --ignore-blank-lines --follow --first-parent --merges --no-merges --reverse --topo-order --date-order --author-date-order --left-right --cherry --cherry-pick --cherry-mark --no-decorate --full-history --simplify-by-decoration --branches --tags --remotes --compact-summary --dirstat --raw --full-index --binary --abbrev --find-renames --find-copies --no-renames --check --text --exit-code --quiet --minimal --patience --histogram --no-prefix --merge-base --boundary --show-pulls --ancestry-path --parents --children --relative-date --walk-reflogs --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --no-notes --no-ext-diff --no-textconv --no-mailmap --use-mailmap --patch-with-stat --unified --relative --pickaxe-all --pickaxe-regex --ignore-cr-at-eol --ignore-space-at-eol --function-context --cc --dd --combined-all-paths --root --no-color-moved --color-moved --submodule --ignore-submodules --stdin --source --decorate-refs --count --no-walk --do-walk --pretty --format --date --since --until --after --before --author --committer --grep --max-count --skip --diff-filter --diff-algorithm --inter-hunk-context --stat-width --exclude --glob --min-parents --max-parents --encoding --line-prefix --src-prefix --dst-prefix --ws-error-highlight --numbered --email --group --indent-heuristic --no-indent-heuristic',
  longValues: '',
  harmful:
    '--output --ext-diff --textconv --no-index --show-signature --exec --open-files-in-pager --order-file --output-indicator-new --output-indicator-old --output-indicator-context --notes --remerge-diff --exclude-standard',
} as const;

/** A remote helper (`ext::sh -c …`) runs a program; a name that starts with a dash is an option to someone. */
function remoteOperands(operands: readonly Field[]): string | undefined {
  const bad = operands.find(
    (field) =>
      field.text.includes('::') ||
      field.text.startsWith('-') ||
      field.text.includes('://-') ||
      field.text.includes('@-'),
  );
  return bad === undefined ? undefined : 'a remote that may run a program';
}

const SHOW = optionSpec(SHOWING);
const TRANSFER =
  '--upload-pack --receive-pack --exec --server-option --upload-archive --config --template --reference --reference-if-able --separate-git-dir --bundle-uri --filter';

const SUBCOMMANDS: ReadonlyMap<string, OptionSpec> = new Map([
  ['log', SHOW],
  ['show', SHOW],
  ['diff', SHOW],
  // `-n` sorts here, and takes no number.
  ['shortlog', optionSpec({ ...SHOWING, flags: `${SHOWING.flags}ne`, values: 'SGLl' })],
  ['whatchanged', SHOW],
  ['rev-list', SHOW],
  ['diff-tree', SHOW],
  ['diff-index', SHOW],
  ['diff-files', SHOW],
  ['range-diff', SHOW],
  ['reflog', SHOW],
  [
    'status',
    optionSpec({
      flags: 'sbvzu',
      long: '--short --branch --porcelain --long --verbose --untracked-files --ignored --show-stash --ahead-behind --no-ahead-behind --column --no-column --renames --no-renames --find-renames --ignore-submodules --null',
    }),
  ],
  [
    'branch',
    optionSpec({
      flags: 'arvqlidDmMcCftu',
      values: 'u',
      long: '--list --all --remotes --verbose --show-current --merged --no-merged --contains --no-contains --sort --points-at --format --color --no-color --column --no-column --delete --move --copy --force --track --no-track --set-upstream-to --unset-upstream --quiet --ignore-case --abbrev --no-abbrev --create-reflog',
      harmful: '--edit-description',
    }),
  ],
  [
    'tag',
    optionSpec({
      flags: 'lnafd',
      values: 'm',
      long: '--list --annotate --delete --force --contains --no-contains --merged --no-merged --points-at --sort --format --color --column --no-column --ignore-case --create-reflog',
      longValues: '--message',
      harmful: '--file --sign --local-user --verify --edit --cleanup --trailer',
    }),
  ],
  [
    'add',
    optionSpec({
      flags: 'AunvfN',
      long: '--all --update --no-all --dry-run --verbose --force --intent-to-add --refresh --ignore-errors --ignore-missing --renormalize --sparse --ignore-removal',
      harmful: '--interactive --patch --edit --pathspec-from-file --pathspec-file-nul --chmod',
    }),
  ],
  [
    'commit',
    optionSpec({
      flags: 'avqnszip',
      values: 'mCc',
      long: '--all --verbose --quiet --amend --no-edit --allow-empty --allow-empty-message --signoff --no-signoff --no-verify --verify --dry-run --short --porcelain --branch --reset-author --only --include --no-status --status --no-post-rewrite --author --date --cleanup --no-gpg-sign',
      longValues: '--message --reuse-message --fixup --squash --trailer',
      harmful: '--file --template --edit --gpg-sign --interactive --patch --pathspec-from-file --reedit-message',
    }),
  ],
  [
    'push',
    optionSpec({
      flags: 'ufnvqd46',
      values: 'o',
      long: '--set-upstream --force --force-with-lease --force-if-includes --no-force-with-lease --tags --all --branches --mirror --dry-run --verbose --quiet --delete --no-verify --verify --porcelain --follow-tags --no-follow-tags --prune --atomic --thin --no-thin --progress --ipv4 --ipv6',
      longValues: '--push-option',
      harmful: `${TRANSFER} --repo --signed --recurse-submodules`,
      operands: remoteOperands,
    }),
  ],
  [
    'fetch',
    optionSpec({
      flags: 'apftnvqk46m',
      values: 'j',
      long: '--all --prune --prune-tags --tags --no-tags --force --dry-run --verbose --quiet --unshallow --multiple --append --atomic --keep --progress --depth --deepen --shallow-since --porcelain --no-recurse-submodules --ipv4 --ipv6 --set-upstream --update-shallow --refetch',
      longValues: '--jobs',
      harmful: TRANSFER,
      operands: remoteOperands,
    }),
  ],
  [
    'pull',
    optionSpec({
      flags: 'apftnvqkr46',
      values: 'j',
      long: '--all --prune --tags --no-tags --force --dry-run --verbose --quiet --rebase --no-rebase --ff --ff-only --no-ff --no-edit --squash --no-squash --stat --no-stat --autostash --no-autostash --unshallow --depth --progress --commit --no-commit --verify --no-verify --no-recurse-submodules',
      longValues: '--jobs',
      harmful: `${TRANSFER} --edit --strategy --gpg-sign`,
      operands: remoteOperands,
    }),
  ],
  [
    'clone',
    optionSpec({
      flags: 'vqnl46',
      values: 'bo',
      long: '--verbose --quiet --progress --no-checkout --bare --mirror --single-branch --no-single-branch --no-tags --shallow-submodules --sparse --no-local --local --depth --shallow-since',
      longValues: '--branch --origin',
      harmful: `${TRANSFER} --recurse-submodules --recursive --remote-submodules --dissociate --shared`,
      operands: remoteOperands,
    }),
  ],
  [
    'ls-remote',
    optionSpec({
      flags: 'qtbh',
      long: '--heads --branches --tags --refs --quiet --exit-code --get-url --symref --sort',
      harmful: TRANSFER,
      operands: remoteOperands,
    }),
  ],
  ['remote', optionSpec({ flags: 'v', long: '--verbose', operands: remoteOperands })],
  [
    'checkout',
    optionSpec({
      flags: 'bBqflmdt',
      long: '--quiet --force --detach --track --no-track --guess --no-guess --orphan --ours --theirs --merge --progress --overlay --no-overlay --ignore-other-worktrees',
      harmful: '--patch --pathspec-from-file --conflict --recurse-submodules',
    }),
  ],
  [
    'switch',
    optionSpec({
      flags: 'cCqfmdt',
      long: '--create --force-create --quiet --force --detach --track --no-track --guess --no-guess --orphan --discard-changes --merge --progress --ignore-other-worktrees',
      harmful: '--conflict --recurse-submodules',
    }),
  ],
  [
    'restore',
    optionSpec({
      flags: 'qSWm',
      values: 's',
      long: '--staged --worktree --quiet --ours --theirs --merge --progress --ignore-unmerged --overlay --no-overlay',
      longValues: '--source',
      harmful: '--patch --pathspec-from-file --conflict --recurse-submodules',
    }),
  ],
  [
    'reset',
    optionSpec({
      flags: 'qN',
      long: '--soft --mixed --hard --merge --keep --quiet --no-refresh --refresh',
      harmful: '--patch --pathspec-from-file --recurse-submodules',
    }),
  ],
  [
    'merge',
    optionSpec({
      flags: 'qvn',
      values: 'm',
      long: '--ff --ff-only --no-ff --no-edit --squash --no-squash --no-commit --commit --abort --continue --quit --quiet --verbose --stat --no-stat --no-verify --autostash --no-autostash --progress',
      longValues: '--message',
      harmful: '--edit --strategy --strategy-option --file --gpg-sign --into-name',
    }),
  ],
  [
    'stash',
    optionSpec({
      flags: 'uakqp',
      values: 'm',
      long: '--include-untracked --all --keep-index --no-keep-index --quiet --index --staged --stat --oneline',
      longValues: '--message',
      harmful: '--patch --pathspec-from-file',
    }),
  ],
  [
    'cherry-pick',
    optionSpec({
      flags: 'nxs',
      values: 'm',
      long: '--no-commit --abort --continue --skip --quit --signoff --ff --allow-empty',
      longValues: '--mainline',
      harmful: '--edit --strategy --gpg-sign',
    }),
  ],
  [
    'revert',
    optionSpec({
      flags: 'ns',
      values: 'm',
      long: '--no-commit --no-edit --abort --continue --skip --quit --signoff',
      longValues: '--mainline',
      harmful: '--edit --strategy --gpg-sign',
    }),
  ],
  [
    'rebase',
    optionSpec({
      flags: 'qvnf',
      long: '--abort --continue --skip --quit --onto --quiet --verbose --autostash --no-autostash --no-verify --stat --no-stat --keep-base --fork-point',
      harmful: '--exec --interactive --edit-todo --strategy --root --gpg-sign --show-current-patch',
    }),
  ],
  [
    'blame',
    optionSpec({
      flags: 'lstefnwpcbMCk',
      values: 'L',
      long: '--root --porcelain --line-porcelain --incremental --show-name --show-number --show-email --date --abbrev --first-parent --color-lines --color-by-age',
      harmful: '--contents --ignore-revs-file --ignore-rev',
    }),
  ],
  [
    'ls-files',
    optionSpec({
      flags: 'cdmoiskuzvtf',
      values: 'x',
      long: '--cached --deleted --modified --others --ignored --stage --killed --unmerged --exclude-standard --full-name --error-unmatch --deduplicate --eol --format',
      longValues: '--exclude',
      harmful: '--exclude-from --exclude-per-directory',
    }),
  ],
  [
    'ls-tree',
    optionSpec({
      flags: 'drtlz',
      long: '--name-only --name-status --long --full-name --full-tree --abbrev --object-only --format',
    }),
  ],
  [
    'cat-file',
    optionSpec({
      flags: 'tsep',
      long: '--batch-check --batch --buffer --unordered',
      harmful: '--textconv --filters --path',
    }),
  ],
  [
    'rev-parse',
    optionSpec({
      flags: 'q',
      long: '--verify --short --abbrev-ref --symbolic --symbolic-full-name --show-toplevel --show-prefix --show-cdup --git-dir --absolute-git-dir --git-common-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository --quiet --all --branches --tags --remotes --show-superproject-working-tree --is-shallow-repository --git-path --show-object-format',
    }),
  ],
  [
    'describe',
    optionSpec({
      long: '--all --tags --contains --always --dirty --broken --long --abbrev --match --exclude --candidates --exact-match --first-parent',
    }),
  ],
  [
    'for-each-ref',
    optionSpec({
      long: '--format --sort --count --contains --no-contains --merged --no-merged --points-at --ignore-case',
      harmful: '--shell --perl --python --tcl --stdin',
    }),
  ],
  [
    'show-ref',
    optionSpec({
      flags: 'dsq',
      long: '--head --tags --heads --branches --dereference --hash --verify --quiet --abbrev',
    }),
  ],
  ['merge-base', optionSpec({ flags: 'a', long: '--all --octopus --independent --is-ancestor --fork-point' })],
  ['name-rev', optionSpec({ long: '--tags --all --name-only --always --refs' })],
  ['count-objects', optionSpec({ flags: 'vH', long: '--verbose --human-readable' })],
  [
    'grep',
    optionSpec({
      flags: 'ivwnlLcqhHEGFPorapzs',
      values: 'ABCem',
      numbers: true,
      long: '--ignore-case --invert-match --word-regexp --line-number --files-with-matches --files-without-match --count --quiet --extended-regexp --basic-regexp --fixed-strings --perl-regexp --only-matching --all-match --and --or --not --show-function --function-context --heading --break --color --no-color --column --cached --untracked --name-only --full-name --context --after-context --before-context --max-depth --max-count --threads --recursive --no-recursive --null --text',
      longValues: '',
      harmful: '--open-files-in-pager --no-index --textconv --ext-grep --recurse-submodules',
    }),
  ],
  [
    'rm',
    optionSpec({
      flags: 'nrfq',
      long: '--dry-run --cached --force --quiet --ignore-unmatch --sparse',
      harmful: '--pathspec-from-file',
    }),
  ],
  ['mv', optionSpec({ flags: 'nfkv', long: '--dry-run --force --verbose --sparse' })],
  [
    'init',
    optionSpec({
      flags: 'qb',
      values: 'b',
      long: '--quiet --bare',
      longValues: '--initial-branch',
      harmful: '--template --separate-git-dir',
    }),
  ],
  ['version', optionSpec({ long: '--build-options' })],
  [
    'config',
    optionSpec({
      flags: 'lz',
      long: '--get --get-all --get-regexp --list --local --global --system --show-origin --show-scope --name-only --null --bool --int --type',
      harmful: '--file --edit --blob --includes',
      operands: (operands, options) =>
        configWrites([...options.map((option) => option.name), ...operands.map((field) => field.text)])
          ? 'a change of the configuration'
          : undefined,
    }),
  ],
]);

/** Sub-commands of which only these words are harmless. */
const FIRST_OPERAND: ReadonlyMap<string, ReadonlySet<string>> = new Map([
  ['reflog', new Set(['show', 'list', 'exists', 'HEAD'])],
  ['remote', new Set(['show', 'get-url', 'prune', 'update'])],
  ['stash', new Set(['push', 'list', 'show', 'pop', 'apply', 'drop', 'branch', 'save', 'clear'])],
]);

/** A reason why a prefix allow does not cover the words after `git`, or `undefined`. */
export function gitRefusal(fields: readonly Field[]): string | undefined {
  const at = fields.findIndex((field) => !field.text.startsWith('-'));
  const globals = readOptions(at < 0 ? fields : fields.slice(0, at), GLOBAL);
  if (typeof globals === 'string') return globals;
  if (at < 0) return undefined;
  const name = fields[at] as Field;
  const spec = SUBCOMMANDS.get(name.text);
  if (spec === undefined) return `the git command ${name.text.slice(0, 40)}`;
  const read = readOptions(fields.slice(at + 1), spec);
  if (typeof read === 'string') return read;
  const first = FIRST_OPERAND.get(name.text);
  const operand = read.operands[0];
  if (first !== undefined && operand !== undefined && !first.has(operand.text))
    return `git ${name.text} ${operand.text.slice(0, 40)}`;
  return spec.operands?.(read.operands, read.options, []);
}
