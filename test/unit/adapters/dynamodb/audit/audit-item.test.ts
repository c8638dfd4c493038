/**
 * Checks an entry as an item of the table: its cost, and that nothing of it is lost.
 *
 * Checks what the previous release reads of it, too.
 */
import { inflateRawSync } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { auditPut, recordFromItem } from '../../../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { textsNamedBy } from '../../../../../shared/adapters/dynamodb/audit/named-texts.ts';
import { asStreamed } from '../../../../../shared/adapters/dynamodb/audit/record-stream.ts';
import { withTextsStored } from '../../../../../shared/adapters/dynamodb/audit/texts-stored.ts';
import { itemBytes, unitsOf } from '../../../../../shared/adapters/dynamodb/item-size.ts';
import type { AuditEntry } from '../../../../../shared/contract/index.ts';
import { sha256Hex } from '../../../../../shared/domain/digest.ts';
import type { AuditRecord } from '../../../../../shared/ports/stores/audit-log.ts';

const tables = { audit: 'audit', state: 'state' };
const pid = sha256Hex('p');

const recordOf = (more: Partial<AuditEntry>): AuditRecord => ({
  key: { agent: 'bot', pid, sort: 'evaluated' },
  entry: {
    type: 'evaluated',
    pid,
    proposalId: 'p',
    agent: 'bot',
    recordedAt: '2026-11-23T09:00:00.000Z',
    policyVersion: sha256Hex('policy'),
    sessionId: 's1',
    ...more,
  },
});

const itemOf = (record: AuditRecord) => auditPut(tables, record).Item ?? {};
const unitsFor = (record: AuditRecord) => unitsOf(itemBytes(itemOf(record)));

test('an item names the texts that stand apart from it, by their digests', () => {
  const [proposalDigest, askedDigest, shownDigest] = ['a', 'b', 'c'].map(sha256Hex) as [string, string, string];
  const item = asStreamed(itemOf(recordOf({ proposalDigest, askedDigest, shownDigest })));
  const named = textsNamedBy(item).map(({ kind, digest }) => `${kind}/${digest}`);
  expect(named.toSorted()).toEqual(
    [`record/${proposalDigest}`, `record/${askedDigest}`, `shown/${shownDigest}`].toSorted(),
  );
  expect(textsNamedBy(asStreamed(itemOf(recordOf({ proposal: '{}' }))))).toEqual([]);
});

test('the text of a proposal costs at most one further write unit, or the put to S3 alone, and is lost nowhere', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4_000), fc.nat(1_000), async (length, before) => {
      const texts = new Map<string, string>();
      const inputs = { put: async (digest: string, text: string) => void texts.set(digest, text), get: async () => '' };
      const record = recordOf({ proposal: JSON.stringify({ x: 'y'.repeat(length) }), detail: 'd'.repeat(before) });
      const stored = await withTextsStored(record, inputs);
      const { proposal, proposalDigest = '' } = stored.entry;
      expect(proposal ?? texts.get(proposalDigest)).toBe(record.entry.proposal);
      const { proposal: _, ...bare } = record.entry;
      const digestOnly = recordOf({ ...bare, proposalDigest: sha256Hex(record.entry.proposal ?? '') });
      const further = unitsFor(record) - unitsFor(digestOnly);
      expect(texts.size).toBe(further > 1 ? 1 : 0);
      expect(unitsFor(stored)).toBe(unitsFor(further > 1 ? digestOnly : record));
    }),
  );
});

test('the question costs at most one further write unit as well, and each text stands in the entry or under its digest', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(4_000), fc.nat(4_000), async (ofProposal, ofQuestion) => {
      const texts = new Map<string, string>();
      const inputs = { put: async (digest: string, text: string) => void texts.set(digest, text), get: async () => '' };
      const [proposal, asked] = [JSON.stringify('p'.repeat(ofProposal)), JSON.stringify('a'.repeat(ofQuestion))];
      const { entry, ...rest } = await withTextsStored(recordOf({ proposal, asked }), inputs);
      expect(entry.proposal ?? texts.get(entry.proposalDigest ?? '')).toBe(proposal);
      expect(entry.asked ?? texts.get(entry.askedDigest ?? '')).toBe(asked);
      expect(texts.size).toBe(Number(entry.proposal === undefined) + Number(entry.asked === undefined));
      expect(Object.keys(entry).filter((name) => /^(?:proposal|asked)/.test(name))).toHaveLength(2 + 1);
      const digests = recordOf({ proposalDigest: sha256Hex(proposal), askedDigest: sha256Hex(asked) });
      expect(unitsFor({ entry, ...rest })).toBeLessThanOrEqual(unitsFor(digests) + 2);
    }),
  );
});

test('fields that the previous release does not know stand beside the entry, and are read back', () => {
  const more = {
    proposal: '{"calls":[]}',
    proposalDigest: sha256Hex('a'),
    asked: '{"kind":"calls"}',
    askedDigest: sha256Hex('b'),
    rulesDigest: sha256Hex('c'),
    shown: '{"blocks":[]}',
    shownDigest: sha256Hex('d'),
    waitedMs: 5,
  };
  const record = recordOf(more);
  const item = itemOf(record);
  expect(Object.keys(item['entry']?.M ?? {}).toSorted()).toEqual(['policyVersion', 'proposalId']);
  expect(recordFromItem(item)).toEqual(record);
});

test('a message that somebody was shown is packed, as any tool unpacks it', () => {
  const shown = JSON.stringify({ blocks: Array.from({ length: 40 }, (_, index) => ({ text: `line ${index} – ‹ü›` })) });
  const record = recordOf({ shown });
  const { shown: packedShown, ...rest } = itemOf(record);
  const packed = packedShown?.B ?? new Uint8Array();
  expect(JSON.stringify(rest)).not.toContain('blocks');
  expect(packed.byteLength).toBeLessThan(shown.length / 3);
  expect(inflateRawSync(packed).toString()).toBe(shown);
  expect(recordFromItem(itemOf(record))).toEqual(record);
});

test('so do those within a field that it knows', () => {
  const operation = { operationId: 'o', kind: 'redrive', queue: 'cards', moved: 3, left: ['m1'] };
  const record = recordOf({ operation });
  const item = itemOf(record);
  expect(Object.keys(item['entry']?.M?.['operation']?.M ?? {}).toSorted()).toEqual(['kind', 'operationId']);
  expect(recordFromItem(item).entry).toEqual(record.entry);
});
