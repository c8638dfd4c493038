/**
 * Checks messages that were set aside and whose sender says what they may do (G33).
 *
 * The gate answers under that sender, and never in another's name.
 */
import { describe, expect, test } from 'vitest';
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import { MAX_READING_TRIES } from '../../../../shared/config/schema/defaults.ts';
import { answerDeadLetter } from '../../../../shared/use-cases/intake/evaluation/answer-dead-letter.ts';
import { refuseDeadLetter } from '../../../../shared/use-cases/operations/answer-dead-letter.ts';
import { bash, World } from '../world.ts';

describe('a cancel that was set aside', () => {
  const sent = (world: World, principal: string) => ({
    messageId: 'm',
    raw: JSON.stringify({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' }),
    principal,
    firstSentAt: world.clock.now(),
    rounds: 0,
  });

  test('cancels: what its agent withdrew is not approved after it', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await answerDeadLetter(sent(world, memorySenderId('agents', 'coder')), 1, world.gate.parts);
    await world.click('p1', 'alice');
    await world.clock.advance(120_000);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'cancelled' });
  });

  test('of nobody who is registered cancels nothing', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await answerDeadLetter(sent(world, 'AROANOBODY:x'), 1, world.gate.parts);
    expect((await world.row('p1')).approval.status).toBe('pending');
  });
});

describe('an operation that was set aside', () => {
  const lift = { kind: 'pause', operationId: 'lift', reason: 'over', scope: { all: true }, effect: 'lift' };
  async function setAside(raw: object, principal: string, tries = 1) {
    const world = new World();
    const deny = { ...lift, operationId: 'deny', effect: 'deny' };
    world.gate.operateAs('oncall', JSON.stringify(deny));
    await world.clock.advance(1_000);
    const message = { messageId: 'm', raw: JSON.stringify(raw), principal, sentAt: world.clock.now() };
    await refuseDeadLetter(message, tries, world.gate.parts);
    const [record] = await world.look.audit.recent('-operations', 1);
    return { world, entry: record?.entry };
  }

  test('is not done any more; its operator finds the refusal under its id, and everybody reads it', async () => {
    const { world, entry } = await setAside(lift, memorySenderId('operators', 'oncall'));
    expect(entry).toMatchObject({
      reasonCode: 'dead_letter',
      accepted: false,
      decidedBy: { id: 'oncall' },
      operation: { operationId: 'lift', kind: 'pause', problem: expect.stringContaining('send it again') },
    });
    expect((await world.look.control.read()).pauses).toHaveLength(1);
  });

  test('that was done and could not be told is not told as one that was not done', async () => {
    const { world } = await setAside(lift, memorySenderId('operators', 'oncall'));
    await world.clock.advance(1_000);
    expect(world.slack.notices.at(-1)).toMatch(/Not finished\. .*see whether it was done/);
    expect(world.slack.notices.at(-1)).not.toContain('Not done');
  });

  test('speaks for nobody but its sender, whatever it holds', async () => {
    const carried = { messageId: 'm0', principal: memorySenderId('operators', 'oncall'), firstSentAt: 1 };
    const { world, entry } = await setAside({ carried: { ...carried, raw: JSON.stringify(lift) } }, 'AROAREDRIVE:x');
    expect(entry).toMatchObject({ reasonCode: 'dead_letter', accepted: false, decidedBy: { id: '-unregistered' } });
    expect((await world.look.control.read()).pauses).toHaveLength(1);
  });

  test('is recorded without being read, where reading it may be what fails', async () => {
    const { entry } = await setAside(lift, memorySenderId('operators', 'oncall'), MAX_READING_TRIES + 1);
    expect(entry).toMatchObject({ reasonCode: 'dead_letter', accepted: false });
    expect(entry?.operation).not.toHaveProperty('operationId');
  });
});
