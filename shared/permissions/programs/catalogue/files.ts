/** Describes programs that list, read, copy, pack and remove files. */
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { folderSpellings, intoFolder } from '../record/into-folder.ts';
import { globsOfExpression, namesInExpression } from '../record/name-expressions.ts';
import { optionFile } from '../record/option-files.ts';
import { ANY_OPTION, optionSpec, type ReadOption } from '../record/options.ts';
import { firstOperand, HERE, intoHere, outputBehind } from '../record/outputs.ts';
import { NEVER, netOptions, type ProgramRecord, program, programs, set } from '../record/record.ts';
import { modeSpellings, ownerSpellings } from './file-modes.ts';

/** Programs that only read their operands, under any option. */
const READS = { options: ANY_OPTION, reads: true } as const;

const FIND_WORDS =
  '-name:1 -iname:1 -path:1 -ipath:1 -wholename:1 -iwholename:1 -lname:1 -ilname:1 -type:1 -xtype:1 -maxdepth:1 -mindepth:1 -size:1 -mtime:1 -mmin:1 -atime:1 -amin:1 -ctime:1 -cmin:1 -newer:1 -anewer:1 -cnewer:1 -newermt:1 -empty -perm:1 -user:1 -group:1 -uid:1 -gid:1 -regex:1 -iregex:1 -regextype:1 -links:1 -inum:1 -samefile:1 -print -print0 -printf:1 -prune -ls -quit -true -false -not -and -or -a -o -L -P -H -depth -d -follow -xdev -mount -daystart -noleaf -nouser -nogroup -readable -writable -executable -used:1 -fstype:1 -ignore_readdir_race -noignore_readdir_race -warn -nowarn -D:1 -O1 -O2 -O3';

/** With no other words find takes all that it meets. */
const FIND_NEUTRAL =
  '-delete -type -xtype -depth -d -mindepth -maxdepth -xdev -mount -follow -print -print0 -ls -prune -a -and -daystart -noleaf -warn -nowarn -ignore_readdir_race -noignore_readdir_race -true';

const hasOption = (options: readonly ReadOption[], ...names: readonly string[]): boolean =>
  options.some(({ name }) => names.includes(name));

/** Lets tar list an archive, and do no more. */
function tarOperands(_: readonly Field[], options: readonly ReadOption[]): string | undefined {
  return hasOption(options, '-t', '--list') ? undefined : 'tar that does more than list';
}

/** Characters of a format of `date` that print no letter of the caller's choice. */
const DATE_CHARACTERS = '+%-_:0123456789FTYmdHMSsjyNZz';

const onlyOptions = (words: readonly string[]): boolean => words.every((word) => word.startsWith('-'));

/** `tr`, `seq` and their like take no file. */
const TEXT_ONLY = { ...READS, paths: { text: true } } as const;

/** Options of GNU tools that copy or move, none of which names another file. */
const COPIES = 'abdfinpPrRsuvxHLT';

/** A suffix makes another name of a backup: `cp -b -S c x .npmr` writes `.npmrc`. */
const SUFFIX = '-S --suffix';
const COPYING = netOptions(SUFFIX, {
  flags: COPIES,
  long: '--no-target-directory',
  longValues: '--target-directory',
});

export const FILES: readonly ProgramRecord[] = [
  program('ls', {
    ...READS,
    printsNames: true,
    paths: { texts: set('-I --ignore --hide --time-style --sort --format') },
  }),
  ...programs('cat tac head tail', { ...READS, passesLines: true }),
  ...programs('dir vdir', READS),
  ...programs(
    'nl rev cut paste join comm cmp column fold fmt expand unexpand pr od hexdump hd ' +
      'stat readlink realpath basename dirname cksum sum b2sum colordiff ' +
      'md5 md5sum sha1sum sha224sum sha256sum sha384sum sha512sum shasum exa eza lsd namei',
    READS,
  ),
  program('strings', {
    options: netOptions('', { flags: 'afow', values: 'nteTs', operands: optionFile }),
    reads: true,
  }),
  // By default they print, and all the same they have options that name a file to write.
  program('diffstat', { options: netOptions('-o -e'), reads: true }),
  ...programs('base64 base32 basenc', { options: netOptions('-o --output'), reads: true }),
  ...programs('zcat bzcat xzcat lzcat zstdcat lz4cat', {
    options: netOptions('-o --output --trace --files --files0 --filelist --rm'),
    reads: true,
  }),
  program('lsof', {
    options: netOptions('', {
      flags: 'abClnNoOPRtUvVX',
      // The letter is within protocols, too: `-iUDP`.
      whole: (words) => (words.some(({ text }) => text.startsWith('-D')) ? 'a file that it keeps' : undefined),
    }),
    reads: true,
  }),
  // The option `-c` chooses columns.
  ...programs('csvcut csvgrep csvsort csvlook csvstat', { options: netOptions('', { values: 'cmrd' }) }),
  program('diff', {
    walks: 'r',
    options: netOptions('', { flags: 'o' }),
    reads: true,
    paths: { texts: set('-x --exclude -I -F') },
  }),
  program('diff3', { options: netOptions('--diff-program'), reads: true }),
  program('sdiff', { options: netOptions('-o --output --diff-program') }),
  ...programs('tr seq sleep groups free locale cal pgrep pidof w', TEXT_ONLY),
  ...programs('whoami id uname nproc tty', { ...TEXT_ONLY, printsLocation: onlyOptions }),
  program('mktemp', { options: ANY_OPTION, printsLocation: (words) => words.every((word) => word === '-d') }),
  // An operand of `who`, `last` or `uptime` names a file to read.
  ...programs('who last uptime', READS),
  // With `e` it prints the environment of every process, as it does on macOS with `-E`.
  program('ps', {
    options: netOptions('-E', {
      flags: 'AaCcdefFHjlLmMNrSTvwxXyZ1',
      values: 'oOpuUgGtkqs',
    }),
    paths: { text: true },
    reads: (operands) => operands.every(({ text }) => text.includes(',') || !text.includes('e')),
  }),
  ...programs('which whereis', TEXT_ONLY),
  // Without an operand it prints; with one it sets.
  program('hostname', {
    options: ANY_OPTION,
    paths: { text: true, files: set('-F --file') },
    printsLocation: onlyOptions,
  }),
  program('df', READS),
  program('du', {
    options: netOptions('--files0-from --exclude-from -X'),
    reads: true,
    paths: { texts: set('--exclude') },
  }),
  program('wc', { options: netOptions('--files0-from'), reads: true }),
  program('xxd', {
    options: netOptions('-r --revert', { values: 'closgnR' }),
    reads: true,
    // The second file is written.
    writes: (operands) => outputBehind(operands),
  }),
  program('file', {
    reads: true,
    options: optionSpec({
      flags: 'biLkhpnNsvE0',
      values: 'FP',
      long: '--brief --mime --mime-type --mime-encoding --dereference --keep-going --no-dereference --preserve-date --extension --no-pad --apple --no-buffer --raw --special-files --version',
      longValues: '--separator --parameter',
      harmful:
        '--files-from --magic-file --compile --uncompress --uncompress-noreport --list --exclude --exclude-quiet --checking-printout --debug',
    }),
  }),
  program('tree', {
    reads: true,
    options: optionSpec({
      flags: 'adflxsphugDFqNCnriQt',
      values: 'LPI',
      long: '--dirsfirst --noreport --du --prune --gitignore --matchdirs --sort',
      longValues: '--charset --filelimit',
      harmful: '--fromfile --fromtabfile --infofile --gitfile --info --output',
    }),
    paths: { texts: set('-I -P') },
  }),
  program('find gfind bfs', {
    reads: true,
    // A format prints what it likes.
    lists: (options) => !hasOption(options, '-printf'),
    walks: '\0',
    options: optionSpec({ words: FIND_WORDS }),
    execs: set('-exec -execdir -ok -okdir'),
    search: { leading: set('-H -L -P -O0 -O1 -O2 -O3'), neutral: set(FIND_NEUTRAL) },
    paths: {
      texts: set('-printf -type -size -mtime -mmin -newermt -perm -user -group -maxdepth -mindepth'),
      globs: set('-name -iname -path -ipath -wholename -iwholename -lname -ilname'),
      scriptFiles: (text, before) => (/^-i?regex$/.test(before) ? globsOfExpression(text) : []),
    },
  }),
  program('fd fdfind', {
    walks: '\0',
    reads: true,
    lists: true,
    options: optionSpec({
      flags: 'HIusigFalLp0q1',
      values: 'dteESjco',
      long: '--hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --prune --quiet --show-errors --strip-cwd-prefix --one-file-system --and',
      longValues:
        '--max-depth --min-depth --exact-depth --type --extension --exclude --size --changed-within --changed-before --threads --color --max-results --owner',
      harmful:
        '--exec --exec-batch --base-directory --search-path --ignore-file --path-separator --batch-size --format --hyperlink',
    }),
    execs: set('-x -X --exec --exec-batch'),
    paths: {
      texts: set('-E --exclude -t --type -d --max-depth -e --extension -c --color'),
      globs: set('-g --glob'),
      scriptFiles: namesInExpression,
    },
  }),
  program('tee gtee', {
    passesLines: true,
    options: optionSpec({ flags: 'aip', long: '--append --ignore-interrupts --output-error' }),
    writes: (operands) => operands,
    edits: true,
  }),
  program('touch', { options: ANY_OPTION, edits: true, each: true }),
  program('mkdir', { options: ANY_OPTION, edits: true, each: true, paths: { texts: set('-m --mode') } }),
  program('cp', {
    walks: 'rRa',
    options: COPYING,
    // A link leads to its source, `-t` takes the next word, and `--parents` writes below a folder of the source's name.
    copies: (options) => options.every(({ name }) => !/^-\w*[lst]|^--(?:[lst]|pa)/.test(name)),
    edits: true,
    implied: intoFolder,
    spellings: folderSpellings,
  }),
  program('mv', {
    walks: '',
    options: COPYING,
    edits: true,
    implied: intoFolder,
    spellings: folderSpellings,
  }),
  ...programs(
    'rm rmdir unlink shred srm rimraf trash trash-put del rd wipe erase Remove-Item ri grm grmdir gunlink gshred',
    {
      walks: 'rR',
      options: optionSpec({ others: 'cover', long: '--recursive --force --interactive --verbose --dir --parents' }),
      deletes: true,
    },
  ),
  program('ln', { options: { ...COPYING, flags: 'sfnrvbiPLT' }, implied: intoFolder, spellings: folderSpellings }),
  program('sponge', { options: ANY_OPTION, writes: (operands) => operands, edits: true }),
  ...programs('truncate mkfifo mknod', { options: ANY_OPTION, each: true }),
  ...programs('umount swapoff rmmod wipefs lvremove vgremove pvremove ifdown', { each: true }),
  program('chmod', { options: ANY_OPTION, walks: 'R', each: true, spellings: modeSpellings }),
  program('chown', { options: ANY_OPTION, walks: 'R', each: true, spellings: ownerSpellings }),
  ...programs('chgrp setfacl chattr', { options: ANY_OPTION, walks: 'R', each: true }),
  program('install', {
    implied: intoFolder,
    spellings: folderSpellings,
    options: netOptions(`--strip-program ${SUFFIX}`, {
      long: '--no-target-directory',
      longValues: '--target-directory',
    }),
  }),
  program('dd', {
    goals: true,
    options: ANY_OPTION,
    writes: (operands) =>
      operands.flatMap(({ text }) => (text.startsWith('of=') ? [literalField(text.slice('of='.length))] : [])),
  }),
  program('patch', {
    patches: true,
    options: netOptions('-o --output -i --input -d --directory -r -z --suffix -Y -B --basename-prefix'),
    // Without an operand the patch names the files.
    writes: (operands) => (operands.length > 0 ? operands.slice(0, 1) : HERE),
  }),
  // Codex brings it along: the patch is a word of the command, or its input.
  ...programs('apply_patch applypatch', { patches: true, writes: intoHere }),
  program('split', {
    options: netOptions('--filter'),
    commandOptions: set('--filter'),
    writes: ({ 1: prefix }) => [prefix ?? literalField('x')],
    // `split f .en` writes `.env` at last.
    implied: (words) =>
      words.filter((word) => !word.startsWith('-')).flatMap((word, at) => (at > 0 ? [`${word}*`] : [])),
  }),
  program('csplit', { options: netOptions('-f --prefix'), writes: intoHere }),
  program('iconv', { options: netOptions('-o --output'), reads: true }),
  program('tar gtar bsdtar star', {
    options: optionSpec({
      flags: 'tvzjJp',
      values: 'f',
      bundle: true,
      long: '--list --verbose --gzip --bzip2 --xz --zstd --auto-compress --numeric-owner --full-time --utc --totals --wildcards --no-wildcards',
      longValues: '--file --exclude --strip-components',
      harmful:
        '--use-compress-program --to-command --checkpoint-action --checkpoint --create --extract --get --append --update --delete --concatenate --directory --files-from --exclude-from --rsh-command --rmt-command --info-script --new-volume-script --owner-map --group-map --index-file --listed-incremental --volno-file',
      value: (_name, value) => (value.text.includes(':') ? 'an archive on another machine' : undefined),
      operands: tarOperands,
    }),
    commandOptions: set(
      '--to-command --checkpoint-action -I --use-compress-program -F --info-script --new-volume-script --rsh-command --rmt-command',
    ),
    paths: { texts: set('--exclude') },
  }),
  program('zip', {
    walks: 'r',
    options: netOptions('-T -TT --unzip-command --test -O --output-file -m --move', {
      values: 'xibnt',
    }),
    writes: firstOperand,
    commandOptions: set('-TT --unzip-command'),
    paths: { texts: set('-x --exclude') },
  }),
  program('unzip', {
    options: netOptions('-d -o -f -u', { flags: 'lvtpZqn1', values: 'x' }),
    writes: (_, options) => (hasOption(options, '-l', '-v', '-t', '-p', '-Z') ? [] : HERE),
  }),
  // The file within says which names they write.
  ...programs('uudecode munpack ripmime', { ...READS, reads: false, writes: intoHere }),
  // The words are code of perl, or patterns for new names.
  ...programs('rename prename file-rename perl-rename mmv zmv vidir', NEVER),
  program('uniq', {
    passesLines: true,
    reads: true,
    options: optionSpec({
      flags: 'cdDiuz',
      values: 'fsw',
      long: '--count --repeated --ignore-case --unique --zero-terminated --all-repeated --group',
      longValues: '--skip-fields --skip-chars --check-chars',
    }),
    // The second file is written; a glob may be both.
    writes: (operands) => outputBehind(operands, 2),
  }),
  program('shuf', {
    passesLines: true,
    reads: true,
    options: optionSpec({
      flags: 'ezr',
      values: 'ni',
      long: '--echo --zero-terminated --repeat',
      longValues: '--head-count --input-range',
      harmful: '--output --random-source',
    }),
  }),
  program('sort gsort', {
    passesLines: true,
    reads: true,
    options: optionSpec({
      flags: 'bdfghiMnRrVzcCmsu',
      values: 'ktS',
      long: '--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --zero-terminated --check --merge --stable --unique --debug --sort',
      longValues: '--key --field-separator --buffer-size --parallel --batch-size',
      harmful: '--output --temporary-directory --compress-program --files0-from --random-source',
    }),
    commandOptions: set('--compress-program'),
  }),
  program('date gdate', {
    printsLocation: (words) => words.every((word) => [...word].every((char) => DATE_CHARACTERS.includes(char))),
    reads: true,
    options: optionSpec({
      flags: 'uRjn',
      values: 'drvz',
      optionals: 'I',
      long: '--utc --universal --rfc-email --debug --iso-8601 --rfc-3339',
      longValues: '--date --reference',
      harmful: '--set --file --resolution',
      operands: (operands) => (operands.some((field) => !field.text.startsWith('+')) ? 'setting the clock' : undefined),
    }),
    paths: { texts: set('-d --date') },
  }),
  program('less', {
    reads: true,
    options: optionSpec({
      flags: 'NSRFXiInMmeEcrsgGKqQwWu',
      long: '--LINE-NUMBERS --chop-long-lines --RAW-CONTROL-CHARS --quit-if-one-screen --no-init --ignore-case --IGNORE-CASE --squeeze-blank-lines',
      harmful: '--log-file --LOG-FILE --lesskey-file --tag-file --tag --lesskey-src --lesskey-content --force',
      operands: plusOperands,
    }),
    commandOptions: set('+'),
  }),
  // No `-p`: where `more` is `less` by another name, its value is a command.
  program('more pg', { reads: true, options: optionSpec({ flags: 'dflcsu', numbers: true, operands: plusOperands }) }),
  program('most', { reads: true, options: optionSpec({ flags: 'bwvtCz', operands: plusOperands }) }),
  program('man', {
    reads: true,
    options: optionSpec({
      flags: 'kfwaIiWu',
      long: '--apropos --whatis --where --path --all --match-case --ignore-case',
      harmful:
        '--pager --html --browser --preprocessor --troff --ditroff --config-file --local-file --recode --encoding --manpath --systems --gxditview',
      // With a slash it is a file, which may include any other.
      operands: (operands) => (operands.some(({ text }) => text.includes('/')) ? 'a file that it formats' : undefined),
    }),
    commandOptions: set('-P --pager -H --html'),
  }),
  program('bat batcat', {
    reads: true,
    options: optionSpec({
      others: 'net',
      // `bat cache --build` writes.
      harmful: '--pager --config-file --build --clear',
      values: 'lrH',
      longValues: '--style --theme --language --line-range --paging --color --highlight-line --file-name',
    }),
    commandOptions: set('--pager'),
  }),
  program('delta', {
    options: netOptions('--pager --config'),
    commandOptions: set('--pager'),
  }),
  // A binding runs a command as well without a blank: `start:become:sh`.
  program('fzf sk', {
    reads: true,
    options: optionSpec({
      flags: '+imex0123456789',
      values: 'qfdn',
      long: '--multi --exact --reverse --ansi --cycle --select-1 --exit-0 --no-sort --tac --read0 --print0 --no-mouse --sync --print-query',
      longValues:
        '--query --filter --delimiter --nth --with-nth --height --layout --border --prompt --header --color --tiebreak --algo --scheme --info',
      harmful: '--bind --preview --history --listen --listen-unsafe --with-shell --become --walker-root --tmux',
    }),
    commandOptions: set('--preview --bind --with-shell'),
  }),
  // Interactive programs show and change whatever a person types.
  ...programs('mc nnn visudo vipw crontab-ui', NEVER),
  ...programs('ranger lf vifm', { grant: 'never', commandOptions: set('-c --cmd -command') }),
];

/** A command to an editor or pager. */
export function plusOperands(operands: readonly Field[]): string | undefined {
  return operands.some((field) => field.text.startsWith('+')) ? 'a command to an editor or pager' : undefined;
}
