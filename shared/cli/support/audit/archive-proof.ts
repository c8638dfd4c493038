/** Writes the file that proves the entries of one proposal to somebody without an account. */
import { auditPartition } from '../../../adapters/dynamodb/items.ts';
import { type AuditRecord, familyOf } from '../../../ports/stores/audit-log.ts';
import { proveEntries } from '../../../use-cases/archive/prove-entry.ts';
import { newestSeal } from '../../../use-cases/archive/write-seal.ts';
import type { Bundle } from './archive-bundle.ts';

export async function proofOfProposal(
  { archive, deployment, publicKey }: Bundle,
  {
    agent,
    proposal,
    records,
  }: { readonly agent: string; readonly proposal: string; readonly records: readonly AuditRecord[] },
): Promise<{ readonly text: string; readonly proved: number; readonly missing: number }> {
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
    agent,
    proposal,
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
    proofs,
  };
  return { text: `${JSON.stringify(file, null, 2)}\n`, proved: proofs.length, missing: wanted.size - proofs.length };
}
