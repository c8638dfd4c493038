/** Checks how entries of the record are found, and where the text of a proposal stands. */
import { describe, expect, test } from 'vitest';
import type { AuditEntry } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import type { AuditRecord, RecordQuery } from '../../../shared/ports/stores/audit-log.ts';
import { at, claimOf, newCase, openingOf, recordOf } from '../support/rows.ts';
import type { Stores } from '../support/stores.ts';

const callOf = (toolName: string, pattern: string, effect: 'allow' | 'deny' | 'ask') => ({
  id: 'call',
  toolName,
  argsHash: 'abababab',
  auditDigest: sha256Hex(toolName),
  verdict: effect,
  reason: 'rule_match',
  source: 'rules',
  rule: { id: 'project:1', pattern, source: 'project', effect },
});

export function searchContract({ it }: Stores): void {
  const put = async (agent: string, sort: string, entry: Partial<AuditEntry>): Promise<AuditRecord> => {
    const record = recordOf(newCase({ agent }), sort);
    const whole = { ...record, entry: { ...record.entry, type: sort as 'evaluated', ...entry } };
    expect(await it().audit.put(whole)).toBe(true);
    return whole;
  };

  /** Twelve entries of one agent, a second apart, and one of another. */
  async function filled() {
    const { agent } = newCase();
    const other = newCase().agent;
    for (let n = 0; n < 12; n++) {
      const effect = n % 3 === 0 ? 'deny' : 'allow';
      const tool = n % 2 ? 'Bash' : 'WebFetch';
      await put(agent, 'evaluated', {
        recordedAt: at(n * 1_000),
        outcome: effect === 'deny' ? 'denied' : 'approved',
        decidedBy: { type: 'rule', id: 'project:1' },
        sessionId: n < 6 ? 'first' : 'second',
        calls: [callOf(tool, n < 4 ? 'Bash(git:*)' : `${tool}(x:*)`, effect)],
      });
    }
    await put(agent, 'decided', {
      recordedAt: at(20_000),
      outcome: 'approved',
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE,T0DEMO/U0BOB' },
      waitedMs: 4_000,
      calls: [callOf('Bash', 'Bash(git push:*)', 'ask')],
    });
    await put(other, 'evaluated', {
      recordedAt: at(5_500),
      outcome: 'approved',
      calls: [callOf('Bash', 'x', 'allow')],
    });
    return { agent, other };
  }

  const secondsOf = (records: readonly AuditRecord[]) =>
    records.map(({ entry }) => (Date.parse(entry.recordedAt) - Date.parse(at(0))) / 1_000);

  describe('entries are found', () => {
    test.each<[string, Partial<RecordQuery>, readonly number[]]>([
      ['by time, both ends included', { since: at(3_000), until: at(5_000) }, [5, 4, 3]],
      ['by tool', { tool: 'WebFetch' }, [10, 8, 6, 4, 2, 0]],
      ['by outcome', { outcome: 'denied' }, [9, 6, 3, 0]],
      ['by a rule with its effect', { rule: 'deny Bash(git:*)' }, [3, 0]],
      ['by the pattern of a rule', { rule: 'Bash(git:*)' }, [3, 2, 1, 0]],
      ['by a person among several', { person: 'U0BOB' }, [20]],
      ['by session', { session: 'first' }, [5, 4, 3, 2, 1, 0]],
      ['by several at once', { session: 'second', tool: 'Bash', outcome: 'approved', until: at(10_000) }, [7]],
      ['by nothing that there is', { tool: 'Read' }, []],
    ])('%s', async (_, wanted, expected) => {
      const { agent } = await filled();
      const page = await it().audit.find({ agents: [agent], limit: 100, ...wanted });
      expect(secondsOf(page.records)).toEqual(expected);
      expect(page.next).toBeUndefined();
    });

    test.each<[string, Partial<RecordQuery>]>([
      ['by time', {}],
      ['by tool', { tool: 'Bash' }],
      ['by session', { session: 'second' }],
    ])('page by page, %s, each once and of several agents in one order', async (_, wanted) => {
      const { agent, other } = await filled();
      const agents = [agent, other];
      const whole = await it().audit.find({ agents, limit: 100, ...wanted });
      const seen: AuditRecord[] = [];
      let after: string | undefined;
      do {
        const page = await it().audit.find({ agents, limit: 2, ...wanted, ...(after ? { after } : {}) });
        expect(page.records.length).toBeLessThanOrEqual(2);
        seen.push(...page.records);
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(whole.records);
      expect(secondsOf(seen)).toEqual(secondsOf(seen).toSorted((a, b) => b - a));
    });

    test('of one instant each once, whatever page they come on', async () => {
      const { agent } = newCase();
      for (let n = 0; n < 7; n++)
        await put(agent, 'evaluated', { outcome: 'approved', calls: [callOf(`T${n % 3}`, 'x', 'allow')] });
      const seen = new Set<string>();
      let after: string | undefined;
      for (let pages = 0; pages === 0 || after !== undefined; pages++) {
        const page = await it().audit.find({
          agents: [agent],
          outcome: 'approved',
          limit: 3,
          ...(after ? { after } : {}),
        });
        for (const { key } of page.records) seen.add(key.pid);
        after = page.next;
        expect(pages).toBeLessThan(4);
      }
      expect(seen.size).toBe(7);
    });

    test('behind a cursor, and nothing is found behind what is none', async () => {
      const { agent } = newCase();
      await expect(it().audit.find({ agents: [agent], limit: 1, after: 'nonsense' })).rejects.toThrow('is no cursor');
    });
  });

  test('an entry that cannot be read, as of a newer release, hides no other from whoever hears of it', async () => {
    const about = newCase();
    const { agent, pid } = about;
    const first = recordOf(about, 'evaluated');
    const decidedBy = { type: 'a kind of the next release', id: 'x' } as never;
    const later = recordOf(about, 'vote#1');
    for (const one of [first, { ...later, entry: { ...later.entry, decidedBy } }])
      expect(await it().audit.put(one)).toBe(true);
    const problems: unknown[] = [];
    const unreadable = (problem: unknown) => void problems.push(problem);
    const { audit } = it();
    const sorts = (records: readonly AuditRecord[]) => records.map(({ key }) => key.sort);
    expect(sorts((await audit.find({ agents: [agent], limit: 10, unreadable })).records)).toEqual(['evaluated']);
    expect(problems).toHaveLength(1);
    expect(sorts(await audit.ofProposal(agent, pid, undefined, unreadable))).toEqual(['evaluated']);
    expect(problems).toHaveLength(2);
    expect(sorts(await audit.recent(agent, 10, unreadable))).toEqual(['evaluated']);
    expect(problems).toHaveLength(3);
    const counts = await audit.count({ agents: [agent], unreadable });
    expect(counts.map(({ sample, count }) => [sample.key.sort, count])).toEqual([['evaluated', 1]]);
    expect(problems).toHaveLength(4);
    await expect(audit.recent(agent, 10)).rejects.toThrow();
    await expect(audit.count({ agents: [agent] })).rejects.toThrow();
    await expect(audit.find({ agents: [agent], limit: 10 })).rejects.toThrow();
    await expect(audit.ofProposal(agent, pid)).rejects.toThrow();
  });

  test('entries are counted by what they are about, with the time that people took', async () => {
    const { agent } = await filled();
    const counts = await it().audit.count({ agents: [agent], until: at(30_000) });
    expect(counts.reduce((sum, { count }) => sum + count, 0)).toBe(13);
    expect(counts.find(({ sample }) => sample.entry.type === 'decided')).toMatchObject({ count: 1, waitedMs: [4_000] });
    const early = await it().audit.count({ agents: [agent], until: at(2_000) });
    expect(early.reduce((sum, { count }) => sum + count, 0)).toBe(3);
  });

  describe('the text of a proposal', () => {
    const claimed = async (proposal: string) => {
      const about = newCase();
      const claim = claimOf(about, 'allow');
      const record = { ...claim.record, entry: { ...claim.record.entry, proposal } };
      expect(await it().claims.claim({ ...claim, record })).toEqual({ kind: 'claimed' });
      const [entry] = (await it().audit.ofProposal(about.agent, about.pid)).map((one) => one.entry);
      return entry;
    };

    test('stands in the entry where there is room', async () => {
      const text = '{"calls":[{"input":{"command":"git status"}}]}';
      expect(await claimed(text)).toMatchObject({ proposal: text });
    });

    test('stands under its digest where there is none, and can be read there', async () => {
      const text = JSON.stringify({ calls: [{ input: { command: 'x'.repeat(2_000) } }] });
      const entry = await claimed(text);
      expect(entry).not.toHaveProperty('proposal');
      expect(entry?.proposalDigest).toBe(sha256Hex(text));
      expect(await it().inputs.get(sha256Hex(text), 'record')).toBe(text);
      await expect(it().inputs.get(sha256Hex(text))).rejects.toThrow('missing');
    });

    test('stands apart from the messages that people were shown', async () => {
      const text = JSON.stringify({ blocks: [newCase().pid] });
      await it().inputs.put(sha256Hex(text), text, 'shown');
      expect(await it().inputs.get(sha256Hex(text), 'shown')).toBe(text);
      await expect(it().inputs.get(sha256Hex(text), 'record')).rejects.toThrow('missing');
    });

    test('of a message that somebody was shown is read as it was put', async () => {
      const about = newCase();
      const shown = JSON.stringify({ blocks: ['<@U0ALICE> ‹one of you›', 'ß'.repeat(1_000)] });
      const record = recordOf(about, 'vote#1');
      expect(await it().audit.put({ ...record, entry: { ...record.entry, type: 'vote', shown } })).toBe(true);
      const [vote] = await it().audit.ofFamily(about.agent, about.pid, 'vote');
      expect(vote?.entry).toMatchObject({ type: 'vote', shown });
    });

    test('is stored likewise with a question to people', async () => {
      const about = newCase();
      const text = JSON.stringify({ question: 'y'.repeat(2_000) });
      const claim = claimOf(about, 'ask');
      const record = { ...claim.record, entry: { ...claim.record.entry, proposal: text } };
      expect(await it().claims.open({ ...claim, record }, openingOf(about))).toEqual({ kind: 'claimed' });
      expect(await it().inputs.get(sha256Hex(text), 'record')).toBe(text);
    });
  });
}
