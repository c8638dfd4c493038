/** Lists options of git's sub-commands: harmless ones, and those by which `git config` writes. */
import type { Field } from '../../shell/syntax/fields.ts';
import { UNKNOWN } from '../../text/unknown.ts';
import { insideOnly, operandsInside, targetInside } from '../record/elsewhere.ts';
import { type OptionSpec, optionSpec } from '../record/options.ts';
import { set } from '../record/record.ts';

/** Showing commits and differences; without `--output`, `--ext-diff`, `--textconv`, `-O` and `--no-index`. */
const SHOWING = {
  flags: 'pusawbBMCDREFPiqcmrtgzv',
  values: 'nSGLl',
  optionals: 'U',
  numbers: true,
  long: '--oneline --stat --graph --all --decorate --abbrev-commit --no-abbrev-commit --name-only --name-status --patch --no-patch --numstat --shortstat --summary --cached --staged --color --no-color --word-diff --color-words --ignore-all-space --ignore-space-change --ignore-blank-lines --follow --first-parent --merges --no-merges --reverse --topo-order --date-order --author-date-order --left-right --cherry --cherry-pick --cherry-mark --no-decorate --full-history --simplify-by-decoration --branches --tags --remotes --compact-summary --dirstat --raw --full-index --binary --abbrev --find-renames --find-copies --no-renames --check --text --exit-code --quiet --minimal --patience --histogram --no-prefix --merge-base --boundary --show-pulls --ancestry-path --parents --children --relative-date --walk-reflogs --all-match --invert-grep --regexp-ignore-case --extended-regexp --fixed-strings --perl-regexp --no-notes --no-ext-diff --no-textconv --no-mailmap --use-mailmap --patch-with-stat --unified --relative --pickaxe-all --pickaxe-regex --ignore-cr-at-eol --ignore-space-at-eol --function-context --cc --dd --combined-all-paths --root --no-color-moved --color-moved --submodule --ignore-submodules --stdin --source --decorate-refs --count --no-walk --do-walk --pretty --format --date --since --until --after --before --author --committer --grep --max-count --skip --diff-filter --diff-algorithm --inter-hunk-context --stat-width --exclude --glob --min-parents --max-parents --encoding --line-prefix --src-prefix --dst-prefix --ws-error-highlight --numbered --email --group --no-commit-id --indent-heuristic --no-indent-heuristic',
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
const ARCHIVE = '--output --remote --exec';
const TRANSFER =
  '--upload-pack --receive-pack --exec --server-option --upload-archive --config --template --reference --reference-if-able --separate-git-dir --bundle-uri --filter';

export const OPTIONS: ReadonlyMap<string, OptionSpec> = new Map([
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
      flags: 'sbvz',
      optionals: 'u',
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
      values: 'mCcF',
      value: insideOnly('-F', '--file'),
      long: '--all --verbose --quiet --amend --no-edit --allow-empty --allow-empty-message --signoff --no-signoff --no-verify --verify --dry-run --short --porcelain --branch --reset-author --only --include --no-status --status --no-post-rewrite --author --date --cleanup --no-gpg-sign',
      longValues: '--message --reuse-message --fixup --squash --trailer --file',
      harmful: '--template --edit --gpg-sign --interactive --patch --pathspec-from-file --reedit-message',
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
      long: '--verbose --quiet --progress --no-checkout --single-branch --no-single-branch --no-tags --shallow-submodules --sparse --no-local --local',
      longValues: '--branch --origin --depth --shallow-since',
      harmful: `${TRANSFER} --recurse-submodules --recursive --remote-submodules --dissociate --shared --bare --mirror`,
      operands: (operands) => remoteOperands(operands) ?? targetInside(operands),
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
      long: '--autosquash --no-autosquash --rebase-merges --update-refs --abort --continue --skip --quit --onto --quiet --verbose --autostash --no-autostash --no-verify --stat --no-stat --keep-base --fork-point',
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
      long: '--batch-check --buffer --unordered',
      harmful: '--batch --batch-command --textconv --filters --path',
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
      long: '--quiet',
      longValues: '--initial-branch',
      // A bare repository is plain files, and whoever may edit them chooses what `git status` runs there.
      harmful: '--template --separate-git-dir --bare',
      operands: operandsInside,
    }),
  ],
  [
    'config',
    optionSpec({
      flags: 'lz',
      long: '--get --get-all --get-regexp --list --local --global --system --show-origin --show-scope --name-only --null --bool --int --type',
      harmful: '--file --edit --blob --includes',
      whole: (words) => (configWrites(words.map(({ text }) => text)) ? 'a change of the configuration' : undefined),
    }),
  ],
  [
    'check-ignore',
    optionSpec({ flags: 'qvnz', long: '--quiet --verbose --non-matching --no-index', harmful: '--stdin' }),
  ],
  ['check-attr', optionSpec({ flags: 'az', long: '--all --cached', harmful: '--stdin' })],
  ['clean', optionSpec({ flags: 'nqdxXf', values: 'e', long: '--dry-run --quiet --force', harmful: '--interactive' })],
  [
    'apply',
    optionSpec({
      flags: 'vR3',
      values: 'pC',
      long: '--stat --numstat --summary --check --index --cached --3way --reverse --reject --verbose --quiet --recount --unidiff-zero --whitespace --allow-empty',
      longValues: '--exclude --include',
      harmful: '--unsafe-paths --directory --build-fake-ancestor --intent-to-add',
    }),
  ],
  [
    'format-patch',
    optionSpec({
      flags: 'nNskp',
      values: 'v',
      numbers: true,
      long: '--stdout --numbered --no-numbered --cover-letter --signoff --no-stat --quiet --zero-commit --thread --no-thread --keep-subject',
      longValues: '--subject-prefix --reroll-count --base',
      harmful: '--output-directory --output --attach --inline --signature-file --description-file',
    }),
  ],
  ['worktree', optionSpec({ flags: 'vf', values: 'bB', long: '--porcelain --verbose --force --detach --no-checkout' })],
  ['submodule', optionSpec({ flags: 'q', long: '--quiet --recursive --cached --init --remote' })],
  ['bisect', optionSpec({})],
  ['archive', optionSpec({ flags: 'vl', long: '--format --prefix --list --verbose', harmful: ARCHIVE })],
  ['fsck', optionSpec({ long: '--full --strict --no-dangling --unreachable --progress --connectivity-only' })],
  ['version', optionSpec({ long: '--build-options' })],
  ['cherry', optionSpec({ flags: 'v', long: '--verbose --abbrev' })],
  ['merge-tree', optionSpec({ long: '--write-tree --name-only --messages' })],
  ['notes', optionSpec({ values: 'm' })],
  ['sparse-checkout', optionSpec({ long: '--cone --no-cone' })],
  ['lfs', optionSpec({ flags: 'ls', long: '--all --size' })],
]);

/** `git config` with a value, and its siblings, write `.git/config`; the words before the first operand, or that operand itself, decide. */
const CONFIG_WRITES = set('--add --unset --unset-all --replace-all --rename-section --remove-section -e --edit');
const CONFIG_READS = set('--get --get-all --get-regexp --get-urlmatch -l --list --get-color --get-colorbool');
const CONFIG_VALUES = set('-f --file --blob --type --default --comment --value');
const CONFIG_READING_WORDS = set('get list');
const CONFIG_WRITING_WORDS = set('set unset edit rename-section remove-section');
// Where the shell may make several words of a key, the second one would be its value.
const GLOB_CHARACTERS = ['*', '?', '[', UNKNOWN];

/** Whether the words after `git config` change anything: git reads no option behind the first operand. */
export function configWrites(rest: readonly string[]): boolean {
  let at = 0;
  for (; at < rest.length && (rest[at] as string).startsWith('-'); at++) {
    const word = rest[at] as string;
    if (CONFIG_WRITES.has(word)) return true;
    if (CONFIG_READS.has(word)) return false;
    if (CONFIG_VALUES.has(word)) at += 1;
  }
  const operands = rest.slice(at);
  const first = operands[0] ?? '';
  if (CONFIG_WRITING_WORDS.has(first)) return true;
  // As a key `get` has no section: a git that knows no such sub-command refuses it.
  const isSeveral = operands.length >= 2 || (first !== '' && GLOB_CHARACTERS.some((each) => first.includes(each)));
  return !CONFIG_READING_WORDS.has(first) && isSeveral;
}
