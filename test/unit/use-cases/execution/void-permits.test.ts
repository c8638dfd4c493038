/**
 * Checks that earlier permits and approvals for later are void after a restore (A26).
 *
 * New ones are not.
 */
import { describe, expect, test } from 'vitest';
import type { RedeemAnswer } from '../../../../shared/contract/index.ts';
import { approvedCall, guarded, redeemed, requestRun, resultOf } from '../running.ts';
import { bash, World } from '../world.ts';

const codeOf = (answer: RedeemAnswer) => (answer.granted ? 'granted' : answer.error.code);
let operations = 0;

async function voided(world: World, operationId = `o${++operations}`): Promise<void> {
  world.gate.operateAs('oncall', JSON.stringify({ kind: 'void-permits', operationId, reason: 'restored' }));
  await world.rest();
}

describe('void-permits', () => {
  test('an older permit is refused by a code of its own, a new one is granted', async () => {
    const world = new World(guarded());
    const before = await approvedCall(world);
    await voided(world);
    expect(await redeemed(world, before)).toMatchObject({ permit: 'none', error: { code: 'permit_revoked' } });
    const after = await approvedCall(world, { proposalId: 'p2' });
    expect(codeOf(await redeemed(world, after))).toBe('granted');
  });

  test('a run that was requested before ends refused, and its tool is not called', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await voided(world);
    await requestRun(world, call);
    expect(await resultOf(world, 'p1')).toMatchObject({ status: 'refused', error: { code: 'permit_revoked' } });
  });

  test('what waits for people waits on, and its approval comes with a permit that holds', async () => {
    const world = new World(guarded());
    await world.send({ ...bash('p1'), toolName: 'Ask', input: { order: 7 } });
    await voided(world);
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'approved' });
    expect(decision.calls[0]?.permit?.permitEpoch).toBe((await world.look.control.read()).permitEpoch);
  });

  test('an approval for later that was given before counts no more, one that is given after does', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p2', 'make all'));
    expect((await world.decided('p2')).outcome).toBe('approved');
    await voided(world);
    await world.clock.advance(1);
    await world.send(bash('p3', 'make all'));
    expect(await world.decision('p3')).toBeUndefined();
    await world.click('p3', 'alice', 'approve', { remember: 'session' });
    await world.send(bash('p4', 'make all'));
    expect((await world.decided('p4')).outcome).toBe('approved');
  });

  test('a rule of an operator that allows counts no more, one that is added after does; one that denies holds', async () => {
    const world = new World();
    const add = async (effect: string, pattern: string) => {
      const rule = { kind: 'add-rule', operationId: `r${++operations}`, reason: 'x', agent: 'coder', effect, pattern };
      const until = new Date(world.clock.now() + 86_400_000).toISOString();
      world.gate.operateAs('oncall', JSON.stringify(effect === 'allow' ? { ...rule, until } : rule));
      await world.rest();
    };
    await add('allow', 'Bash(make:*)');
    await add('deny', 'Bash(cmake:*)');
    await world.send(bash('p1', 'make all'));
    expect((await world.decided('p1')).outcome).toBe('approved');
    await world.clock.advance(1_000);
    await voided(world);
    await world.clock.advance(1_000);
    await world.send(bash('p2', 'make all'));
    expect(await world.decision('p2')).toBeUndefined();
    await world.send(bash('p3', 'cmake all'));
    expect((await world.decided('p3')).outcome).toBe('denied');
    await add('allow', 'Bash(make:*)');
    await world.send(bash('p4', 'make all', { sessionId: 'other' }));
    expect((await world.decided('p4')).outcome).toBe('approved');
  });

  test('also where the restored row holds an older epoch than permits that outlived the restore', async () => {
    const world = new World(guarded());
    const restored = await world.look.control.read();
    await voided(world);
    await world.clock.advance(60_000);
    const outlived = await approvedCall(world);
    const { version } = await world.look.control.read();
    await world.look.control.write({ ...restored, version: version + 1 });
    await world.clock.advance(60_000);
    await voided(world);
    expect(codeOf(await redeemed(world, outlived))).toBe('permit_revoked');
  });

  test('each time anew, and delivered again once; pauses stay as they are', async () => {
    const world = new World(guarded());
    const pause = { kind: 'pause', operationId: 'p', reason: 'x', scope: { all: true }, effect: 'deny' };
    world.gate.operateAs('oncall', JSON.stringify(pause));
    await world.rest();
    await voided(world, 'once');
    const first = await world.look.control.read();
    await voided(world, 'again');
    const second = await world.look.control.read();
    expect(second.permitEpoch).toBeGreaterThan(first.permitEpoch);
    await voided(world, 'once');
    expect(await world.look.control.read()).toEqual(second);
    expect(second.pauses).toHaveLength(1);
  });
});
