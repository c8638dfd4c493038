/** The library's handler and channel over the gate (seeds 0 and 1): what people say on the card is what they pass on. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SlackApprovalChannel, SlackApprovalHandler, type ToolClass } from '../../../shared/approvals/index.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import { World } from '../pipeline/world.ts';
import { anAction, aSnapshot, aSpace } from '../policies/builders.ts';

let world: World;
let client: CountersignClient;
let ids: number;

beforeEach(() => {
  world = new World();
  ids = 0;
  client = new CountersignClient({
    ...world.gate.agentSide('coder'),
    queueUrl: 'memory',
    auditTable: 'memory',
    newId: () => `p${++ids}`,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  });
});
afterEach(() => world.gate.stop());

/** Lets what was just asked reach people. */
const asked = async () => {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    await world.rest();
  }
};
const never = new AbortController().signal;
const push = { command: 'git push origin main' };

describe('the handler', () => {
  const handler = () => new SlackApprovalHandler(client);
  const ask = (input: unknown, signal = never, toolClass: ToolClass = 'Mutating') =>
    handler().approve('Bash', input, toolClass, signal);

  test('allows what a person approved, and what a rule allows without asking anybody', async () => {
    const answer = ask(push);
    await asked();
    await world.click('p1', 'alice');
    expect(await answer).toEqual({ type: 'allow' });
    const automatic = ask({ command: 'git status' });
    await asked();
    expect(await automatic).toEqual({ type: 'allow' });
  });

  test('denies what a person rejected, with the reason for the model', async () => {
    const answer = ask(push);
    await asked();
    await world.click('p1', 'alice', 'reject', { reason: 'not on a Friday' });
    expect(await answer).toMatchObject({ type: 'deny', reason: expect.stringContaining('not on a Friday') });
  });

  test('denies what a rule denies and what nobody answers', async () => {
    const denied = ask({ command: 'rm -rf /tmp/x' });
    await asked();
    expect(await denied).toMatchObject({ type: 'deny' });
    const late = ask(push);
    await asked();
    await world.clock.advance(3_600_000 + 120_000);
    expect(await late).toMatchObject({ type: 'deny', reason: expect.stringContaining('Nobody answered') });
  });

  test('takes the card back when nobody waits any more', async () => {
    const cancel = new AbortController();
    const answer = ask(push, cancel.signal);
    await asked();
    cancel.abort(new Error('cancelled'));
    expect(await answer).toEqual({ type: 'deny', reason: 'cancelled' });
    await asked();
    expect((await world.row('p1')).approval.status).toBe('cancelled');
  });

  test('denies arguments that are no object, without asking', async () => {
    expect(await ask('git push')).toMatchObject({ type: 'deny' });
    expect(ids).toBe(0);
  });
});

describe('the channel', () => {
  const space = aSpace('a', 'b');
  const proposed = space.actions[0] ?? anAction('a');
  const ask = () => new SlackApprovalChannel(client).requestApproval(proposed, space, aSnapshot());

  test('passes on an approval and a rejection', async () => {
    const approved = ask();
    await asked();
    await world.click('p1', 'alice');
    expect(await approved).toMatchObject({ type: 'approved', by: 'T0DEMO/U0ALICE' });
    const rejected = ask();
    await asked();
    await world.click('p2', 'bob', 'reject', { reason: 'the other one' });
    expect(await rejected).toMatchObject({ type: 'rejected', reason: expect.stringContaining('the other one') });
  });

  test('an expiry is a time-out, never a refusal', async () => {
    const late = ask();
    await asked();
    await world.clock.advance(3_600_000 + 120_000);
    expect(await late).toEqual({ type: 'timeout' });
  });
});
