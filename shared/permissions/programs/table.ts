/** The option table (rules.md, "Commands"): what a prefix allow covers of programs that can execute, write or read elsewhere. */
import {
  curlValue,
  dateOperands,
  dockerOperands,
  jqOperands,
  noAssignments,
  noCommand,
  plusOperands,
  scriptOperand,
  tarOperands,
  webOperands,
  wgetValue,
  wgetWrites,
} from './operands.ts';
import { type OptionSpec, optionSpec } from './options.ts';
import { isHarmlessAwk, isHarmlessSed, isHarmlessYq } from './scripts.ts';

const FIND_WORDS =
  '-name:1 -iname:1 -path:1 -ipath:1 -wholename:1 -iwholename:1 -lname:1 -ilname:1 -type:1 -xtype:1 -maxdepth:1 -mindepth:1 -size:1 -mtime:1 -mmin:1 -atime:1 -amin:1 -ctime:1 -cmin:1 -newer:1 -anewer:1 -cnewer:1 -newermt:1 -empty -perm:1 -user:1 -group:1 -uid:1 -gid:1 -regex:1 -iregex:1 -regextype:1 -links:1 -inum:1 -samefile:1 -print -print0 -printf:1 -prune -ls -quit -true -false -not -and -or -a -o -L -P -H -depth -d -follow -xdev -mount -daystart -noleaf -nouser -nogroup -readable -writable -executable -used:1 -fstype:1 -ignore_readdir_race -noignore_readdir_race -warn -nowarn -D:1 -O1 -O2 -O3';

export const PROGRAMS: ReadonlyMap<string, OptionSpec> = new Map<string, OptionSpec>([
  ['find', optionSpec({ words: FIND_WORDS })],
  [
    'fd',
    optionSpec({
      flags: 'HIusigFalLp0q1',
      values: 'dteESjco',
      long: '--hidden --no-ignore --no-ignore-vcs --unrestricted --case-sensitive --ignore-case --glob --regex --fixed-strings --absolute-path --list-details --follow --full-path --print0 --prune --quiet --show-errors --strip-cwd-prefix --one-file-system --and',
      longValues:
        '--max-depth --min-depth --exact-depth --type --extension --exclude --size --changed-within --changed-before --threads --color --max-results --owner',
      harmful:
        '--exec --exec-batch --base-directory --search-path --ignore-file --path-separator --batch-size --format --hyperlink',
    }),
  ],
  [
    'rg',
    optionSpec({
      flags: 'inlcvwxFSsouPUHhINLpaq0.',
      values: 'ABCegtTmMjdrE',
      long: '--ignore-case --line-number --files-with-matches --files-without-match --files --count --count-matches --invert-match --word-regexp --line-regexp --fixed-strings --smart-case --case-sensitive --only-matching --unrestricted --pcre2 --multiline --multiline-dotall --with-filename --no-filename --no-line-number --heading --no-heading --hidden --no-ignore --no-ignore-vcs --follow --pretty --text --quiet --null --json --stats --vimgrep --column --trim --crlf --passthru --no-messages --type-list --debug --no-config --one-file-system --sort-files --binary --no-unicode --max-columns-preview',
      longValues:
        '--after-context --before-context --context --regexp --glob --iglob --type --type-not --max-count --max-columns --max-depth --max-filesize --threads --replace --encoding --color --colors --sort --sortr --context-separator --path-separator --engine --dfa-size-limit --regex-size-limit',
      harmful:
        '--pre --pre-glob --hostname-bin --search-zip --file --ignore-file --type-add --hyperlink-format --generate',
    }),
  ],
  [
    'sed',
    optionSpec({
      flags: 'nErsuz',
      // No `-l`: only GNU's has a value, and with BSD's the next word would be an option or the script.
      values: 'e',
      long: '--quiet --silent --regexp-extended --separate --unbuffered --null-data --posix --debug --sandbox --follow-symlinks',
      longValues: '--expression --line-length',
      harmful: '--in-place --file',
      operands: scriptOperand(isHarmlessSed, ['-e', '--expression'], 'sed'),
    }),
  ],
  [
    'awk',
    optionSpec({
      values: 'Fv',
      long: '--posix --traditional --sandbox --re-interval --version',
      longValues: '--field-separator --assign',
      harmful: '--file --exec --source --include --load --dump-variables --profile --pretty-print --debug --gen-pot',
      operands: scriptOperand(isHarmlessAwk, [], 'awk'),
    }),
  ],
  [
    'sort',
    optionSpec({
      flags: 'bdfghiMnRrVzcCmsu',
      values: 'ktS',
      long: '--ignore-leading-blanks --dictionary-order --ignore-case --general-numeric-sort --human-numeric-sort --ignore-nonprinting --month-sort --numeric-sort --random-sort --reverse --version-sort --zero-terminated --check --merge --stable --unique --debug --sort',
      longValues: '--key --field-separator --buffer-size --parallel --batch-size',
      harmful: '--output --temporary-directory --compress-program --files0-from --random-source',
    }),
  ],
  [
    'tar',
    optionSpec({
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
  ],
  [
    'curl',
    optionSpec({
      flags: 'sSfLIivkgG01246N#',
      values: 'XHAmdue',
      long: '--silent --show-error --fail --fail-with-body --location --head --include --verbose --insecure --get --compressed --no-progress-meter --progress-bar --http1.0 --http1.1 --http2 --http3 --ipv4 --ipv6 --globoff --no-buffer --tlsv1.2 --tlsv1.3 --ssl-reqd --path-as-is --retry-connrefused --retry-all-errors',
      longValues:
        '--request --header --user-agent --max-time --connect-timeout --retry --retry-delay --retry-max-time --data --data-raw --data-ascii --data-urlencode --json --url --user --referer --max-redirs --limit-rate --proto --url-query',
      harmful:
        '--output --remote-name --remote-name-all --output-dir --upload-file --form --form-string --data-binary --config --cert --key --cacert --capath --cookie --cookie-jar --dump-header --proxy --socks5 --unix-socket --abstract-unix-socket --netrc --netrc-file --netrc-optional --trace --trace-ascii --stderr --write-out --engine --interface --resolve --connect-to --next --create-dirs --etag-save --etag-compare --hsts --libcurl --egd-file --random-file --ftp-account --mail-from --quote --telnet-option --proto-redir --doh-url --dns-servers --preproxy --pubkey --krb --delegation --alt-svc',
      value: curlValue,
      operands: webOperands,
    }),
  ],
  [
    'wget',
    optionSpec({
      flags: 'qSvnc46d',
      values: 'tTlARO',
      long: '--quiet --server-response --verbose --no-verbose --spider --no-clobber --continue --no-check-certificate --https-only --show-progress --no-cookies --no-hsts',
      longValues:
        '--output-document --tries --timeout --wait --level --user-agent --header --max-redirect --accept --reject --method',
      harmful:
        '--recursive --no-parent --timestamping --no-directories --force-directories --mirror --page-requisites --output-file --append-output --directory-prefix --input-file --execute --config --use-askpass --post-file --body-file --post-data --body-data --load-cookies --save-cookies --hsts-file --certificate --private-key --ca-certificate --warc-file --rejected-log --base --choose-config --unlink',
      value: wgetValue,
      operands: webOperands,
      writes: wgetWrites,
    }),
  ],
  // Its options are its own, and some run programs.
  ['aria2c', optionSpec({ operands: webOperands, writes: wgetWrites })],
  [
    'less',
    optionSpec({
      flags: 'NSRFXiInMmeEcrsgGKqQwWu',
      long: '--LINE-NUMBERS --chop-long-lines --RAW-CONTROL-CHARS --quit-if-one-screen --no-init --ignore-case --IGNORE-CASE --squeeze-blank-lines',
      harmful: '--log-file --LOG-FILE --lesskey-file --tag-file --tag --lesskey-src --lesskey-content --force',
      operands: plusOperands,
    }),
  ],
  // No `-p`: where `more` is `less` by another name, its value is a command.
  ['more', optionSpec({ flags: 'dflcsu', numbers: true, operands: plusOperands })],
  ['most', optionSpec({ flags: 'bwvtCz', operands: plusOperands })],
  [
    'man',
    optionSpec({
      flags: 'kfwaIiWu',
      long: '--apropos --whatis --where --path --all --match-case --ignore-case',
      harmful:
        '--pager --html --browser --preprocessor --troff --ditroff --config-file --local-file --recode --encoding --manpath --systems --gxditview',
    }),
  ],
  ['vim', optionSpec({ flags: 'RnyZ', operands: plusOperands })],
  [
    'make',
    optionSpec({
      flags: 'ksnBqirRwdpSt',
      values: 'o',
      optionals: 'jl',
      long: '--keep-going --silent --quiet --dry-run --just-print --always-make --question --ignore-errors --no-builtin-rules --print-directory --no-print-directory --trace --debug --jobs --load-average --output-sync --stop --touch --version --warn-undefined-variables --print-data-base',
      harmful:
        '--file --makefile --directory --include-dir --eval --environment-overrides --old-file --new-file --what-if --assume-new --assume-old --shuffle',
      operands: noAssignments,
    }),
  ],
  ['ssh', optionSpec({ flags: 'vqtT46CNnxya', values: 'pl', operands: noCommand })],
  ['scp', optionSpec({ flags: 'rpqCv46B', values: 'Pl' })],
  ['sftp', optionSpec({ flags: 'rpqCv46a', values: 'Pl' })],
  [
    'rsync',
    optionSpec({
      flags: 'avzrnhPucilptgoDHAXxSWqkLK8d',
      long: '--archive --verbose --compress --recursive --dry-run --human-readable --progress --partial --update --checksum --itemize-changes --links --perms --times --group --owner --delete --delete-after --delete-before --delete-during --delete-excluded --stats --size-only --ignore-existing --existing --inplace --whole-file --numeric-ids --quiet --relative --no-perms --no-owner --no-group --list-only --cvs-exclude',
      longValues: '--exclude --include --max-size --min-size --bwlimit --timeout --info',
      harmful:
        '--rsh --rsync-path --filter --files-from --exclude-from --include-from --log-file --temp-dir --password-file --daemon --config --backup-dir --partial-dir --compare-dest --copy-dest --link-dest --write-batch --read-batch --only-write-batch --early-input --remote-option --sockopts --iconv --remove-source-files --address --protect-args',
    }),
  ],
  [
    'docker',
    optionSpec({
      // Without the number behind `-n`: podman's has none.
      flags: 'aqnfs',
      long: '--all --quiet --no-trunc --size --latest --timestamps --details --digests --follow',
      longValues: '--filter --format --tail --since --until --last --type',
      harmful:
        '--host --context --config --tlscacert --tlscert --tlskey --output --file --env-file --volume --mount --privileged',
      operands: dockerOperands('docker'),
    }),
  ],
  [
    'kubectl',
    optionSpec({
      flags: 'AwR',
      values: 'nolL',
      long: '--all-namespaces --watch --show-labels --no-headers --previous --timestamps --all-containers --show-kind --recursive --server-print --ignore-not-found',
      longValues:
        '--namespace --output --selector --field-selector --sort-by --container --tail --since --api-version --chunk-size',
      harmful:
        '--kubeconfig --context --server --token --as --filename --kustomize --template --exec --user --cluster --certificate-authority --client-key --client-certificate --raw',
      value: (_name, value) => (value.text.includes('file=') ? 'an output that reads a file' : undefined),
      operands: dockerOperands('kubectl'),
    }),
  ],
  [
    'jq',
    optionSpec({
      flags: 'rcsnSejaMCR0',
      long: '--raw-output --compact-output --slurp --null-input --sort-keys --exit-status --join-output --ascii-output --monochrome-output --color-output --raw-input --tab --unbuffered --stream --seq --args --jsonargs --arg --argjson',
      longValues: '--indent',
      harmful:
        '--from-file --slurpfile --rawfile --library-path --run-tests --stream-errors --build-configuration --raw-output0',
      operands: jqOperands,
    }),
  ],
  [
    'yq',
    optionSpec({
      flags: 'rPeCMNjn0',
      values: 'oIp',
      long: '--unwrapScalar --prettyPrint --exit-status --colors --no-colors --no-doc --null-input --tojson',
      longValues: '--output-format --input-format --indent',
      harmful: '--inplace --split-exp --split-exp-file --from-file --expression --front-matter --in-place',
      operands: (operands) =>
        scriptOperand(isHarmlessYq, [], 'yq')?.(
          operands[0] !== undefined && EVALS.has(operands[0].text) ? operands.slice(1) : operands,
          [],
          [],
        ),
    }),
  ],
  [
    'date',
    optionSpec({
      flags: 'uRjn',
      values: 'drvz',
      optionals: 'I',
      long: '--utc --universal --rfc-email --debug --iso-8601 --rfc-3339',
      longValues: '--date --reference',
      harmful: '--set --file --resolution',
      operands: dateOperands,
    }),
  ],
  [
    'file',
    optionSpec({
      flags: 'biLkhpnNsvE0',
      values: 'FP',
      long: '--brief --mime --mime-type --mime-encoding --dereference --keep-going --no-dereference --preserve-date --extension --no-pad --apple --no-buffer --raw --special-files --version',
      longValues: '--separator --parameter',
      harmful:
        '--files-from --magic-file --compile --uncompress --uncompress-noreport --list --exclude --exclude-quiet --checking-printout --debug',
    }),
  ],
  [
    'tee',
    optionSpec({
      flags: 'aip',
      long: '--append --ignore-interrupts --output-error',
      writes: (operands) => operands,
    }),
  ],
  ['crontab', optionSpec({ flags: 'l', operands: (operands) => (operands.length > 0 ? 'a new crontab' : undefined) })],
  ['nc', optionSpec({ flags: 'zvn46tu', values: 'w' })],
  [
    'dd',
    optionSpec({
      operands: (operands) => (operands.some((field) => field.text.startsWith('of=')) ? 'a write by dd' : undefined),
    }),
  ],
  [
    'tree',
    optionSpec({
      flags: 'adflxsphugDFqNCnriQt',
      values: 'LPI',
      long: '--dirsfirst --noreport --du --prune --gitignore --matchdirs --sort',
      longValues: '--charset --filelimit',
      harmful: '--fromfile --fromtabfile --infofile --gitfile --info --output',
    }),
  ],
  [
    'uniq',
    optionSpec({
      flags: 'cdDiuz',
      values: 'fsw',
      long: '--count --repeated --ignore-case --unique --zero-terminated --all-repeated --group',
      longValues: '--skip-fields --skip-chars --check-chars',
      operands: (operands) => (operands.length > 1 ? 'a second file, which uniq writes' : undefined),
    }),
  ],
  [
    'shuf',
    optionSpec({
      flags: 'ezr',
      values: 'ni',
      long: '--echo --zero-terminated --repeat',
      longValues: '--head-count --input-range',
      harmful: '--output --random-source',
    }),
  ],
]);

const EVALS: ReadonlySet<string> = new Set(['e', 'eval', 'ea', 'eval-all']);

/** Other names of the same programs. */
export const ALIASES: ReadonlyMap<string, string> = new Map([
  ['gfind', 'find'],
  ['bfs', 'find'],
  ['fdfind', 'fd'],
  ['ripgrep', 'rg'],
  ['gsed', 'sed'],
  ['gawk', 'awk'],
  ['mawk', 'awk'],
  ['nawk', 'awk'],
  ['original-awk', 'awk'],
  ['gsort', 'sort'],
  ['gtar', 'tar'],
  ['bsdtar', 'tar'],
  ['view', 'vim'],
  ['vi', 'vim'],
  ['nvim', 'vim'],
  ['ex', 'vim'],
  ['gvim', 'vim'],
  ['rvim', 'vim'],
  ['vimdiff', 'vim'],
  ['gmake', 'make'],
  ['bmake', 'make'],
  ['podman', 'docker'],
  ['nerdctl', 'docker'],
  ['oc', 'kubectl'],
  ['gojq', 'jq'],
  ['jaq', 'jq'],
  ['gdate', 'date'],
  ['ncat', 'nc'],
  ['netcat', 'nc'],
  ['gtee', 'tee'],
  ['pg', 'more'],
]);
