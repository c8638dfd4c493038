/** Every five minutes: seals what was archived since, also when nothing was. */
import { kmsSigner } from '../shared/adapters/kms/signer.ts';
import { systemClock } from '../shared/ports/clock.ts';
import { writeSeal } from '../shared/use-cases/archive/write-seal.ts';
import { kms } from './runtime/clients.ts';
import { readEnv } from './runtime/env.ts';
import { count, log } from './runtime/observe.ts';
import { withTelemetry } from './runtime/observing.ts';
import { lazyAsync } from './runtime/once.ts';
import { lazyArchive } from './runtime/wiring.ts';

const env = readEnv('seal');
const archive = lazyArchive(env.ARCHIVE_BUCKET);
const signerOf = lazyAsync(async (key: string) => kmsSigner(await kms(), key));
/** Time kept back for a seal that is in work when the time is nearly over. */
const RESERVE_MS = 15_000;

/** Number of the newest seal that this process knows of: the next run looks from there. */
let newest = 0;

export const handler = withTelemetry<unknown, void>(async (_event, context) => {
  const gate = { archive, signer: await signerOf(env.SIGNING_KEY), clock: systemClock, deployment: env.DEPLOYMENT };
  for (let more = true; more && context.getRemainingTimeInMillis() > RESERVE_MS; ) {
    const seal = await writeSeal(gate, newest);
    if (!seal) return;
    newest = seal.number;
    more = seal.more;
    count('SealsWritten');
    count('EntriesSealed', seal.entries);
    // A copy of this line outside of the account proves that nothing sealed by then was cut off.
    log('info', 'the record was sealed', { number: seal.number, hash: seal.hash, objects: seal.objects });
  }
});
