/** Checks that dead letters come back by an operation, which is recorded and announced. */
import { describe, expect, test } from 'vitest';
import { type MemoryDeadLetters, memoryDeadLetters } from '../../../../shared/adapters/memory/queues/dead-letters.ts';
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import { REDRIVEN_QUEUES } from '../../../../shared/contract/redrive.ts';
import { policyOf, World } from '../world.ts';

/** `fails`: the function did its work, and its answer was lost. */
function worldOf(letters: MemoryDeadLetters, { fails = [] as string[], auditFails = [] as string[] } = {}): World {
  return new World(policyOf(), {
    wrap: (name, port) => {
      if (name === 'audit' && 'put' in port) {
        const put = async (record: { readonly entry: { readonly type: string } }) => {
          if (record.entry.type === 'operation' && auditFails.shift()) throw new Error('the record is down');
          return (port as { put(one: unknown): Promise<boolean> }).put(record);
        };
        return { ...port, put };
      }
      if (name !== 'deadLetters') return port;
      const redrive: MemoryDeadLetters['redrive'] = async (...given) => {
        const answer = await letters.redrive(...given);
        if (fails.shift()) throw new Error('no answer in time');
        return answer;
      };
      return { ...letters, redrive } as never;
    },
  });
}

const wanted = { kind: 'redrive', operationId: 'redrive-1', queue: 'cards', reason: 'Slack is up again' };

async function operated(world: World, operator: string, operation: object) {
  world.gate.operateAs(operator, JSON.stringify(operation));
  await world.clock.advance(600_000);
  const { records } = await world.look.audit.find({ agents: ['-operations'], limit: 10 });
  return records.map(({ entry }) => entry);
}

describe('dead letters', () => {
  test.each(REDRIVEN_QUEUES)('of %s come back; the record has who wanted it, why, and the figures', async (queue) => {
    const letters = memoryDeadLetters();
    letters.dead[queue].push('m1', 'm2', 'm3');
    const world = worldOf(letters);
    const entries = await operated(world, 'oncall', { ...wanted, queue });
    expect(entries).toMatchObject([
      {
        type: 'operation',
        accepted: true,
        reasonCode: 'redriven',
        decidedBy: { type: 'human', id: 'oncall' },
        detail: 'Slack is up again',
        operation: { operationId: 'redrive-1', kind: 'redrive', queue, moved: 3, left: [] },
      },
    ]);
    expect(letters.broughtBack[queue]).toEqual(['m1', 'm2', 'm3']);
    const said = `Bob (operator oncall): bring dead letters of ${queue} back. Done. Brought back: 3. Reason: Slack is up again`;
    expect(new Set(world.slack.notices)).toEqual(new Set([said]));
    expect(world.slack.notices).toHaveLength(2);
  });

  test('come back up to the limit', async () => {
    const letters = memoryDeadLetters();
    letters.dead.cards.push('m1', 'm2', 'm3');
    const [entry] = await operated(worldOf(letters), 'oncall', { ...wanted, limit: 2 });
    expect(entry?.operation).toMatchObject({ moved: 2, about: 'bring at most 2 dead letters of cards back' });
    expect(letters.dead.cards).toEqual(['m3']);
  });

  test('that the queue does not take are named in the record, and counted in the channel', async () => {
    const letters = { ...memoryDeadLetters(), redrive: async () => ({ moved: 1, left: ['m2'] }) };
    const world = worldOf(letters);
    const [entry] = await operated(world, 'oncall', wanted);
    expect(entry?.operation).toMatchObject({ moved: 1, left: ['m2'] });
    expect(world.slack.notices[0]).toContain('Brought back: 1. Not taken by the queue: 1.');
  });

  test.each([
    ['its answer was lost', { fails: ['once'] }],
    ['the record was down after it', { auditFails: ['once'] }],
  ])('come back once, with one entry and one announcement a channel, when %s', async (_, faults) => {
    const letters = memoryDeadLetters();
    letters.dead.cards.push('m1', 'm2');
    const world = worldOf(letters, faults);
    expect(await operated(world, 'oncall', wanted)).toMatchObject([{ accepted: true, reasonCode: 'redriven' }]);
    expect(letters.broughtBack.cards).toEqual(['m1', 'm2']);
    expect(world.slack.notices).toHaveLength(2);
  });

  test('stay where they are when a message is delivered a second time, and the record keeps its figures', async () => {
    const letters = memoryDeadLetters();
    letters.dead.cards.push('m1');
    const world = worldOf(letters);
    const principal = memorySenderId('operators', 'oncall');
    const message = { messageId: 'twice', raw: JSON.stringify(wanted), principal, sentAt: world.clock.now() };
    for (let delivery = 0; delivery < 2; delivery++) world.gate.queues.operators.send(message);
    await world.clock.advance(1_000);
    const { records } = await world.look.audit.find({ agents: ['-operations'], limit: 10 });
    expect(records.map(({ entry }) => entry.operation?.moved)).toEqual([1]);
    expect(letters.broughtBack.cards).toEqual(['m1']);
    expect(world.slack.notices).toHaveLength(2);
  });

  test.each([
    ['of a queue whose messages are believed', 'oncall', { queue: 'operators' }],
    ['of a queue that is none', 'oncall', { queue: 'nothing' }],
    ['none', 'oncall', { limit: 0 }],
    ['more than one operation may move', 'oncall', { limit: 501 }],
    ['by an operator whom the policy file does not declare', 'nobody', {}],
  ])('are not brought back: %s', async (_, operator, more) => {
    const letters = memoryDeadLetters();
    letters.dead.cards.push('m1');
    const [entry] = await operated(worldOf(letters), operator, { ...wanted, ...more });
    expect(entry).toMatchObject({ type: 'operation', accepted: false });
    expect(letters.dead.cards).toEqual(['m1']);
  });
});
