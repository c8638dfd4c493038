/** Archives and seals the record of a run as the functions do, and has the archive verified. */
import { archiveLineOf, asStreamed } from '../../../shared/adapters/dynamodb/audit/record-stream.ts';
import type { Item } from '../../../shared/adapters/dynamodb/items.ts';
import { memoryArchive, memorySigner } from '../../../shared/adapters/memory/archive.ts';
import type { ArchiveLine } from '../../../shared/domain/archive/lines.ts';
import type { Archive } from '../../../shared/ports/stores/archive.ts';
import { archiveEntries } from '../../../shared/use-cases/archive/archive-entries.ts';
import { verifyArchive } from '../../../shared/use-cases/archive/verify-archive.ts';
import { writeSeal } from '../../../shared/use-cases/archive/write-seal.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Faults } from '../model/faults.ts';

const MINUTE = 60_000;
/** The stream waits so long for more. */
const GATHERED_MS = 5_000;
const AGAIN_MS = 2_000;
const SEALED_EVERY_MS = 5 * MINUTE;
const DEPLOYMENT = 'simulated';
/** One key for all runs: making one takes longer than most runs. */
const signer = memorySigner();

export class ArchiveOfRun {
  readonly #objects = new Map<string, string>();
  readonly #archive: Archive;
  readonly #clock: CountingClock;
  readonly #faults: Faults;
  /** Lines that the function was not given yet; `#batch` holds those that it has, until it has archived them. */
  readonly #lines: ArchiveLine[] = [];
  #batch: readonly ArchiveLine[] = [];
  #seq = 1_000;
  #newest = 0;
  #isStopped = false;

  constructor({ clock, faults }: { readonly clock: CountingClock; readonly faults: Faults }) {
    this.#clock = clock;
    this.#faults = faults;
    const { names, ...calls } = memoryArchive(this.#objects);
    this.#archive = { names, ...faults.wrap('archive', calls) };
    this.#sealLater();
  }

  /** The table's stream has an item, as it was and as it is. */
  streamed(before: Item | undefined, after: Item | undefined): void {
    const { pk, sk } = (after ?? before) as { readonly pk: unknown; readonly sk: unknown };
    const line = archiveLineOf({
      eventName: before ? (after ? 'MODIFY' : 'REMOVE') : 'INSERT',
      dynamodb: {
        Keys: { pk, sk },
        ...(before ? { OldImage: asStreamed(before) } : {}),
        ...(after ? { NewImage: asStreamed(after) } : {}),
        SequenceNumber: `${++this.#seq}`,
      },
    });
    if (!line) return;
    if (!this.#lines.length && !this.#batch.length) this.#clock.after(GATHERED_MS, () => this.#work());
    this.#lines.push(line);
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** Whether entries have not reached the archive. */
  get isBehind(): boolean {
    return this.#lines.length + this.#batch.length > 0;
  }

  /** Findings once the last seal is written, some minutes after the last entry. */
  async findings(rows: Iterable<Item>): Promise<string[]> {
    const now = this.#clock.now() + 5 * MINUTE;
    const archive = memoryArchive(this.#objects);
    await writeSeal({ archive, signer, clock: { now: () => now }, deployment: DEPLOYMENT });
    const found: string[] = [];
    await verifyArchive(archive, {
      deployment: DEPLOYMENT,
      publicKey: await signer.publicKey(),
      now: () => now + 11 * MINUTE,
      rows: (async function* () {
        for (const row of rows) yield asStreamed(row);
      })(),
      found: ({ kind, subject }) => found.push(`${kind} ${subject}`),
    });
    return found;
  }

  /** A batch comes again until it is archived; those behind it wait. */
  #work(): void {
    if (!this.#batch.length) this.#batch = this.#lines.splice(0);
    const batch = this.#batch;
    const clock = { now: () => this.#faults.now() };
    const done = () => {
      // A copy that was delivered beside it may come later than its end.
      if (this.#batch === batch) this.#batch = [];
      if (this.#lines.length) this.#clock.after(GATHERED_MS, () => this.#work());
    };
    const again = () => void this.#clock.after(AGAIN_MS, () => this.#work());
    this.#faults
      .invoke('archive-audit', () => archiveEntries(batch, { archive: this.#archive, clock }))
      .then(done, again);
  }

  #sealLater(): void {
    this.#clock.after(SEALED_EVERY_MS, () => {
      if (this.#isStopped) return;
      this.#sealLater();
      const clock = { now: () => this.#faults.now() };
      const deps = { archive: this.#archive, signer, clock, deployment: DEPLOYMENT };
      const seal = async () => {
        for (let more = true; more; ) {
          const written = await writeSeal(deps, this.#newest);
          this.#newest = written?.number ?? this.#newest;
          more = written?.hasMore ?? false;
        }
      };
      void this.#faults.invoke('seal', seal).catch(() => undefined);
    });
  }
}
