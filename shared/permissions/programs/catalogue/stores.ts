/** Describes programs that copy from and to stores, registries and databases. */
import type { Field } from '../../shell/syntax/fields.ts';
import { optionSpec } from '../record/options.ts';
import { imageTarget, localTarget, optionOrHere } from '../record/outputs.ts';
import {
  type CommandRecord,
  NAMED,
  named,
  net,
  type ProgramRecord,
  program,
  programs,
  set,
  subcommands,
} from '../record/record.ts';
import { connectionSpellings } from './names/connections.ts';

const READS: CommandRecord = { reads: true };
/** Sub-commands that copy to a file of this machine or to an address. A rule has to name one, and a file is judged as written. */
const COPIES: CommandRecord = { grant: 'subcommand', ...net(''), writes: localTarget };

/** `reads` need no more than a rule on the program; any other sub-command has to be named. */
const store = (names: string, reads: string, copies: string, copy = COPIES): ProgramRecord =>
  program(names, {
    subcommands: subcommands(
      [
        [reads, READS],
        [copies, copy],
      ],
      { others: named('--to-oci-layout'), values: '-o -u --config', harmless: '-m -q' },
    ),
  });

export const STORES: readonly ProgramRecord[] = [
  // `-L` names a log that it writes.
  store('gsutil', 'ls stat du hash version', 'cp mv rsync', { ...COPIES, ...net('-L') }),
  store('s3cmd', 'ls la du info', 'get sync cp mv'),
  store('s5cmd', 'ls du', 'cp mv sync'),
  store('rclone', 'ls lsd lsl lsf lsjson size about version tree', 'copy copyto copyurl sync move moveto bisync'),
  store('crane', 'ls digest manifest config catalog version', 'pull export'),
  store('azcopy', 'list', 'copy cp sync'),
  store('oras', 'discover version', 'pull backup', {
    grant: 'subcommand',
    ...net('', { values: 'o', longValues: '--output' }),
    writes: optionOrHere('-o', '--output'),
  }),
  store('skopeo', 'inspect list-tags', 'copy sync', { ...COPIES, writes: imageTarget }),
  { ...store('bq', 'ls show head version', 'extract'), anyCase: true },
  ...programs('doctl eksctl linode-cli hcloud scw oci ibmcloud aliyun tccli', {
    subcommands: subcommands([['version', READS]], { others: NAMED }),
  }),
  // Commands of the client's own, in files and on the standard input, hand others to a shell.
  ...programs(
    'usql pgcli mycli cqlsh cypher-shell sqlcmd isql isql-fb sqlplus hive beeline snowsql spark-sql spark-shell presto trino clickhouse ' +
      'clickhouse-client clickhouse-local influx impala-shell',
    {
      anyCase: true,
      stdin: true,
      ...net('-f -i -e -c -Q -q -x --execute --query --queries-file', {
        operands: (operands) =>
          operands.some(({ text }) => /^[@!\\\\:.]/.test(text)) ? 'a command of its own' : undefined,
      }),
    },
  ),
  program('pgbench', net('-f --file')),
  ...programs('kcat kafkacat', net('-F -X -l')),
  ...programs('pg_dump pg_dumpall', {
    spellings: connectionSpellings,
    ...net('-f --file', {
      flags: 'acsvxOC',
      values: 'dhpUtnTN',
      longValues: '--dbname --host --port --username --table --schema',
    }),
    reads: true,
  }),
  program('pg_restore', {
    ...net('-f --file', { flags: 'acClsvxO', values: 'dFhIjLnNpPStTU' }),
    spellings: connectionSpellings,
  }),
  program('pg_basebackup', net('-D --pgdata -T --tablespace-mapping -t --target --waldir')),
  ...programs('mysqldump mariadb-dump', {
    ...net('-r --result-file -T --tab --defaults-file --plugin-dir', {
      values: 'whuP',
      longValues: '--where --host --user --port',
      value: conditionProblem,
    }),
    reads: true,
  }),
  ...programs('mongodump mongoexport', { ...net('-o --out'), writes: optionOrHere() }),
  program('ssh-keygen', {
    // Without `-l`, `-F` or `-y` it writes keys.
    options: optionSpec({
      flags: 'lBvy',
      values: 'fFE',
      operands: (operands, options) =>
        operands.length > 0 || !options.some(({ name }) => ['-l', '-F', '-y'].includes(name))
          ? 'ssh-keygen that does more than show a key'
          : undefined,
    }),
    commandOptions: set('-D -w'),
  }),
];

/** A condition is SQL, which may write a file of the server or read other tables: `1=1 INTO OUTFILE '/x'`. */
function conditionProblem(name: string, { text, isKnown }: Field): string | undefined {
  if (name !== '-w' && name !== '--where') return undefined;
  return !isKnown || /[;#]|--|\/\*|\b(?:into|select|union|procedure|load_file)\b/i.test(text)
    ? 'a condition that does more than compare'
    : undefined;
}
