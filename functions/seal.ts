/**
 * Seals the entries archived since the last seal, every five minutes, even if there are none.
 *
 * Once a day a seal's hash leaves the account.
 */
import { kmsSigner } from '../shared/adapters/kms/signer.ts';
import { sqsCardQueue } from '../shared/adapters/sqs/outbox.ts';
import type { Anchor } from '../shared/domain/archive/anchor.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { anchorSeal, recordChannelOf, textOfAnnouncement } from '../shared/use-cases/archive/anchor-seal.ts';
import { type WrittenSeal, writeSeal } from '../shared/use-cases/archive/write-seal.ts';
import { kms } from './runtime/clients/aws.ts';
import { sqs } from './runtime/clients/sqs.ts';
import { readEnv } from './runtime/env.ts';
import { lazyAsync } from './runtime/lazy.ts';
import { policyNames } from './runtime/policy-file.ts';
import { events } from './runtime/telemetry/events.ts';
import { count, log } from './runtime/telemetry/observe.ts';
import { withTelemetry } from './runtime/telemetry/with-telemetry.ts';
import { lazyArchive } from './runtime/wiring/stores.ts';

const env = readEnv('seal');
const archive = lazyArchive(env.ARCHIVE_BUCKET);
const signerOf = lazyAsync(async (key: string) => kmsSigner(kms(), key));
/** Time that has to be left for one more seal. */
const RESERVE_MS = 15_000;

/** Number of the newest seal that this process knows: the next run searches from there. */
let newest = 0;

export const handler = withTelemetry<unknown, void>(async (_event, context) => {
  const deps = { archive, signer: await signerOf(env.SIGNING_KEY), clock: systemClock, deployment: env.DEPLOYMENT };
  let seal: WrittenSeal | undefined;
  for (let more = true; more && context.getRemainingTimeInMillis() > RESERVE_MS; ) {
    const written = await writeSeal(deps, newest);
    if (!written) break;
    seal = written;
    newest = seal.number;
    more = seal.hasMore;
    count('SealsWritten');
    count('EntriesSealed', seal.entries);
    // A copy of this line outside of the account proves that nothing sealed by then was cut off.
    log('info', 'the record was sealed', { number: seal.number, hash: seal.hash, objects: seal.objects });
  }
  if (seal) await anchorSeal(seal, { archive, clock: systemClock, tell: publish });
});

async function publish(anchor: Anchor): Promise<void> {
  const { number, hash, at } = anchor;
  const channel = recordChannelOf(policyNames().people);
  const id = `anchor#${env.DEPLOYMENT}#${at}`;
  if (channel !== undefined)
    await sqsCardQueue(sqs(), env.CARD_QUEUE_URL).announce(channel, textOfAnnouncement(anchor, env.DEPLOYMENT), id);
  events.emit({ name: 'RecordAnchored', eventVersion: 1, at: Date.parse(at), detail: { number, hash } });
}
