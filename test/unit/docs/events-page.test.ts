/**
 * Checks that the page of events lists every event as the code knows it.
 *
 * The gate emits no figure that the list lacks.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AuditEntry } from '../../../shared/contract/index.ts';
import { EVENT_NAMES, EVENTS, eventTypeOf } from '../../../shared/domain/record/event-catalogue.ts';
import type { EmittedEvent } from '../../../shared/ports/gate-events.ts';
import { type EventfulStores, withEvents } from '../../../shared/use-cases/audit/emit-events.ts';
import { ROOT } from './documents.ts';

const page = readFileSync(join(ROOT, 'docs/events.md'), 'utf8');

test('the page has a row for each event: name, type, meaning, figures', () => {
  const rows = page.split('\n').filter((line) => /^\| `[A-Z]/.test(line));
  const wanted = EVENT_NAMES.map((name) => {
    const { about, detail } = EVENTS[name];
    return `| \`${name}\` | \`${eventTypeOf(name, 1)}\` | ${about} | ${detail.map((key) => `\`${key}\``).join(' ')} |`;
  });
  expect(rows).toEqual(wanted);
});

const TYPES: readonly AuditEntry['type'][] = [
  ...(['evaluated', 'decided', 'refused', 'cancel', 'vote'] as const),
  ...(['pass', 'stage', 'click', 'operation', 'ran'] as const),
];
/** Every figure that an entry may have. */
const FULL = {
  ...{ outcome: 'approved', reasonCode: 'x', decidedBy: { type: 'human', id: 'U0' }, mode: 'default' },
  ...{ calls: [], durationUs: 1, accepted: true, ran: { callId: 'c' } },
  ...{ recordedAt: '2026-11-23T05:00:00.000Z', pid: 'p', proposalId: 'i', agent: 'a', sessionId: 's' },
};

test.each(TYPES)('an entry %s emits only figures that the list has, and names no person', async (type) => {
  const told: EmittedEvent[] = [];
  const yes = async () => 'written';
  const given = {
    claims: { claim: async () => ({ kind: 'claimed' }), open: async () => ({ kind: 'claimed' }) },
    approvals: { write: async () => true, finish: yes, finishUnread: yes },
    audit: { put: async () => true },
  } as unknown as EventfulStores;
  const stores = withEvents(given, { emit: (event) => told.push(event) });
  const record = { key: { agent: 'a', pid: 'p', sort: type }, entry: { ...FULL, type } } as never;
  const approval = {
    ...{ status: 'approved', pid: 'p', proposalId: 'i', agent: 'a', sessionId: 's' },
    ...{ requestedAt: FULL.recordedAt, expiresAt: FULL.recordedAt, question: { stages: [{ group: 'g' }] } },
  } as never;
  await stores.audit.put(record);
  await stores.claims.claim({ record } as never);
  await stores.claims.open({ record } as never, { approval, group: 'g' } as never);
  await stores.approvals.write(approval, record, undefined as never);
  await stores.approvals.finish(approval, record, undefined as never);
  expect(told.length).toBeGreaterThan(2);
  expect(JSON.stringify(told)).not.toContain('U0');
  for (const { name, detail } of told)
    expect(EVENTS[name].detail, name).toEqual(expect.arrayContaining(Object.keys(detail)));
});
