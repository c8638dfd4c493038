/** Checks the gate as an agent's policy: an action of its space, or nothing now (R0-002, R0-032). */
import { describe, expect, test } from 'vitest';
import { CountersignClient, DigestMismatchError, NotApprovedError } from '../../../shared/client/index.ts';
import { choiceDigest } from '../../../shared/domain/digest.ts';
import { runAgentLoop } from '../../../shared/policies/index.ts';
import { choiceWorld, flow, picks, say, snapshot, space } from '../use-cases/choice-world.ts';

const flows = space('update_status', 'release_escrow', 'cancel_order');

/** An agent whose every sleep lets time pass in the gate; `during` is called with each. */
function agentAt(replies: readonly string[] = [], during: (id: string) => Promise<unknown> = async () => undefined) {
  const at = choiceWorld(replies);
  let ids = 0;
  const client = new CountersignClient({
    ...at.world.gate.agentSide('coder'),
    queueUrl: 'memory',
    auditTable: 'memory',
    clock: at.world.clock,
    random: () => 0.5,
    newId: () => `c${++ids}`,
    sleep: async (ms) => {
      await at.world.clock.advance(ms);
      await during(`c${ids}`);
    },
  });
  return { ...at, client };
}

describe('choose', () => {
  test('gives the own action of the space', async () => {
    const { client } = agentAt();
    expect(await client.choose('first', flows, snapshot)).toBe(flows.actions[0]);
  });

  test.each([
    ['refuses', 'reject'],
    ['approves', 'approve'],
  ] as const)('a person %s', async (_name, word) => {
    const at = agentAt([], async (id) => say(at, id, 'alice', { choice: word }));
    const chosen = await at.client.choose('person', flows, snapshot);
    expect(chosen).toBe(word === 'approve' ? flows.actions[0] : null);
  });

  test('after its time-out it is none, and the card is withdrawn: nobody approves what this cycle no longer waits for', async () => {
    const at = agentAt();
    expect(await at.client.choose('person', flows, snapshot, { timeout: 3_000 })).toBeNull();
    await at.world.rest();
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'cancelled' });
    expect((await at.world.row('c1')).approval.status).toBe('cancelled');
    expect(await say(at, 'c1', 'alice', { choice: 'approve' })).not.toMatchObject({ kind: 'counted' });
  });

  test('an answer before its time-out counts', async () => {
    const at = agentAt([], async (id) => say(at, id, 'alice', { choice: 'approve' }));
    expect(await at.client.choose('person', flows, snapshot, { timeout: 61 })).toBe(flows.actions[0]);
  });

  test('an abort ends the wait with its reason, and nothing is chosen', async () => {
    const stop = new AbortController();
    const at = agentAt([], async () => stop.abort(new Error('shut down')));
    await expect(at.client.choose('person', flows, snapshot, { signal: stop.signal })).rejects.toThrow('shut down');
  });

  test('what the gate could not decide is thrown, with the names that there are', async () => {
    const { client } = agentAt();
    const asked = client.choose('astrology', flows, snapshot);
    await expect(asked).rejects.toBeInstanceOf(NotApprovedError);
    await expect(asked).rejects.toThrow(/no agent policy named astrology; declared are first, /);
  });

  test('decisions that may not be read are thrown: a wrong role would otherwise choose nothing for ever', async () => {
    const at = agentAt();
    const refusal = Object.assign(new Error('not yours'), { name: 'AccessDeniedException', $fault: 'client' });
    const strange = new CountersignClient({
      ...at.world.gate.agentSide('coder'),
      queueUrl: 'memory',
      auditTable: 'memory',
      clock: at.world.clock,
      sleep: (ms) => at.world.clock.advance(ms),
      reader: { read: () => Promise.reject(refusal) },
    });
    await expect(strange.choose('first', flows, snapshot)).rejects.toMatchObject({
      code: 'no_decision',
      cause: refusal,
    });
  });

  test('a decision about an action that the space does not hold is thrown', async () => {
    const at = agentAt();
    const { read } = at.world.gate.agentSide('coder').reader;
    const lying = new CountersignClient({
      ...at.world.gate.agentSide('coder'),
      queueUrl: 'memory',
      auditTable: 'memory',
      clock: at.world.clock,
      sleep: (ms) => at.world.clock.advance(ms),
      reader: {
        async read(...which) {
          const row = await read(...which);
          if (!row?.decision) return row;
          return { ...row, decision: { ...row.decision, actionDigest: choiceDigest(flow('invented')) } };
        },
      },
    });
    await expect(lying.choose('first', flows, snapshot)).rejects.toBeInstanceOf(DigestMismatchError);
  });
});

describe('policy', () => {
  test('drives the loop of an agent: each cycle is a choice of its own', async () => {
    const at = agentAt([picks('update_status'), picks('release_escrow')], async (id) => {
      const waiting = await at.world.look.approvals.read(at.world.pid(id));
      if (waiting?.approval.status === 'pending') await say(at, id, 'alice', { choice: 'approve' });
    });
    const stop = new AbortController();
    const executed: string[] = [];
    await runAgentLoop({
      actionSpace: () => flows,
      snapshot: () => snapshot,
      execute: async ({ flow_id }) => {
        executed.push(flow_id);
        if (executed.length === 2) stop.abort();
      },
      policy: at.client.policy('risky', { timeout: 60_000 }),
      signal: stop.signal,
      idle: async () => stop.abort(),
    });
    expect(executed).toEqual(['update_status', 'release_escrow']);
    expect(await at.world.decided('c1')).toMatchObject({ decidedBy: { type: 'policy' } });
    expect(await at.world.decided('c2')).toMatchObject({ decidedBy: { type: 'human' } });
  });

  test('hands its envelope on: session and time of every choice', async () => {
    const at = agentAt();
    const policy = at.client.policy('first', { sessionId: 'night', state: 'mine' });
    expect(await policy.choose(flows, snapshot)).toBe(flows.actions[0]);
    expect(await at.world.decided('c1')).toMatchObject({ state: 'mine' });
    expect((await at.world.audit('c1'))[0]).toMatchObject({ sessionId: 'night' });
  });
});
