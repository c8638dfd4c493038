/** Checks that entries of the record are named by their own call, not by the one before an edit. */
import { expect, test } from 'vitest';
import { namesFor } from '../../../../../shared/cli/support/audit/audit-names.ts';
import { rowOf } from '../../../../../shared/cli/support/audit/audit-row.ts';
import type { Io } from '../../../../../shared/cli/support/io.ts';
import type { AuditRecord } from '../../../../../shared/ports/stores/audit-log.ts';

const calls = [{ id: 'c1', toolName: 'Refund', argsHash: '0'.repeat(8), auditDigest: null, verdict: 'ask' as const }];
const proposal = JSON.stringify({
  kind: 'tool-call',
  calls: [{ id: 'c1', toolName: 'Refund', input: { amount: 32 } }],
});
const entry = (sort: string, fields: object, decision?: object) =>
  ({
    key: { agent: 'billing', pid: 'p', sort },
    entry: { agent: 'billing', pid: 'p', proposalId: 'p-1', recordedAt: '2026-11-30T22:49:18.000Z', ...fields },
    ...(decision ? { decision } : {}),
  }) as unknown as AuditRecord;

test('a call that people edited', async () => {
  const records = [
    entry('evaluated', { type: 'evaluated', calls, proposal }),
    entry('vote#1', { type: 'vote', person: { team: 'T1', user: 'U1' }, accepted: true, reasonCode: 'edit' }),
    entry('evaluated#2', { type: 'evaluated', calls, reasonCode: 'round_2' }),
    entry(
      'decided',
      { type: 'decided', calls, outcome: 'approved', reasonCode: 'edited' },
      { calls: [{ id: 'c1', outcome: 'approved', effective: { input: { amount: 5 } } }] },
    ),
  ];
  const { callOf } = await namesFor(records, { env: {}, cwd: '/nowhere' } as unknown as Io);
  const named = records.map((record) => rowOf(record, { withId: false, callOf })[2]);
  expect(named).toEqual(['Refund amount 32', 'Refund amount 32', 'Refund', 'Refund amount 5']);
});
