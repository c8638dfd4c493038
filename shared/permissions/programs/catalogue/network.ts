/** Describes programs that fetch, send and log in over the network. */
import { type Field, literalField } from '../../shell/syntax/fields.ts';
import { curlValue, curlWrites, webOperands, wgetValue, wgetWrites } from '../record/addresses.ts';
import { ANY_OPTION, optionSpec, type ReadOption } from '../record/options.ts';
import { localTarget, mayBeSeveral } from '../record/outputs.ts';
import {
  type CommandRecord,
  NEVER,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  runner,
  set,
  subcommands,
} from '../record/record.ts';
import { loginSpellings, unitSpellings } from './names/logins.ts';

/** Options of ssh that take the next word. */
const SSH_VALUES = '-B -b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w';

const SSH_FLAGS = '-4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -V -v -X -x -Y -y';

const noCommand = (operands: readonly Field[]): string | undefined =>
  operands.length > 1 || operands.some(mayBeSeveral) ? 'a command for the other machine' : undefined;

/** Programs that ask another machine and print the answer; no word of such a command is a path. */
const ASKS = { options: ANY_OPTION, paths: { text: true } } as const;

/** `POST URL NAME=VALUE`: the method may be left out, and of the address the host: `:3000/x`. */
function requestOperands(operands: readonly Field[], _: readonly ReadOption[], ruleWords: readonly string[]) {
  const [first, second] = operands;
  const address = second !== undefined && /^[A-Za-z]+$/.test(first?.text ?? '') ? second : first;
  if (address === undefined) return undefined;
  if (operands.slice(operands.indexOf(address) + 1).some(sendsFile)) return 'a file that it sends';
  return webOperands(
    [address.text.startsWith(':') ? literalField(`localhost${address.text}`) : address],
    [],
    ruleWords,
  );
}

/** `field@FILE`, `field=@FILE`, `field:=@FILE`; a backslash hides a sign. */
const sendsFile = ({ text, isKnown }: Field): boolean =>
  !isKnown || text.includes('\\') || /^[^=:;@]*(?:==?|:=?)?@/.test(text);

/** With one operand, or to be shown only, nothing is written. */
const rsyncWrites: CommandRecord['writes'] = (operands, options) =>
  (operands.length < 2 && !operands.some(mayBeSeveral)) ||
  options.some(({ name }) => ['-n', '--dry-run', '--list-only'].includes(name))
    ? []
    : localTarget(operands, options);

const OPENSSL: CommandRecord = {
  options: netOptions(
    '-unix -engine -provider-path -out -keyout -rand -writerand -CAcreateserial -CAserial -certsout -respout -reqout -sigout',
  ),
};

export const NETWORK: readonly ProgramRecord[] = [
  program('curl curlie', {
    fetches: true,
    expands: true,
    options: optionSpec({
      flags: 'sSfLIivkgG01246N#',
      values: 'XHAmdueow',
      long: '--silent --show-error --fail --fail-with-body --location --head --include --verbose --insecure --get --compressed --no-progress-meter --progress-bar --http1.0 --http1.1 --http2 --http3 --ipv4 --ipv6 --globoff --no-buffer --tlsv1.2 --tlsv1.3 --ssl-reqd --path-as-is --retry-connrefused --retry-all-errors --version',
      longValues:
        '--request --header --user-agent --max-time --connect-timeout --retry --retry-delay --retry-max-time --data --data-raw --data-ascii --data-urlencode --json --url --user --referer --max-redirs --limit-rate --proto --url-query --output --write-out',
      harmful:
        '--remote-name --remote-name-all --output-dir --upload-file --form --form-string --data-binary --config --cert --key --cacert --capath --cookie --cookie-jar --dump-header --proxy --socks5 --unix-socket --abstract-unix-socket --netrc --netrc-file --netrc-optional --trace --trace-ascii --stderr --engine --interface --resolve --connect-to --next --create-dirs --etag-save --etag-compare --hsts --libcurl --egd-file --random-file --ftp-account --mail-from --quote --telnet-option --proto-redir --doh-url --dns-servers --preproxy --pubkey --krb --delegation --alt-svc',
      value: curlValue,
      operands: webOperands,
    }),
    writes: curlWrites,
    paths: {
      texts: set('-A --user-agent -X --request -u --user -m --max-time -e --referer'),
      // `@FILE` holds the headers or the format, and `%output{FILE}` of a format is written.
      scripts: set('-H --header --proxy-header -w --write-out'),
      script: (text) => !text.startsWith('@') && !text.includes('%output{'),
      scriptFiles: (text) => [...text.matchAll(/%output\{(?:>>)?([^}]*)/g)].map((found) => found[1] as string),
    },
  }),
  program('wget', {
    fetches: true,
    options: optionSpec({
      flags: 'qSvnc46d',
      values: 'tTlARO',
      long: '--quiet --server-response --verbose --no-verbose --spider --no-clobber --continue --no-check-certificate --https-only --show-progress --no-cookies --no-hsts',
      longValues:
        '--output-document --tries --timeout --wait --level --user-agent --header --max-redirect --accept --reject --method',
      harmful:
        '--recursive --no-parent --timestamping --no-directories --force-directories --mirror --page-requisites --output-file --append-output --directory-prefix --input-file --execute --config --use-askpass --post-file --body-file --post-data --body-data --load-cookies --save-cookies --hsts-file --certificate --private-key --ca-certificate --warc-file --rejected-log --base --choose-config --unlink',
      value: wgetValue,
      operands: webOperands,
    }),
    writes: wgetWrites,
    paths: { texts: set('--user-agent --header') },
  }),
  // The options of aria2c are its own, and some run programs: a prefix covers none of them.
  program('aria2c', {
    options: optionSpec({ operands: webOperands }),
    writes: wgetWrites,
    commandOptions: set(
      '--on-download-start --on-download-pause --on-download-stop --on-download-complete --on-download-error --on-bt-download-complete',
    ),
  }),
  program('http https xh httpie', {
    options: netOptions('--download -d --output -o --session --session-read-only', {
      flags: 'fjvhbSp',
      operands: requestOperands,
    }),
  }),
  ...programs('lynx w3m links links2 elinks axel', {
    fetches: true,
    options: netOptions('-cfg -lss -eval -post_data -o -config', { operands: webOperands }),
  }),
  program('ssh slogin', {
    connects: 'host',
    spellings: loginSpellings,
    stdin: set(''),
    options: optionSpec({ flags: 'vqtT46CNnxya', values: 'pl', operands: noCommand }),
    commandOptions: set('-o'),
    runner: runner('options', { values: SSH_VALUES, flags: SSH_FLAGS, operands: 1, joins: true, anywhere: true }),
  }),
  program('scp', {
    connects: 'path',
    walks: 'r',
    options: optionSpec({ flags: 'rpqCv46B', values: 'Pl' }),
    commandOptions: set('-S -D -o'),
    writes: localTarget,
  }),
  program('sftp', {
    connects: 'host',
    stdin: true,
    options: optionSpec({ flags: 'rpqCv46a', values: 'Pl' }),
    commandOptions: set('-S -D -o'),
  }),
  program('rsync', {
    connects: 'path',
    walks: 'ra',
    options: optionSpec({
      flags: 'avzrnhPucilptgoDHAXxSWqkLK8d',
      long: '--archive --verbose --compress --recursive --dry-run --human-readable --progress --partial --update --checksum --itemize-changes --links --perms --times --group --owner --delete --delete-after --delete-before --delete-during --delete-excluded --stats --size-only --ignore-existing --existing --inplace --whole-file --numeric-ids --quiet --relative --no-perms --no-owner --no-group --list-only --cvs-exclude',
      longValues: '--exclude --include --max-size --min-size --bwlimit --timeout --info',
      harmful:
        '--rsh --rsync-path --filter --files-from --exclude-from --include-from --log-file --temp-dir --password-file --daemon --config --backup-dir --partial-dir --compare-dest --copy-dest --link-dest --write-batch --read-batch --only-write-batch --early-input --remote-option --sockopts --iconv --remove-source-files --address --protect-args',
    }),
    commandOptions: set('-e --rsh --rsync-path'),
    writes: rsyncWrites,
    paths: { texts: set('--exclude') },
  }),
  program('nc ncat netcat', {
    connects: 'service',
    commandOptions: set('-e -c'),
    options: optionSpec({ flags: 'zvn46tu', values: 'w' }),
  }),
  ...programs('ping ping6 host nslookup traceroute tracepath whois', { ...ASKS, connects: 'host' }),
  ...programs('dig kdig delv drill mtr', {
    connects: 'host',
    options: netOptions('-f -F -k -i'),
  }),
  ...programs('tshark wireshark dumpcap rawshark', {
    options: netOptions('-X -w -b -C -K'),
  }),
  ...programs('iptables ip6tables', { options: netOptions('--modprobe -M') }),
  // A command that begins with `!` runs here.
  ...programs('smbclient rpcclient', {
    stdin: true,
    options: netOptions('-c --command -T --tar -A --authentication-file'),
  }),
  program('ss', {
    options: optionSpec({
      flags: 'tulnpaesmoixw460rHO',
      long: '--all --listening --processes --tcp --udp --numeric --summary',
    }),
    reads: true,
  }),
  program('netstat', { options: ANY_OPTION, reads: true, paths: { text: true } }),
  program('tcpdump', { options: netOptions('-z -w -r -F'), commandOptions: set('-z') }),
  program('nmap', {
    options: netOptions('--script --script-args --datadir --interactive --resume --stylesheet -iL -oN -oX -oG -oA -oS'),
  }),
  program('openssl', {
    // Behind a sub-command the input is data.
    stdin: set(''),
    subcommands: subcommands(
      [
        ['engine s_server', { grant: 'subcommand' }],
        ['s_client s_time', { ...OPENSSL, connects: 'service' }],
        ['version', { options: ANY_OPTION, reads: true }],
        [
          'req genrsa genpkey ecparam',
          {
            options: netOptions('-unix -engine -provider-path -out -keyout -CAcreateserial -CAserial'),
          },
        ],
      ],
      {
        others: OPENSSL,
      },
    ),
  }),
  program('journalctl', {
    options: netOptions(
      '--file --directory -D -M --machine --root --image --cursor-file --vacuum-time --vacuum-size --vacuum-files --rotate --flush --sync --setup-keys --update-catalog --relinquish-var --smart-relinquish-var',
      {
        values: 'unpgtSUbo',
        longValues: '--since --until --unit --identifier --priority --grep --lines --output --boot',
      },
    ),
    reads: true,
    paths: { text: true, files: set('--file -D --directory --cursor-file') },
  }),
  program('ip', {
    options: netOptions('-b -batch', {
      operands: (operands) =>
        operands[0]?.text.startsWith('n') && operands.some(({ text }) => text === 'exec') ? 'what ip runs' : undefined,
    }),
    subcommands: subcommands([['netns netn net vrf', { runner: runner('never', { anywhere: true }) }]]),
  }),
  program('systemctl', {
    spellings: unitSpellings,
    subcommands: subcommands(
      [
        [
          'status list-units list-timers is-active is-enabled show cat',
          {
            reads: true,
            options: netOptions('-H --host -M --machine --root --image'),
            paths: { text: true },
          },
        ],
      ],
      {
        values: '-H --host -M --machine',
        others: { grant: 'subcommand' },
      },
    ),
  }),
  ...programs('gpg gpg2 wg-quick openvpn', NEVER),
];
