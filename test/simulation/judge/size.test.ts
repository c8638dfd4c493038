/** Judges a history of the size of a campaign's load. */
import { expect, test } from 'vitest';
import type { Decision } from '../../../shared/contract/index.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import { History } from '../model/history.ts';
import type { Remaining } from '../world/remains.ts';
import { judge } from './judge.ts';

const COUNT = 10_000;
/** Processor time, where a second or two is usual: a look at all others for each two proposals took twenty minutes. */
const MAX_US = 30_000_000;
const NOW = Date.parse('2026-01-01T00:00:00Z');

test('ten thousand proposals are judged in seconds', () => {
  const history = new History(NOW, false, { apartMs: 0, calmAt: NOW, waiting: 40 });
  history.muted.add('writer');
  const proposals = new Map<string, Remaining>();
  for (let index = 0; index < COUNT; index++) {
    const id = `l${index}`;
    history.sent.push({
      do: 'propose',
      at: 0,
      id,
      agent: 'writer',
      tool: 'Look',
      number: index,
      copies: [],
      sentAt: NOW,
    });
    const decidedBy = { type: 'rule', id: 'Look' };
    const decision = {
      ...{ proposalId: id, outcome: 'approved', reasonCode: 'rule', decidedBy },
      calls: [{ id: 'call', decidedBy, reasonCode: 'rule', effective: { input: {} } }],
    } as unknown as Decision;
    const entry = { type: 'evaluated', recordedAt: new Date(NOW).toISOString() } as AuditRecord['entry'];
    const records = [{ key: { agent: 'writer', pid: id, sort: 'evaluated' }, entry, decision } as AuditRecord];
    history.decided.push({ at: NOW, since: NOW, agent: 'writer', decision });
    proposals.set(id, { read: decision, records, view: undefined, replies: [], isShown: false });
  }
  const before = process.cpuUsage();
  expect(judge(history, { proposals, left: [] })).toEqual([]);
  expect(process.cpuUsage(before).user).toBeLessThan(MAX_US);
});
