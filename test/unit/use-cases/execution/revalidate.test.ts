/**
 * Checks the checks between an approval and its run (A19, G25).
 *
 * Covers the folder, and later denials and pauses.
 */
import { describe, expect, test } from 'vitest';
import type { RedeemAnswer, RedeemRequest } from '../../../../shared/contract/index.ts';
import { approvedCall, guarded, redeemed, TOOLS } from '../running.ts';
import { policyOf, World } from '../world.ts';

const codeOf = (answer: RedeemAnswer) => (answer.granted ? 'granted' : answer.error.code);

test('T-016 is for the place that was approved: a folder, or what the call names, that leads elsewhere by now is refused', async () => {
  const folder = '/workspace/app';
  const run = async (world: World, call: RedeemRequest, symlinks: Record<string, string>) =>
    codeOf(await world.gate.agentSide('coder').redeemer.redeem({ ...call, fs: { symlinks } }));

  const asked = new World();
  const push = { toolName: 'Bash', input: { command: 'git push origin main' }, cwd: folder };
  await asked.send({ kind: 'tool-call', proposalId: 'p1', ...push });
  await asked.click('p1', 'alice');
  const permitId = (await asked.decided('p1')).calls[0]?.permit?.permitId ?? '';
  const call = { agent: 'coder', proposalId: 'p1', callId: 'call', permitId, ...push };
  expect(await run(asked, call, { '/workspace': '/etc' })).toBe('place_changed');
  expect(await run(asked, call, { [folder]: folder })).toBe('place_changed');
  expect(await run(asked, call, { '/workspace/app/docs': '/srv/docs' })).toBe('granted');

  const allowed = new World(policyOf({ allow: ["'Edit(//workspace/app/src/**)'"], deny: ["'Edit(//srv/live/**)'"] }));
  const edit = { toolName: 'Edit', input: { file_path: `${folder}/src/a.ts`, old_string: 'a', new_string: 'b' } };
  const { decision: _, ...edited } = await approvedCall(allowed, edit);
  const link = (target: string) => run(allowed, { ...edited }, { [`${folder}/src/a.ts`]: target });
  expect(await link('/srv/live/a.ts')).toBe('policy_changed');
  expect(await link(`${folder}/.git/hooks/pre-commit`)).toBe('policy_changed');
  expect(await link('/srv/else.ts')).toBe('place_changed');
  expect(await link(`${folder}/src/b.ts`)).toBe('granted');
});

test('G25 a denial that came meanwhile holds: of every session of the agent, of a session above it, and of a pause there', async () => {
  const tell = (world: World, operation: Record<string, unknown>) => {
    world.gate.operateAs('oncall', JSON.stringify({ operationId: 'o1', reason: 'incident', ...operation }));
    return world.rest();
  };
  const always = new World(guarded());
  const call = await approvedCall(always);
  await tell(always, { kind: 'add-rule', agent: 'coder', effect: 'deny', pattern: 'Refund' });
  expect(codeOf(await redeemed(always, call))).toBe('policy_changed');

  for (const [operation, code] of [
    [{ kind: 'add-rule', agent: 'lead', session: 'main', effect: 'deny', pattern: 'Refund' }, 'policy_changed'],
    [{ kind: 'pause', scope: { agent: 'lead' }, effect: 'deny' }, 'paused'],
    [{ kind: 'pause', scope: { agent: 'lead' }, effect: 'ask' }, 'paused'],
  ] as const) {
    const agents = '  lead: { owner: alice }\n  coder: { owner: olga, mode: bubble, parents: [lead] }';
    const world = new World(policyOf({ agents, allow: ['Refund', 'Search'], more: TOOLS }));
    const starts = { agentId: 'coder', sessionId: 'main' };
    await world.send({ kind: 'tool-call', proposalId: 's', toolName: 'Search', input: {}, starts }, { agent: 'lead' });
    const below = await approvedCall(world);
    await tell(world, operation);
    expect(codeOf(await redeemed(world, below))).toBe(code);
  }
});

describe('whose mode counts at the run (D2, D9): a denial that came meanwhile', () => {
  const AGENTS = `  lead: { owner: alice }
  coder: { owner: olga, parents: [lead, coder] }`;
  const document = (agents: string) =>
    policyOf({ agents, allow: ['Refund'], more: `bypass: { enabled: true, honoursRules: false }\n${TOOLS}` });
  let operations = 0;
  const tell = (world: World, operation: Record<string, unknown>) => {
    const whole = { operationId: `o${++operations}`, reason: 'x', session: 'main', agent: 'coder', ...operation };
    world.gate.operateAs('oncall', JSON.stringify(whole));
    return world.clock.advance(1);
  };
  const deny = { kind: 'add-rule', effect: 'deny', pattern: 'Refund' };
  const mode = (to: string, more = {}) => ({ kind: 'set-mode', mode: to, ...more });

  test.each([
    // The mode that allowed it is gone (D57).
    ['bypass', 'default', 'revoked'],
    ['default', 'bypass', 'policy_changed'],
  ])('of the call itself the one that it was approved in: %s, then %s: %s', async (then, now, expected) => {
    const world = new World(document(AGENTS));
    await tell(world, mode(then));
    const call = await approvedCall(world);
    await tell(world, mode(now));
    await tell(world, deny);
    expect(codeOf(await redeemed(world, call))).toBe(expected);
  });

  test.each([
    ['lead', 'main', 'bypass', 'granted'],
    ['lead', 'main', 'default', 'policy_changed'],
    ['lead', 'sub', 'bypass', 'granted'],
    ['coder', 'top', 'bypass', 'granted'],
    ['coder', 'top', 'default', 'policy_changed'],
  ])('above it the one that it is in now: %s %s in %s: %s', async (agent, session, to, expected) => {
    const world = new World(document(AGENTS));
    const starts = { agentId: 'coder', sessionId: 'sub' };
    const start = { kind: 'tool-call', proposalId: 's', toolName: 'Refund', input: { order: 1 }, sessionId: session };
    await world.send({ ...start, starts }, { agent });
    await tell(world, mode('bubble', { session: 'sub' }));
    const sub = { kind: 'tool-call', proposalId: 'p1', toolName: 'Refund', input: { order: 7 }, sessionId: 'sub' };
    await world.send(sub);
    const permitId = (await world.decided('p1')).calls[0]?.permit?.permitId ?? '';
    await tell(world, mode(to, { agent, session }));
    await tell(world, { ...deny, agent, session });
    const call = {
      agent: 'coder',
      proposalId: 'p1',
      callId: 'call',
      permitId,
      toolName: 'Refund',
      input: { order: 7 },
    };
    expect(codeOf(await redeemed(world, call))).toBe(expected);
  });

  test('and a session that does not escalate is not asked about those above it', async () => {
    const world = new World(document(AGENTS));
    const starts = { agentId: 'coder', sessionId: 'main' };
    const start = { kind: 'tool-call', proposalId: 's', toolName: 'Refund', input: { order: 1 }, starts };
    await world.send(start, { agent: 'lead' });
    const call = await approvedCall(world);
    await tell(world, { ...deny, agent: 'lead' });
    expect(codeOf(await redeemed(world, call))).toBe('granted');
  });
});
