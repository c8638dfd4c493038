/** Writes the file that proves the entries of one proposal to somebody without an account. */
import { dynamoAuditLog } from '../../../adapters/dynamodb/audit/audit-log.ts';
import { auditPartition } from '../../../adapters/dynamodb/items.ts';
import { familyOf } from '../../../ports/stores/audit-log.ts';
import { proveEntries } from '../../../use-cases/archive/prove-entry.ts';
import { newestSeal } from '../../../use-cases/archive/write-seal.ts';
import { dynamo } from '../clients.ts';
import type { Io } from '../io.ts';
import type { Bundle } from './archive-bundle.ts';
import { trailOf } from './audit-read.ts';

interface Where {
  readonly table: string;
  readonly agent?: string | undefined;
}

export async function proofOfProposal(
  { archive, deployment, publicKey }: Bundle,
  proposal: string,
  { table, agent }: Where,
  io: Io,
) {
  const log = dynamoAuditLog(await dynamo(), { audit: table, state: '' });
  const { agents, records } = await trailOf({ proposal, deployment, agent }, log, io);
  const wanted = new Set(
    records.map(({ key }) => JSON.stringify([auditPartition(key.agent, key.pid, familyOf(key.sort)), key.sort])),
  );
  const since = Math.min(...records.map(({ entry }) => Date.parse(entry.recordedAt)));
  const newest = await newestSeal(archive);
  const options = { deployment, publicKey, newest: newest?.number ?? 0 };
  const proofs = newest && wanted.size ? await proveEntries(archive, wanted, since, options) : [];
  const file = {
    version: 1,
    deployment,
    agent: agents[0],
    proposal,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    proofs,
  };
  const text = `${JSON.stringify(file, null, 2)}\n`;
  return { agents, text, proved: proofs.length, missing: wanted.size - proofs.length };
}
