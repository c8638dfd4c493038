/**
 * Measures archiving, sealing, exporting and verifying a million entries.
 *
 * Prints speed, counted calls with their price, and growth to ten million.
 */
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileArchive } from '../../shared/adapters/files/archive.ts';
import { memorySigner } from '../../shared/adapters/memory/archive.ts';
import { openBundle, saveBundle } from '../../shared/cli/support/audit/archive-bundle.ts';
import type { ArchiveLine, StoredItem } from '../../shared/domain/archive/lines.ts';
import { sha256Hex } from '../../shared/domain/digest.ts';
import type { Archive } from '../../shared/ports/stores/archive.ts';
import { archiveEntries } from '../../shared/use-cases/archive/archive-entries.ts';
import { verifyArchive } from '../../shared/use-cases/archive/verify-archive.ts';
import { newestSeal, writeSeal } from '../../shared/use-cases/archive/write-seal.ts';
import { PRICES } from './support/prices.ts';
import { note, printTable } from './support/print.ts';

const ENTRIES = 1_000_000;
const DAY_MS = 86_400_000;
const SEAL_MS = 300_000;
/** The stream's trigger waits so long for a batch. */
const WINDOW_MS = 5_000;
const MAX_BATCH = 500;
/** Names that S3 lists in one answer. */
const PAGE = 1_000;
const START = Date.parse('2026-11-23T00:00:00.000Z');
const DEPLOYMENT = 'bench';
const MILLION = 1_000_000;

interface Calls {
  puts: number;
  gets: number;
  lists: number;
  signs: number;
}

/** An archive that counts calls. Names are kept in order, so that a listing costs what it costs in S3. */
function counted(archive: Archive, calls: Calls): Archive {
  const names = new Map<string, string[]>();
  const folderOf = (key: string) => key.slice(0, key.indexOf('/') + 1);
  return {
    async *names(prefix, after = '') {
      let seen = 0;
      const all = names.get(folderOf(prefix)) ?? [];
      for (let at = firstBehind(all, after); at < all.length; at += 1, seen += 1) {
        if (seen % PAGE === 0) calls.lists += 1;
        yield all[at] as string;
      }
      if (seen === 0) calls.lists += 1;
    },
    async read(key) {
      calls.gets += 1;
      return archive.read(key);
    },
    async put(key, text) {
      calls.puts += 1;
      const isNew = await archive.put(key, text);
      const all = names.get(folderOf(key)) ?? [];
      // Times grow: a name goes to the end, or near it.
      if (isNew) all.splice(firstBehind(all, key), 0, key);
      names.set(folderOf(key), all);
      return isNew;
    },
  };
}

function firstBehind(all: readonly string[], key: string): number {
  let low = 0;
  let high = all.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((all[middle] as string) > key) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** A decision of a rule, as its row stands in the table. */
function itemAt(n: number, at: number): StoredItem {
  const pid = sha256Hex(String(n));
  const text = (value: string) => ({ S: value });
  const call = {
    id: text('0'),
    toolName: text('Bash'),
    verdict: text('allow'),
    reason: text('rule'),
    digest: text(pid),
  };
  const entry = {
    ...{ type: text('evaluated'), pid: text(pid), proposalId: text(`build-${n}`), agent: text('builder') },
    ...{ sessionId: text('s-1'), mode: text('default'), outcome: text('allowed'), policyVersion: text(pid) },
    ...{ recordedAt: text(new Date(at).toISOString()), calls: { L: [{ M: call }] } },
  };
  return {
    pk: text(`builder#${pid}`),
    sk: text('evaluated'),
    at: text(new Date(at).toISOString()),
    entry: { M: entry },
  };
}

const clock = { at: START, now: () => clock.at };
const calls: Calls = { puts: 0, gets: 0, lists: 0, signs: 0 };
const ofArchiver: Calls = { puts: 0, gets: 0, lists: 0, signs: 0 };
const folder = mkdtempSync(join(tmpdir(), 'countersign-bench-'));
const signer = memorySigner();
const counting = {
  ...signer,
  sign: (text: string) => {
    calls.signs += 1;
    return signer.sign(text);
  },
};
const archive = counted(fileArchive(join(folder, 'archive')), calls);
/** Calls of the first runs of `seal` with entries, and of the last. */
const ofSeals: Calls[] = [];

try {
  let batches = 0;
  let bytes = 0;
  let newest = 0;
  let sealed = START;
  const began = performance.now();
  const each = Math.ceil((ENTRIES * WINDOW_MS) / DAY_MS);
  for (let n = 0; n < ENTRIES; clock.at += WINDOW_MS) {
    const count = Math.min(each, MAX_BATCH, ENTRIES - n);
    const lines = Array.from({ length: count }, (_, index): ArchiveLine => {
      const item = itemAt(n + index, clock.at);
      return { event: 'insert', seq: `4${String(n + index).padStart(20, '0')}`, item };
    });
    n += count;
    batches += 1;
    const before = { ...calls };
    await archiveEntries(lines, { archive, clock });
    addDifference(ofArchiver, before, calls);
    if (clock.at - sealed < SEAL_MS) continue;
    sealed = clock.at;
    newest = await seal(newest);
  }
  clock.at += SEAL_MS;
  newest = await seal(newest);
  const wrote = (performance.now() - began) / 1000;

  const copied = performance.now();
  const publicKey = await signer.publicKey();
  const before = { ...calls };
  const copy = join(folder, 'copy');
  const { objects } = await saveBundle({ archive, deployment: DEPLOYMENT, publicKey }, copy);
  const exported = (performance.now() - copied) / 1000;
  const toExport = { ...calls };
  Object.assign(calls, before);

  const verifying = performance.now();
  const bundle = await openBundle(copy, undefined);
  const findings: unknown[] = [];
  const anchor = (await newestSeal(bundle.archive))?.note ?? '';
  const options = { deployment: DEPLOYMENT, publicKey: bundle.publicKey, anchors: [sha256Hex(anchor)] };
  const verified = await verifyArchive(bundle.archive, { ...options, found: (one) => findings.push(one) });
  const verifiedIn = (performance.now() - verifying) / 1000;
  if (findings.length || verified.entries !== ENTRIES) throw new Error('the archive does not verify');
  for await (const key of archive.names('entry/')) bytes += statSync(join(copy, key)).size;

  const perSecond = (seconds: number) => Math.round(ENTRIES / seconds).toLocaleString('en-US');
  printTable(
    `${ENTRIES.toLocaleString('en-US')} entries of a day, ${Math.round(bytes / ENTRIES)} bytes each, in ${objects} objects`,
    ['work', 'seconds', 'entries a second'],
    [
      ['archive and seal', wrote.toFixed(1), perSecond(wrote)],
      ['export, from a disk', exported.toFixed(1), perSecond(exported)],
      ['verify --offline, with an anchor', verifiedIn.toFixed(1), perSecond(verifiedIn)],
    ],
  );
  note(`memory of this process: ${Math.round(process.memoryUsage.rss() / 2 ** 20)} MB`);

  const sealCalls = { ...calls };
  for (const name of Object.keys(sealCalls) as (keyof Calls)[]) sealCalls[name] -= ofArchiver[name];
  const rows = [
    ['archive-audit', ofArchiver],
    ['seal', sealCalls],
    ['export', subtract(toExport, before)],
  ] as const;
  printTable(
    `Counted calls of these entries, ${batches} batches of the stream, ${newest + 1} seals`,
    ['function', 'puts', 'gets', 'lists', 'signs', 'dollars'],
    rows.map(([name, { puts, gets, lists, signs }]) => [
      name,
      puts,
      gets,
      lists,
      signs,
      priceOf({ puts, gets, lists, signs }).toFixed(3),
    ]),
  );
  const gb = bytes / 10 ** 9;
  note(
    `storage: ${gb.toFixed(2)} GB, $${(gb * PRICES.s3.perGbMonth).toFixed(3)} a month; the key $${PRICES.kms.perKeyMonth} a month`,
  );

  const [first = calls, last = calls] = [ofSeals[1], ofSeals.at(-2)];
  printTable(
    'One run of seal: what it costs does not grow with the record',
    ['run', 'puts', 'gets', 'lists', 'signs'],
    [
      ['second', first.puts, first.gets, first.lists, first.signs],
      [`of ${ofSeals.length}, the last but one`, last.puts, last.gets, last.lists, last.signs],
    ],
  );
  const seals = Math.round((365 * DAY_MS) / SEAL_MS);
  printTable(
    'Growth, by arithmetic from the above',
    ['record', 'objects', 'seals', 'GB', 'verify, minutes'],
    [1, 10].map((times) => [
      `${times} million a day, 10 million entries`,
      Math.round((batches * 10) / times),
      Math.round((newest + 1) * (10 / times)),
      (gb * 10).toFixed(1),
      ((verifiedIn * 10) / 60).toFixed(1),
    ]),
  );
  note(
    `a year has ${seals.toLocaleString('en-US')} seals, whatever is decided; a cold start of seal finds the newest in ${2 * Math.ceil(Math.log2(seals))} reads at most`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}

async function seal(newest: number): Promise<number> {
  let number = newest;
  for (let more = true; more; ) {
    const before = { ...calls };
    const written = await writeSeal({ archive, signer: counting, clock, deployment: DEPLOYMENT }, number);
    if (!written) throw new Error('a seal was taken');
    number = written.number;
    more = written.hasMore;
    ofSeals.push(subtract(calls, before));
  }
  return number;
}

function addDifference(to: Calls, before: Calls, after: Calls): void {
  const by = subtract(after, before);
  for (const name of Object.keys(by) as (keyof Calls)[]) to[name] += by[name];
}

function subtract(after: Calls, before: Calls): Calls {
  return {
    puts: after.puts - before.puts,
    gets: after.gets - before.gets,
    lists: after.lists - before.lists,
    signs: after.signs - before.signs,
  };
}

function priceOf({ puts, gets, lists, signs }: Calls): number {
  const { s3, kms } = PRICES;
  return (
    (puts * s3.perMillionPuts + gets * s3.perMillionGets + lists * s3.perMillionLists + signs * kms.perMillionSigns) /
    MILLION
  );
}
