/**
 * Checks that an approval for later answers only calls that its givers could approve (D52, D57).
 *
 * Taking it back ends it, and its permits too.
 */
import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { SCOPE } from '../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import { e2eGate } from './gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from './harness/agents.ts';
import { invoke } from './harness/functions.ts';
import { waiting } from './harness/rows.ts';
import { ALICE, approve, BOB, cardOf, choose, reject } from './harness/slack.ts';
import { until } from './harness/until.ts';

// Where this file runs alone, the gate is deployed in a hook's time, which is longer than a test's.
beforeAll(async () => {
  await e2eGate();
});

/** Somebody approves a proposal for the rest of its session. */
async function approveForSession(user: string, agent: Agent, proposalId: string): Promise<void> {
  const { slack } = await e2eGate();
  const { channel, ts } = await cardOf(agent.pid(proposalId));
  const before = slack.views(user).length;
  await choose(user, { channel, ts }, ACTIONS.session);
  const { id: viewId } = await until('the modal', () =>
    slack.views(user).length > before ? slack.views(user).at(-1) : undefined,
  );
  const values = { [SCOPE.block]: { [SCOPE.action]: 'session' } };
  expect(await slack.submitView({ user, viewId, values })).toMatchObject({ ok: true });
  expect(await agent.wait(proposalId)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
}

it('D52 an approval for a parent’s session answers no call of an agent that its giver owns', async () => {
  const [builder, aide] = [await agentNamed('builder'), await agentNamed('aide')];
  const [parent, child] = [randomUUID(), randomUUID()];
  const command = `make part-${newId()}`;
  const start = await builder.run('git status', { sessionId: parent, starts: { agentId: 'aide', sessionId: child } });
  expect((await builder.wait(start)).outcome).toBe('approved');
  await approveForSession(ALICE, builder, await builder.run(command, { sessionId: parent }));
  const own = await builder.wait(await builder.run(command, { sessionId: parent }));
  expect(own).toMatchObject({ outcome: 'approved', reasonCode: 'cache_hit' });

  // Alice owns the aide: on its own card she is refused, and her approval for the builder is none for it.
  const asked = await aide.run(command, { sessionId: child });
  await waiting(aide.pid(asked));
  await approve(ALICE, await cardOf(aide.pid(asked)));
  expect((await waiting(aide.pid(asked))).approval.votes).toEqual([]);
  await reject(BOB, await cardOf(aide.pid(asked)), 'Not by the aide.');
  expect((await aide.wait(asked)).outcome).toBe('denied');

  const other = `make other-${newId()}`;
  await approveForSession(BOB, builder, await builder.run(other, { sessionId: parent }));
  const answered = await aide.wait(await aide.run(other, { sessionId: child }));
  expect(answered).toMatchObject({ outcome: 'approved', reasonCode: 'bubble' });
});

it('D57 what is taken back takes its permits with it, at the redeem function', async () => {
  const [builder, oncall] = [await agentNamed('builder'), await operatorNamed('oncall')];
  const session = randomUUID();
  const input = { env: 'test', replicas: 1 };
  const ship = () => builder.client.propose({ proposalId: newId(), toolName: 'Ship', input, sessionId: session });
  await approveForSession(ALICE, builder, await ship());
  const permitted = async () => {
    const proposalId = await ship();
    const decision = await builder.wait(proposalId);
    expect(decision).toMatchObject({ outcome: 'approved', reasonCode: 'cache_hit' });
    const permitId = decision.calls[0]?.permit?.permitId;
    return { agent: 'builder', proposalId, callId: 'call', permitId, toolName: 'Ship', input };
  };
  const [before, after] = [await permitted(), await permitted()];
  expect((await invoke('redeem', before)).answer).toMatchObject({ granted: true });

  await oncall.done({ kind: 'revoke', agent: 'builder', session });
  expect((await invoke('redeem', after)).answer).toMatchObject({
    granted: false,
    permit: 'none',
    error: { code: 'revoked' },
  });
  const again = await ship();
  await waiting(builder.pid(again));
});
