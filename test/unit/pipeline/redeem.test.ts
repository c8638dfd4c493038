/** Permits: one run of exactly what was approved, while it still may run (A19, G17, G25, G32). */
import { describe, expect, test } from 'vitest';
import type { RedeemAnswer } from '../../../shared/contract/index.ts';
import { UNREGISTERED } from '../../../shared/pipeline/identity.ts';
import { recordReport } from '../../../shared/pipeline/record-outcome.ts';
import { approvedCall, guarded, redeemed, report, requestRun, resultOf, scriptedTools } from './running.ts';
import { policyOf, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const codeOf = (answer: RedeemAnswer) => (answer.granted ? 'granted' : answer.error.code);
const pause = (world: World, effect: 'deny' | 'ask' | 'lift') => {
  world.gate.operateAs(
    'oncall',
    JSON.stringify({ kind: 'pause', operationId: effect, reason: 'x', scope: { all: true }, effect }),
  );
  return world.rest();
};

describe('a permit', () => {
  test('allows one run: the second is told that it was used', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    expect(await redeemed(world, call)).toMatchObject({
      granted: true,
      effect: 'NonIdempotentWrite',
      timeoutMs: 30_000,
    });
    expect(await redeemed(world, call)).toMatchObject({
      granted: false,
      permit: 'spent',
      error: { category: 'AuthError', code: 'already_consumed', isRetryable: false },
    });
  });

  test('G17 of many who redeem it at once, one gets it', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answers = await Promise.all(Array.from({ length: 50 }, () => redeemed(world, call)));
    expect(answers.filter(({ granted }) => granted)).toHaveLength(1);
  });

  test('is for exactly the action that was approved', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    for (const other of [{ input: { order: 8 } }, { toolName: 'Save' }, { cwd: '/tmp' }])
      expect(codeOf(await redeemed(world, { ...call, ...other }))).toBe('action_digest_mismatch');
    expect(codeOf(await redeemed(world, call))).toBe('granted');
  });

  test("is its own agent's: a guessed one, a foreign one and one of another call are unknown", async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await approvedCall(world, { proposalId: 'p2' });
    for (const other of [{ permitId: '0'.repeat(32) }, { agent: 'writer' }, { proposalId: 'p2' }, { callId: 'b' }])
      expect(codeOf(await redeemed(world, { ...call, ...other }))).toBe('unknown_permit');
    expect(codeOf(await redeemed(world, { ...call, agent: 'nobody' }))).toBe('unknown_permit');
    const denied = await world.gate.agentSide('coder').redeemer.redeem({ ...call, limits: 'none' } as never);
    expect(denied).toMatchObject({ granted: false, error: { category: 'ContractError', code: 'InvalidRequest' } });
  });

  test('lasts 15 minutes after an automatic decision, a day after a human one', async () => {
    const world = new World(guarded());
    const automatic = await approvedCall(world);
    await world.clock.advance(15 * MINUTE);
    expect(codeOf(await redeemed(world, automatic))).toBe('permit_expired');

    const asked = new World(policyOf({ ask: ['Refund'], more: 'tools:\n  Refund: { permissions: [Sensitive] }' }));
    await asked.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'Refund', input: {} });
    await asked.click('p1', 'alice');
    const decision = await asked.decided('p1');
    const [call] = decision.calls;
    const human = {
      agent: 'coder',
      proposalId: 'p1',
      callId: 'call',
      permitId: call?.permit?.permitId ?? '',
      toolName: 'Refund',
      input: {},
    };
    await asked.clock.advance(24 * HOUR - 1);
    expect(codeOf(await redeemed(asked, human))).toBe('granted');
    // Whoever approved it hears what became of it.
    await report(asked, { ...human, decision });
    expect(asked.slack.thread).toContain('It ran: Refund succeeded in 5 ms.');
  });

  test('G25 that expires while its call waits to be admitted is not begun, by whoever would run it', async () => {
    const scripted = scriptedTools('Refund');
    const world = new World(guarded('{ tools: { Refund: { maxConcurrent: 1, timeoutMs: 5000 } } }'), {
      tools: scripted.tools,
    });
    const [waits, runs] = [await approvedCall(world), await approvedCall(world, { proposalId: 'p2' })];
    await world.clock.advance(14 * MINUTE);
    const later = await approvedCall(world, { proposalId: 'p3' });
    await world.clock.advance(MINUTE - 1000);
    let done: (value: unknown) => void = () => undefined;
    scripted.behave = () =>
      new Promise((resolve) => {
        done = resolve;
      });
    await requestRun(world, later);
    const answer = redeemed(world, waits);
    await requestRun(world, runs);
    await world.clock.advance(2000);
    done('over');
    await world.rest();
    expect(await answer).toMatchObject({ granted: false, permit: 'none', error: { code: 'permit_expired' } });
    expect(await resultOf(world, 'p2')).toMatchObject({
      status: 'refused',
      permit: 'none',
      error: { code: 'permit_expired' },
    });
    expect(scripted.calls).toHaveLength(1);
    // Neither left anything behind: the slot is free.
    scripted.behave = async () => 'done';
    const next = await approvedCall(world, { proposalId: 'p4' });
    await requestRun(world, next);
    expect(await resultOf(world, 'p4')).toMatchObject({ status: 'succeeded' });
  });

  test('A21 of a tool whose slots others hold is refused at once, whoever was let in by this process before', async () => {
    const world = new World(guarded('{ tools: { Save: { maxConcurrent: 1, ratePerSecond: 100 } } }'));
    const [first, second] = [
      await approvedCall(world, { toolName: 'Save' }),
      await approvedCall(world, { toolName: 'Save', proposalId: 'p2' }),
    ];
    expect(codeOf(await redeemed(world, first))).toBe('granted');
    expect(await redeemed(world, second)).toMatchObject({
      granted: false,
      permit: 'usable',
      error: { code: 'ConcurrencyLimited', details: { retryAfterMs: expect.any(Number) } },
    });
    await report(world, first);
    expect(codeOf(await redeemed(world, second))).toBe('granted');
  });

  test('A26 of an older epoch is void', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const control = await world.look.control.read();
    await world.look.control.write({ ...control, version: control.version + 1, permitEpoch: 1 });
    expect(await redeemed(world, call)).toMatchObject({ permit: 'none', error: { code: 'permit_revoked' } });
  });

  test('carries the settings that were resolved for its call', async () => {
    const world = new World(guarded('{ tools: { Save: { timeoutMs: 5000, maxRetries: 2 } } }'));
    const { decision } = await approvedCall(world, { toolName: 'Save' });
    expect(decision.calls[0]?.permit?.guardrails).toEqual({
      effect: 'IdempotentWrite',
      timeoutMs: 5000,
      maxRetries: 2,
    });
  });

  test('of a policy that was loosened meanwhile keeps its tighter settings; a tightened one holds at once', async () => {
    const world = new World(guarded('{ tools: { Save: { timeoutMs: 5000 } } }'));
    const call = await approvedCall(world, { toolName: 'Save' });
    world.gate.usePolicy(guarded('{ tools: { Save: { timeoutMs: 60000 } } }'));
    expect(await redeemed(world, call)).toMatchObject({ granted: true, timeoutMs: 5000 });
    const other = await approvedCall(world, { toolName: 'Save', proposalId: 'p2' });
    world.gate.usePolicy(guarded('{ tools: { Save: { timeoutMs: 2000 } } }'));
    await report(world, call);
    expect(await redeemed(world, other)).toMatchObject({ granted: true, timeoutMs: 2000 });
  });
});

describe('G25 what happened between approval and run', () => {
  test('a deny rule that was added stops it; without the rule the same permit runs', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    world.gate.usePolicy(policyOf({ deny: ['Refund'], more: 'tools:\n  Refund: { permissions: [Sensitive] }' }));
    expect(await redeemed(world, call)).toMatchObject({ permit: 'usable', error: { code: 'policy_changed' } });
    world.gate.usePolicy(guarded());
    expect(codeOf(await redeemed(world, call))).toBe('granted');
  });

  test('a path that is protected by now stops it', async () => {
    const allowed = (more: string) =>
      policyOf({ allow: ['Save'], more: `tools:\n  Save: { permissions: [Write] }\n${more}` });
    const world = new World(allowed(''));
    const call = await approvedCall(world, { toolName: 'Save', input: { file_path: '/workspace/ledger.db' } });
    world.gate.usePolicy(allowed('protectedPaths: { add: ["**/ledger.db"] }'));
    expect(await redeemed(world, call)).toMatchObject({ permit: 'usable', error: { code: 'policy_changed' } });
    world.gate.usePolicy(allowed(''));
    expect(codeOf(await redeemed(world, call))).toBe('granted');
  });

  test('a pause stops it; lifted, it runs. One that wants people asked stops only what no person approved', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    for (const effect of ['deny', 'ask'] as const) {
      await pause(world, effect);
      expect(codeOf(await redeemed(world, call))).toBe('paused');
    }
    await pause(world, 'lift');
    expect(codeOf(await redeemed(world, call))).toBe('granted');
  });

  test('an agent that the policy no longer lists runs nothing', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    world.gate.usePolicy(policyOf({ agents: '  writer: { owner: olga }' }));
    expect(codeOf(await redeemed(world, call))).toBe('policy_changed');
  });
});

describe('guardrails', () => {
  test('a refusal before the call leaves the permit usable, and says when to come back', async () => {
    const world = new World(guarded('{ tools: { Search: { ratePerSecond: 1, burst: 1, maxConcurrent: 9 } } }'));
    const first = await approvedCall(world, { toolName: 'Search' });
    const second = await approvedCall(world, { toolName: 'Search', proposalId: 'p2' });
    expect(codeOf(await redeemed(world, first))).toBe('granted');
    expect(await redeemed(world, second)).toMatchObject({
      granted: false,
      permit: 'usable',
      error: { category: 'PolicyError', code: 'RateLimited', details: { retryAfterMs: 1000, scope: 'tool' } },
    });
    await world.clock.advance(1000);
    expect(codeOf(await redeemed(world, second))).toBe('granted');
  });

  test('the slot of a run that was reported is free; of one that was not, when its lease ends', async () => {
    const world = new World(guarded('{ tools: { Search: { timeoutMs: 10000, maxQueue: 0 } } }'));
    const calls = await Promise.all(
      ['p1', 'p2', 'p3'].map((proposalId) => approvedCall(world, { toolName: 'Search', proposalId })),
    );
    const [first, second, third] = calls;
    if (!first || !second || !third) throw new Error('three calls');
    expect(codeOf(await redeemed(world, first))).toBe('granted');
    expect(codeOf(await redeemed(world, second))).toBe('ConcurrencyLimited');
    await report(world, first);
    expect(codeOf(await redeemed(world, second))).toBe('granted');
    expect(codeOf(await redeemed(world, third))).toBe('ConcurrencyLimited');
    await world.clock.advance(15_000);
    expect(codeOf(await redeemed(world, third))).toBe('granted');
  });

  test('limits of the call itself only tighten; those that are none are refused', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    expect(codeOf(await redeemed(world, { ...call, limits: { timeoutMs: -1 } }))).toBe('InvalidLimit');
    expect(codeOf(await redeemed(world, { ...call, limits: { colour: 1 } }))).toBe('InvalidLimit');
    expect(await redeemed(world, { ...call, limits: { timeoutMs: 900_000 } })).toMatchObject({
      granted: true,
      timeoutMs: 30_000,
    });
  });

  test('R3-090 a new MCP tool is not run before the policy file lists it', async () => {
    const world = new World(policyOf({ allow: ["'mcp__github__*'"] }));
    const call = await approvedCall(world, { toolName: 'mcp__github__create_issue' });
    expect(await redeemed(world, call)).toMatchObject({ permit: 'usable', error: { code: 'ToolNotListed' } });
  });
});

describe('outcomes', () => {
  const ran = async (world: World) => (await world.audit('p1')).filter(({ type }) => type === 'ran');

  test('are on the record once, however often they are reported', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    await redeemed(world, call);
    await report(world, call);
    await report(world, call);
    expect(await ran(world)).toMatchObject([
      { reasonCode: 'succeeded', ran: { callId: 'call', by: 'holder', durationMs: 5 } },
    ]);
    // Another word on the same run comes too late.
    await report(world, call, { status: 'failed' });
    const refused = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused.map(({ reasonCode }) => reasonCode)).toEqual(['already_recorded']);
    expect(await ran(world)).toHaveLength(1);
  });

  test.each([
    ['of a permit that nobody redeemed', {}, 'coder', 'unknown_permit', false],
    ['of another permit', { permitId: 'guess' }, 'coder', 'unknown_permit', true],
    ['of another action', { actionDigest: 'b'.repeat(64) }, 'coder', 'action_digest_mismatch', true],
    ["of another agent's", {}, 'writer', 'unknown_permit', true],
    ['with a cost that is none (G29)', { cost: -1 }, 'coder', 'invalid_outcome', true],
    ['with a field that nobody knows', { approved: true }, 'coder', 'invalid_outcome', true],
  ])('%s are refused and audited', async (_, more, agent, code, redeem) => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    if (redeem) await redeemed(world, call);
    await report(world, call, more, agent);
    const records = await world.look.audit.recent(agent, 5);
    expect(records.map(({ entry }) => entry.reasonCode)).toContain(code);
    expect(await ran(world)).toEqual([]);
  });

  const byServer = (world: World, { decision, ...call }: Awaited<ReturnType<typeof approvedCall>>, more = {}) => {
    const { proposalId, callId, permitId } = call;
    const { actionDigest } = decision.calls[0] ?? {};
    const outcome = { status: 'succeeded', startedAt: '2026-11-21T09:00:00.000Z', durationMs: 5 };
    const raw = {
      agent: 'coder',
      proposalId,
      callId,
      permitId,
      actionDigest,
      redemptionId: 'guess',
      ...outcome,
      ...more,
    };
    return recordReport({ messageId: world.ids.next(), raw }, world.gate.parts);
  };

  test.each([
    ['by a guessed redemption', {}, 'coder', 'unknown_permit'],
    ['for another agent', { agent: 'writer' }, 'writer', 'unknown_permit'],
    ['for an agent that nobody knows', { agent: 'nobody' }, UNREGISTERED, 'unknown_permit'],
    ['of another action', { actionDigest: 'b'.repeat(64) }, 'coder', 'action_digest_mismatch'],
    ['of a cost that is none', { cost: Number.NaN }, UNREGISTERED, 'invalid_outcome'],
    ['that is none', { agent: 7 }, UNREGISTERED, 'invalid_outcome'],
  ])('a report of a tool server %s is refused and audited', async (_, more, recordOf, code) => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, call);
    const redemptionId = answer.granted && 'actionDigest' in more ? answer.redemptionId : 'guess';
    expect(await byServer(world, call, { redemptionId, ...more })).toMatchObject({ recorded: false, code });
    const [record] = await world.look.audit.recent(recordOf, 1);
    expect(record?.entry).toMatchObject({ type: 'refused', reasonCode: code });
    expect(await ran(world)).toEqual([]);
  });

  test('a tool server reports once what it redeemed; a second word of another kind is refused and audited', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const answer = await redeemed(world, call);
    const redemptionId = answer.granted ? answer.redemptionId : '';
    expect(await byServer(world, call, { redemptionId })).toEqual({ recorded: true });
    expect(await byServer(world, call, { redemptionId })).toEqual({ recorded: true });
    expect(await byServer(world, call, { redemptionId, status: 'failed' })).toMatchObject({ code: 'already_recorded' });
    const refused = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused.map(({ reasonCode }) => reasonCode)).toEqual(['already_recorded']);
    expect(await ran(world)).toHaveLength(1);
  });

  test('teach the breaker: reported failures open it, for whoever redeems next (R3-044)', async () => {
    const world = new World(guarded('{ environments: { production: { failureThreshold: 2, ratePerSecond: 100 } } }'));
    for (const proposalId of ['p1', 'p2']) {
      const call = await approvedCall(world, { proposalId });
      expect(codeOf(await redeemed(world, call))).toBe('granted');
      await report(world, call, { status: 'failed', error: { code: 'ToolFailed', message: 'no' } });
    }
    const third = await approvedCall(world, { proposalId: 'p3' });
    expect(await redeemed(world, third)).toMatchObject({
      permit: 'usable',
      error: { code: 'CircuitOpen', details: { circuitState: 'open', retryAfterMs: 60_000 } },
    });
  });

  test('R3-049 a reported 429, or another refusal of a policy, does not count against the tool', async () => {
    const world = new World(guarded('{ environments: { production: { failureThreshold: 2, ratePerSecond: 100 } } }'));
    for (const [index, code] of ['RateLimited', 'CircuitOpen', 'BudgetExceeded', 'ConcurrencyLimited'].entries()) {
      const call = await approvedCall(world, { proposalId: `p${index}` });
      expect(codeOf(await redeemed(world, call))).toBe('granted');
      await report(world, call, { status: 'failed', error: { code, message: 'not now' } });
    }
    expect(codeOf(await redeemed(world, await approvedCall(world, { proposalId: 'last' })))).toBe('granted');
  });

  test('G28 charge the budget with what the call cost', async () => {
    const world = new World(
      guarded('{ agents: { coder: { budget: { costPerDay: 10 } } }, tools: { Refund: { costPerCall: 6 } } }'),
    );
    const [first, second, third] = await Promise.all(
      ['p1', 'p2', 'p3'].map((proposalId) => approvedCall(world, { proposalId })),
    );
    if (!first || !second || !third) throw new Error('three calls');
    expect(codeOf(await redeemed(world, first))).toBe('granted');
    expect(await redeemed(world, second)).toMatchObject({
      error: { code: 'BudgetExceeded', details: { resetAfterMs: expect.any(Number) } },
    });
    await report(world, first, { cost: 1 });
    expect(codeOf(await redeemed(world, second))).toBe('granted');
    await report(world, second, { cost: 6 });
    expect(codeOf(await redeemed(world, third))).toBe('BudgetExceeded');
  });
});

describe('a run that is never reported', () => {
  const silent = async (guardrails: string) => {
    const world = new World(guarded(guardrails));
    const call = await approvedCall(world);
    await redeemed(world, call);
    await world.clock.advance(3 * MINUTE);
    return { world, call };
  };
  const budgeted = (more: string) =>
    `{ agents: { coder: { budget: { costPerDay: 10 } } }, tools: { Refund: { costPerCall: 6 } }${more} }`;

  test('G32 AU-018 is recorded as unknown once its time is over, and a person hears of it', async () => {
    const { world, call } = await silent('{}');
    const [entry] = (await world.audit('p1')).filter(({ type }) => type === 'ran');
    expect(entry).toMatchObject({ reasonCode: 'unknown', ran: { status: 'unknown' } });
    expect(world.slack.said).toEqual([expect.stringContaining('Nobody knows whether a call took effect: Refund')]);
    await report(world, call);
    expect((await world.audit('p1')).at(-1)?.reasonCode).toBe('already_recorded');
    expect(codeOf(await redeemed(world, call))).toBe('already_consumed');
  });

  test('stays charged, or gives back what it reserved, as the policy says', async () => {
    for (const [more, expected] of [
      ['', 'BudgetExceeded'],
      [', unreported: { charge: false }', 'granted'],
    ] as const) {
      const { world } = await silent(budgeted(more));
      const next = await approvedCall(world, { proposalId: 'p2' });
      expect(codeOf(await redeemed(world, next))).toBe(expected);
    }
  });

  test('says nothing about the tool: the breaker stays as it is', async () => {
    const { world } = await silent('{ environments: { production: { failureThreshold: 1 } } }');
    expect(codeOf(await redeemed(world, await approvedCall(world, { proposalId: 'p2' })))).toBe('granted');
  });

  test('of a read announces nothing', async () => {
    const world = new World(guarded());
    await redeemed(world, await approvedCall(world, { toolName: 'Search' }));
    await world.clock.advance(3 * MINUTE);
    expect(world.slack.said).toEqual([]);
  });
});
