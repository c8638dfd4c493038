/**
 * Checks that an operation that loosens has no effect after a newer tightening (A5, A18).
 *
 * Holds however late and often it is delivered.
 */
import { describe, expect, test } from 'vitest';
import { EVERY_SESSION } from '../../../../shared/contract/session.ts';
import { World } from '../world.ts';
import { codes, deliver, type Wire } from './operation-deliveries.ts';

const all = (effect: 'deny' | 'ask' | 'lift', more: object = {}): Wire => ({
  kind: 'pause',
  scope: { all: true },
  effect,
  ...more,
});
const rule = (kind: 'add-rule' | 'remove-rule', effect: 'allow' | 'deny', more: object = {}): Wire => ({
  kind,
  agent: 'coder',
  session: 'main',
  effect,
  pattern: 'Bash(make:*)',
  ...more,
});
const mode = (value: string): Wire => ({ kind: 'set-mode', agent: 'coder', mode: value });
const HOUR = 3_600_000;
const inHours = (world: World, hours: number): string => new Date(world.clock.now() + hours * HOUR).toISOString();

describe('a pause', () => {
  test('that was set again is not lifted by a lift of before, which met a fault and came again (E4)', async () => {
    const world = new World();
    await deliver(world, 1, all('deny'));
    await deliver(world, 3, all('deny', { operationId: 'again' }));
    await deliver(world, 2, all('lift'));
    await deliver(world, 2, all('lift'));
    expect((await world.look.control.read()).pauses).toMatchObject([{ effect: 'deny' }]);
    expect(await codes(world)).toEqual(['paused_deny', 'paused_deny', 'superseded', 'superseded']);
    const [record] = await world.look.audit.recent('-operations', 1);
    const problem = expect.stringMatching(/^operationId: a newer operation of \S+ holds/);
    expect(record?.entry).toMatchObject({ accepted: false, operation: { problem } });
    // Every channel hears it: whoever sent the newer one is not named there.
    expect(world.slack.notices.at(-1)).toContain('Not done. A newer operation of');
    expect(world.slack.notices.at(-1)).not.toContain('again of');
  });

  test('of a sender whose clock is slow is not lifted by an older lift that comes again', async () => {
    const world = new World();
    await deliver(world, 0, all('deny', { operationId: 'first' }));
    await world.clock.advance(HOUR);
    await deliver(world, 5 * 60_000, all('deny', { operationId: 'again' }), { statedAt: 60_000 });
    await deliver(world, 3 * 60_000, all('lift'), { statedAt: 3 * 60_000 });
    expect((await world.look.control.read()).pauses).toMatchObject([{ effect: 'deny' }]);
    expect((await codes(world)).at(-1)).toBe('superseded');
  });

  test.each<[string, Wire, Wire]>([
    ['of all calls becomes no question', all('ask'), all('deny')],
    [
      'of an agent is not lifted',
      { kind: 'pause', scope: { agent: 'coder' }, effect: 'lift' },
      { kind: 'pause', scope: { agent: 'coder' }, effect: 'ask' },
    ],
    ['gets no earlier end', all('deny', { until: '2027-01-01T00:00:00Z' }), all('deny', { operationId: 'longer' })],
  ])('%s by an older operation', async (_, older, newer) => {
    const world = new World();
    await deliver(world, 2, newer);
    const before = (await world.look.control.read()).pauses;
    await deliver(world, 1, older);
    expect((await world.look.control.read()).pauses).toEqual(before);
    expect((await codes(world)).at(-1)).toBe('superseded');
  });

  test('that comes late holds, also after a newer lift: less is stopped only by who sees it', async () => {
    const world = new World();
    await deliver(world, 2, all('lift'));
    await deliver(world, 1, all('deny'));
    expect((await world.look.control.read()).pauses).toMatchObject([{ effect: 'deny' }]);
    await deliver(world, 3, all('lift', { operationId: 'seen' }));
    expect((await world.look.control.read()).pauses).toEqual([]);
  });

  test('of one scope has no order with another', async () => {
    const world = new World();
    await deliver(world, 1, all('deny'));
    await deliver(world, 3, { kind: 'pause', scope: { tool: 'Bash' }, effect: 'deny' });
    await deliver(world, 2, all('lift'));
    expect((await world.look.control.read()).pauses).toMatchObject([{ scope: { tool: 'Bash' } }]);
  });

  test('of more scopes than are remembered is not lifted by an older lift either', async () => {
    const world = new World();
    await deliver(world, 5, { kind: 'pause', scope: { agent: 'coder' }, effect: 'deny' });
    for (let n = 0; n < 30; n++)
      await deliver(world, 6 + n, { kind: 'pause', scope: { tool: `t${n}` }, effect: 'ask' });
    await deliver(world, 4, { kind: 'pause', scope: { agent: 'coder' }, effect: 'lift' });
    const { pauses, orders } = await world.look.control.read();
    expect(pauses).toContainEqual(expect.objectContaining({ scope: { agent: 'coder' } }));
    expect(orders?.scopes).toHaveLength(20);
  });
});

describe('in a session', () => {
  test.each<[string, Wire, Wire, string]>([
    [
      'a rule that was removed does not come back',
      rule('add-rule', 'allow'),
      rule('remove-rule', 'allow'),
      'superseded',
    ],
    [
      'a rule comes not after all was revoked',
      rule('add-rule', 'allow'),
      { kind: 'revoke', agent: 'coder', session: 'main' },
      'superseded',
    ],
    ['a rule that denies again is not removed', rule('remove-rule', 'deny'), rule('add-rule', 'deny'), 'superseded'],
    ['a mode is not loosened', mode('default'), mode('plan'), 'superseded'],
    ['the mode of the policy file does not come back', mode('agent'), mode('dontAsk'), 'superseded'],
    ['a mode that was replaced is not, whichever is looser', mode('acceptEdits'), mode('default'), 'superseded'],
    [
      'a rule comes not after a stricter mode',
      { ...rule('add-rule', 'allow'), session: undefined, until: '2026-12-01T00:00:00Z' },
      mode('plan'),
      'superseded',
    ],
    ['a mode is tightened', mode('plan'), mode('acceptEdits'), 'mode_plan'],
    ['a rule that denies is added', rule('add-rule', 'deny'), rule('remove-rule', 'deny'), 'rule_added_deny'],
    [
      'of two rules the older is added',
      rule('add-rule', 'allow', { pattern: 'Bash(ls:*)' }),
      rule('add-rule', 'allow'),
      'rule_added_allow',
    ],
  ])('%s by what was sent before', async (_, older, newer, code) => {
    const world = new World();
    await deliver(world, 2, newer);
    await deliver(world, 1, older);
    expect((await codes(world)).at(-1)).toBe(code);
  });

  test('a rule gets no later end by what was sent before', async () => {
    const world = new World();
    await deliver(world, 2, rule('add-rule', 'allow', { until: inHours(world, 1) }));
    await deliver(world, 1, rule('add-rule', 'allow', { until: inHours(world, 2) }));
    expect((await codes(world)).at(-1)).toBe('superseded');
  });

  test('what was found to be refused for its order is not done by a further copy', async () => {
    const world = new World();
    const { sessions } = world.gate.parts;
    await deliver(world, 2, mode('plan'));
    for (let n = 0; n < 3; n++) await deliver(world, 1, mode('acceptEdits'));
    expect((await sessions.read('coder', EVERY_SESSION))?.mode).toBe('plan');
  });
});

test('a seat that was taken back is not delegated by an older operation, and is delegated again by a later one', async () => {
  const world = new World();
  const until = inHours(world, 5);
  const give: Wire = { kind: 'delegate', person: 'alice', to: 'olga', until };
  await deliver(world, 2, { kind: 'undelegate', person: 'alice' });
  await deliver(world, 1, give);
  const { delegations } = world.gate.parts;
  expect((await delegations.read()).delegations).toEqual([]);
  await deliver(world, 3, { ...give, operationId: 'later' });
  expect((await delegations.read()).delegations).toHaveLength(1);
  expect(await codes(world)).toEqual(['no_delegation', 'superseded', 'delegated']);
});

describe('the time that counts', () => {
  test('is the first one where a message was sent again, as out of a dead-letter queue', async () => {
    const world = new World();
    await deliver(world, 2, all('deny'));
    await deliver(world, 9, all('lift'), { statedAt: 1 });
    expect((await codes(world)).at(-1)).toBe('superseded');
  });

  test('is never later than the queue received it', async () => {
    const world = new World();
    await deliver(world, 5, all('deny'));
    await deliver(world, 4, all('lift'), { statedAt: 6 });
    expect((await codes(world)).at(-1)).toBe('superseded');
  });

  test.each([
    ['stated', { statedAt: 10 * 60_000 }],
    ['of the queue', { ahead: 10 * 60_000 }],
  ])('that lies ahead, %s, lifts nothing; what tightens holds', async (_, when) => {
    const world = new World();
    await deliver(world, 1, all('deny'), when);
    await deliver(world, 2, all('lift'), when);
    expect(await codes(world)).toEqual(['paused_deny', 'sent_in_future']);
    // Nor does it outdate what is sent until then.
    await world.clock.advance(1_000);
    await deliver(world, 900, all('lift', { operationId: 'now' }));
    expect((await codes(world)).at(-1)).toBe('pause_lifted');
  });
});
