/** `countersign audit verify` and `audit export`: the archived record, checked and handed on. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { Finding } from '../../../use-cases/archive/findings.ts';
import type { Verified } from '../../../use-cases/archive/verify-archive.ts';
import type { Bundle } from '../../support/audit/archive-bundle.ts';
import { opened, sourceOf, sources, type Where } from '../../support/audit/archive-options.ts';
import { CliError, EXIT, type Io } from '../../support/io.ts';
import { setting, undeclaredAgents } from '../../support/settings.ts';
import { jsonLine, moment, plain } from '../../support/terminal.ts';

interface VerifyOptions extends Where {
  readonly offline?: string;
  readonly key?: string;
  readonly anchor?: readonly string[];
  readonly json?: boolean;
}

interface ExportOptions extends Where {
  readonly out: string;
  readonly proposal?: string;
  readonly agent?: string;
}

/** Most findings of one kind that are shown. */
const SHOWN = 20;

/** Adds both beside the command that shows the record. */
export function addArchive(program: Command, io: Io, exitWith: (code: number) => void): void {
  const audit = program.commands.find((one) => one.name() === 'audit');
  if (!audit) throw new Error('the command audit is added first');
  sources(
    audit
      .command('verify')
      .summary('check whether anybody changed the record')
      .description(
        'Compares seals, archived objects and the table with one another, and names each difference. Exits with 0 if there is none, 3 if there is one, 1 if it could not compare. Needs grantAudit, with --offline nothing.',
      )
      .option('--offline <dir>', 'a copy that `audit export` made, instead of the archive itself')
      .option('--key <file>', 'the public key (PEM) that you keep; without it the copy’s own is believed')
      .option('--text-bucket <name>', 'texts that fit no entry (default: COUNTERSIGN_TEXT_BUCKET)')
      .option('--anchor <hash...>', 'hashes of seals that you keep')
      .option('--json', 'print a line of JSON for each finding'),
  ).action((options: VerifyOptions) => verify(options, io, exitWith));
  sources(
    audit
      .command('export')
      .summary('copy the archive, or the proof of one proposal')
      .description(
        'Writes the whole archive into a folder that `audit verify --offline` checks; with --proposal one file that proves the entries of a proposal (docs/audit.md). Needs grantAudit.',
      )
      .requiredOption('--out <path>', 'a new folder; with --proposal a new file')
      .option('--proposal <id>', 'only this proposal')
      .option('--agent <name>', 'whose proposal (default: COUNTERSIGN_AGENT, else any agent of countersign.yaml)'),
  ).action((options: ExportOptions) => exportArchive(options, io));
}

/** @throws CliError for an anchor that is none, and for what a copy is not compared with. */
function checkOptions({ anchor = [], offline, ...where }: VerifyOptions): void {
  const { archiveBucket, archiveKey, auditTable, textBucket } = where;
  for (const one of anchor)
    if (!/^[0-9a-f]{64}$/.test(one)) throw new CliError('--anchor takes 64 hex digits', EXIT.usage);
  if (offline !== undefined && (archiveBucket ?? archiveKey ?? auditTable ?? textBucket) !== undefined)
    throw new CliError(
      '--offline compares the copy alone: leave --archive-bucket, --archive-key, --audit-table and --text-bucket away',
      EXIT.usage,
    );
}

async function verify(options: VerifyOptions, io: Io, exitWith: (code: number) => void): Promise<void> {
  const [{ conclusionOf, FINDINGS }, { verifyArchive }] = await Promise.all([
    import('../../../use-cases/archive/findings.ts'),
    import('../../../use-cases/archive/verify-archive.ts'),
  ]);
  checkOptions(options);
  const keyFile = options.key === undefined ? undefined : resolve(io.cwd, options.key);
  const source = await opened(options, io, keyFile);
  if (options.deployment !== undefined && options.deployment !== source.deployment)
    throw new CliError(
      plain(`the copy says that it is of the deployment ${source.deployment}, not of ${options.deployment}`),
      EXIT.changed,
    );
  const seen = new Map<Finding['kind'], number>();
  const verified = await verifyArchive(source.archive, {
    deployment: source.deployment,
    publicKey: source.publicKey,
    anchors: options.anchor ?? [],
    ...(source.rows ? { rows: source.rows(), now: io.now } : {}),
    ...(source.texts ? { texts: source.texts } : {}),
    found: ({ kind, subject }) => {
      const number = (seen.get(kind) ?? 0) + 1;
      seen.set(kind, number);
      if (options.json) io.out(jsonLine({ kind, subject }));
      // Names of objects and keys of entries are whatever somebody wrote.
      else if (number <= SHOWN) io.out(`${plain(subject)} ${FINDINGS[kind]}\n`);
    },
  });
  if (!options.json) {
    printCompared(verified, seen, source, io);
    if (!options.anchor) io.out('Without --anchor, seals that were cut off at the end cannot be noticed.\n');
    io.out(`${conclusionOf(seen)}\n`);
  }
  if (seen.size) exitWith(EXIT.changed);
}

function printCompared(
  { seals, objects, entries, rows, texts, expired, unproved, newest }: Verified,
  seen: ReadonlyMap<Finding['kind'], number>,
  source: Bundle,
  io: Io,
): void {
  for (const [kind, number] of seen) if (number > SHOWN) io.out(`… and ${number - SHOWN} more like it (${kind})\n`);
  const parts = [`seals ${seals}`, `sealed objects ${objects}`, `entries ${entries}`];
  if (source.rows) parts.push(`rows of the table ${rows}`);
  if (source.texts) parts.push(`texts ${texts}`);
  io.out(`Compared: ${parts.join(', ')}.\n`);
  if (source.rows && !source.texts) io.out('Without --text-bucket, texts that entries name are not compared.\n');
  if (expired)
    io.out(`${expired} texts of entries older than 183 days are not there: their bucket may have let them go.\n`);
  if (unproved) io.out(`${unproved} rows are older than the archive: nothing proves them.\n`);
  if (newest) io.out(`Newest seal: number ${newest.number}, ${moment(newest.at)}, hash ${newest.hash}\n`);
}

async function exportArchive(options: ExportOptions, io: Io): Promise<void> {
  if (options.agent !== undefined && options.proposal === undefined)
    throw new CliError('--agent goes with --proposal: without it the whole archive is copied', EXIT.usage);
  const out = resolve(io.cwd, options.out);
  const source = await sourceOf(options, io);
  if (options.proposal === undefined) {
    const { objects, newest } = await (await import('../../support/audit/archive-bundle.ts')).saveBundle(source, out);
    io.out(`${objects} objects are in ${join(options.out, '')}.\n`);
    if (newest) io.out(`Newest seal: number ${newest.number}, hash ${newest.hash}\n`);
    return;
  }
  const from = { agent: options.agent, table: setting('COUNTERSIGN_AUDIT_TABLE', options.auditTable, io) };
  const { proofOfProposal } = await import('../../support/audit/archive-proof.ts');
  const { agents, text, proved, missing } = await proofOfProposal(source, options.proposal, from, io);
  const whose = `of ${options.proposal} by ${agents.join(', ')}`;
  const none = missing ? `No entry ${whose} is sealed yet.` : `Nothing is recorded ${whose}.`;
  if (!proved) throw new CliError(`${none}${await undeclaredAgents(agents, io)}`, EXIT.failed);
  writeFileSync(out, text, { flag: 'wx' });
  io.out(`${proved} entries are proved in ${options.out}${missing ? `; ${missing} are not sealed yet` : ''}.\n`);
}
