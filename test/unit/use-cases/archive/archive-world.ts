/** Makes an archive in memory with entries of a deployment, written and sealed as the functions do. */
import { textsNamedBy } from '../../../../shared/adapters/dynamodb/audit/named-texts.ts';
import { memoryArchive, memorySigner } from '../../../../shared/adapters/memory/archive.ts';
import type { ArchiveLine, StoredItem } from '../../../../shared/domain/archive/lines.ts';
import type { ArchiveKey } from '../../../../shared/domain/archive/seal-key.ts';
import {
  hashOfNote,
  listName,
  noteOf,
  readNote,
  type Seal,
  sealName,
  textOfSeal,
} from '../../../../shared/domain/archive/seal-note.ts';
import { pidOf, sha256Hex } from '../../../../shared/domain/digest.ts';
import type { SealSigner } from '../../../../shared/ports/stores/archive.ts';
import { archiveEntries } from '../../../../shared/use-cases/archive/archive-entries.ts';
import type { Finding } from '../../../../shared/use-cases/archive/findings.ts';
import { type Verified, verifyArchive } from '../../../../shared/use-cases/archive/verify-archive.ts';
import { newestSeal, writeSeal } from '../../../../shared/use-cases/archive/write-seal.ts';

export const START = Date.parse('2026-11-23T05:00:00.000Z');
export const MINUTE = 60_000;
export const DEPLOYMENT = 'shop';

/** The `n`-th entry of the table. */
export const itemAt = (n: number, more: StoredItem = {}, start = START): StoredItem => ({
  pk: { S: `bot#${pidOf(DEPLOYMENT, 'bot', String(n))}` },
  sk: { S: 'evaluated' },
  at: { S: new Date(start + n * 1000).toISOString() },
  entry: { M: { verdict: { S: n % 2 ? 'deny' : 'allow' } } },
  ...more,
});

export const insertAt = (n: number): ArchiveLine => ({ event: 'insert', seq: `${1000 + n}`, item: itemAt(n) });

/** When a world of entries begins, whose it is and who signs its seals. */
interface ArchiveWorldOptions {
  readonly start?: number;
  readonly deployment?: string;
  readonly signer?: SealSigner;
}

/** How long a world takes that is `filled`. */
export const FILLED_MS = 21 * MINUTE;

/** A text that stands under a key which the auditor may not use. */
export const LOCKED = 'locked';

export class ArchiveWorld {
  readonly objects = new Map<string, string>();
  readonly archive = memoryArchive(this.objects);
  readonly signer: SealSigner;
  readonly clock = { now: () => this.time };
  readonly rows: StoredItem[] = [];
  /** Texts that stand apart, by name. */
  readonly texts = new Map<string, string>();
  readonly start: number;
  readonly #own: string;
  time: number;
  deployment: string;

  constructor(
    key: ArchiveKey = 'ed25519',
    { start = START, deployment = DEPLOYMENT, signer }: ArchiveWorldOptions = {},
  ) {
    this.signer = signer ?? memorySigner(key);
    this.start = start;
    this.time = start;
    this.#own = deployment;
    this.deployment = deployment;
  }

  itemAt(n: number, more: StoredItem = {}): StoredItem {
    return itemAt(n, more, this.start);
  }

  async archives(...lines: ArchiveLine[]): Promise<void> {
    for (const line of lines) if (line.event === 'insert') this.rows.push(line.item);
    await archiveEntries(lines, this);
  }

  seals(hint?: number) {
    return writeSeal(this, hint);
  }

  /** A seal behind the newest one that says whatever somebody with the key wants it to say. */
  async signs(list: string, says: Partial<Seal> = {}): Promise<void> {
    const { archive, deployment, signer } = this;
    const newest = await newestSeal(archive);
    if (!newest) throw new Error('there is no seal yet');
    const publicKey = await signer.publicKey();
    const seal: Seal = {
      ...readNote(newest.note, deployment, publicKey),
      ...{ number: newest.number + 1, previous: hashOfNote(newest.note), list: sha256Hex(list) },
      at: new Date(this.time).toISOString(),
      ...says,
    };
    if (list) this.objects.set(listName(seal.list), list);
    this.objects.set(sealName(seal.number), noteOf(seal, await signer.sign(textOfSeal(seal)), publicKey));
  }

  /** Ten entries in five objects, under four seals, of which the last is empty. */
  async filled(): Promise<this> {
    for (let n = 0; n < 10; n += 2) {
      const inserts = [n, n + 1].map((at) => ({ ...insertAt(at), item: this.itemAt(at) }) as ArchiveLine);
      await this.archives(...inserts);
      this.time += 2 * MINUTE;
      if (n % 4 === 2) await this.seals();
    }
    this.time += 5 * MINUTE;
    await this.seals();
    // An entry without a seal is late from here on, and the seals are not yet stopped without the newest two.
    this.time += 6 * MINUTE;
    await this.seals();
    return this;
  }

  async findings(
    options: { anchors?: readonly string[]; offline?: boolean } = {},
  ): Promise<{ readonly kinds: string[]; readonly findings: Finding[]; readonly verified: Verified }> {
    const findings: Finding[] = [];
    const { rows, texts } = this;
    const verified = await verifyArchive(this.archive, {
      deployment: this.#own,
      publicKey: await this.signer.publicKey(),
      found: (one) => findings.push(one),
      ...(options.anchors ? { anchors: options.anchors } : {}),
      ...(options.offline
        ? {}
        : {
            now: () => this.time,
            texts: {
              namedBy: (item) => textsNamedBy(item).map(({ kind, digest }) => `${kind}/${digest}`),
              find: async (name: string) => {
                const text = texts.get(name);
                if (text === undefined) return 'missing';
                if (text === LOCKED) return 'locked';
                return name.endsWith(sha256Hex(text)) ? 'there' : 'changed';
              },
            },
            rows: (async function* () {
              yield* rows;
            })(),
          }),
    });
    return { kinds: [...new Set(findings.map(({ kind }) => kind))], findings, verified };
  }
}
