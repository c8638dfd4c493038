/** Tests that a record with aliases names nobody by an id, and works as one that does. */
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../shared/domain/digest.ts';
import type { AuditLog } from '../../../../shared/ports/stores/audit-log.ts';
import { bash, PEOPLE, policyOf, World } from '../world.ts';
import { ALIASES, aliasIn, bySlackId, ordinaryDay, recorded, TWO_WITH_ALIASES, TWO_WITH_IDS } from './aliases.ts';

/** All but the version of the policy file, which two gates cannot share. */
async function entriesOf(audit: AuditLog): Promise<unknown[]> {
  const records = await Promise.all(['coder', '-operations', '-clicks'].map((agent) => audit.recent(agent, 100)));
  return records.flat().map(({ key, entry: { policyVersion: _, ...entry }, decision }) => ({
    sort: key.sort,
    entry,
    decision: decision && { ...decision, policyVersion: '' },
  }));
}

describe('a record with aliases', () => {
  test('holds no id of anybody, and its reader has the entries of a record with ids', async () => {
    const [plain, aliased] = [new World(TWO_WITH_IDS), new World(TWO_WITH_ALIASES)];
    await ordinaryDay(plain);
    await ordinaryDay(aliased);
    expect(recorded(plain)).toMatch(bySlackId);
    expect(recorded(aliased)).not.toMatch(bySlackId);
    expect(await entriesOf(aliased.gate.parts.audit)).toEqual(await entriesOf(plain.gate.parts.audit));
    expect([...plain.faults, ...aliased.faults]).toEqual([]);
  });

  test('hides the digest of a vote from who holds the key of digests and tries everybody', async () => {
    const [plain, aliased] = [new World(TWO_WITH_IDS), new World(TWO_WITH_ALIASES)];
    const digests = async (world: World) => {
      await world.send(bash('p1'));
      await world.click('p1', 'alice');
      return (await world.audit('p1')).flatMap(({ voteDigest }) => voteDigest ?? []);
    };
    const [known, hidden] = [await digests(plain), await digests(aliased)];
    expect(known).toHaveLength(1);
    expect(hidden).toHaveLength(1);
    expect(hidden).not.toEqual(known);
  });

  test('finds the entries of a person, of before there were aliases and since', async () => {
    const world = new World(TWO_WITH_IDS);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    world.gate.usePolicy(TWO_WITH_ALIASES);
    await world.send(bash('p2'));
    await world.click('p2', 'alice');
    await world.click('p2', 'bob');
    const found = async (person: string) => {
      const { records } = await world.gate.parts.audit.find({ agents: ['coder'], person, limit: 10 });
      return records.map(({ key, entry }) => `${entry.proposalId} ${key.sort.split('#')[0]}`).toSorted();
    };
    const all = ['p1 vote', 'p2 decided', 'p2 vote'];
    expect(await found('U0ALICE')).toEqual(all);
    expect(await found(await aliasIn(world, 'U0ALICE'))).toEqual(all);
    const counts = await world.gate.parts.audit.count({ agents: ['coder'] });
    const voted = counts.filter(({ sample }) => sample.entry.type === 'vote');
    expect(voted.map(({ sample, count }) => `${sample.entry.person?.user} ${count}`).toSorted()).toEqual([
      'U0ALICE 1',
      'U0ALICE 1',
      'U0BOB 1',
    ]);
  });

  test('tells agents what it holds: by a reply too', async () => {
    const world = new World(policyOf({ more: ALIASES }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject', { reason: 'ask U0BOB' });
    const read = await world.decided('p1');
    expect(read.message).toContain(await aliasIn(world, 'U0ALICE'));
    expect(read.message).not.toMatch(bySlackId);
    expect(world.gate.replies.sentTo('coder')).toEqual([read]);
  });

  test('names nobody to an agent who is not in the policy file and has refused the same call', async () => {
    const world = new World(policyOf({ more: ALIASES }));
    await world.send(bash('p1'));
    await world.click('p1', 'alice', 'reject');
    world.gate.usePolicy(policyOf({ more: ALIASES, withoutAlice: true }));
    await world.send(bash('p2'));
    expect((await world.decided('p2')).message).toMatch(/^A person has just refused this very call/);
  });

  test('stores neither messages nor the policy file, which name people', async () => {
    const world = new World(TWO_WITH_ALIASES);
    await world.send(bash('p1'));
    const large = Array.from({ length: 40 }, (_, index) => sha256Hex(`line ${index}`)).join();
    for (const [person, text] of [['alice', ''] as const, ['bob', large] as const])
      await world.click('p1', person, 'approve', { shown: `{"blocks":["<@U0ALICE>${text}"]}` });
    const votes = (await world.audit('p1')).filter(({ type }) => type === 'vote');
    expect(votes).toHaveLength(2);
    for (const vote of votes) {
      expect(vote).not.toHaveProperty('shown');
      expect(vote).not.toHaveProperty('shownDigest');
    }
    const [entry] = votes;
    await world.gate.reconcile();
    await expect(world.gate.parts.inputs.get(entry?.policyVersion ?? '', 'record')).rejects.toThrow();
  });

  test('takes a secret that gives another alias for none: nobody points an alias at another person', async () => {
    const world = new World(TWO_WITH_ALIASES);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    const { aliasKeys } = world.gate.parts.state;
    const alias = await aliasIn(world, 'U0ALICE');
    const key = aliasKeys.get(alias);
    if (!key) throw new Error('there is no such alias');
    await world.clock.advance(10 * 60_000);
    aliasKeys.set(alias, { ...key, user: 'U0BOB' });
    const [vote] = await world.gate.parts.audit.ofFamily('coder', world.pid('p1'), 'vote');
    expect(vote?.entry.person).toEqual({ ...PEOPLE.alice, user: alias });
  });
});
