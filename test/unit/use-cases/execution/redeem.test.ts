/** Checks permits: one run of exactly what was approved, while it may run (A19, G17, G25, G32). */
import { describe, expect, test } from 'vitest';
import type { RedeemAnswer } from '../../../../shared/contract/index.ts';
import { approvedCall, guarded, redeemed, report, requestRun, resultOf, scriptedTools } from '../running.ts';
import { policyOf, World } from '../world.ts';

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

  test('is for no more than was approved: a request is read as the queues read, at any depth', async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const { redeemer } = world.gate.agentSide('coder');
    const { decision: _, input, ...rest } = call;
    const deep = (levels: number): unknown => (levels === 0 ? 1 : { a: deep(levels - 1) });
    let bottomless: unknown = 1;
    for (let level = 0; level < 100_000; level++) bottomless = [bottomless];
    for (const [more, problem] of [
      [JSON.parse('{"__proto__":{"force":true}}'), 'input.__proto__: this key is not allowed'],
      [{ nested: [JSON.parse('{"__proto__":1}')] }, 'input.nested[0].__proto__: this key is not allowed'],
      [{ constructor: { prototype: 1 } }, 'input.constructor: this key is not allowed'],
      [{ id: 2 ** 53 }, 'input.id: is a number outside'],
      [{ id: Number.POSITIVE_INFINITY }, 'input.id: is a number outside'],
      [{ text: '\ud800' }, 'input.text: holds half of a surrogate pair'],
      [{ text: 'x'.repeat(1024 * 1024) }, 'the message has more than'],
      [{ deep: deep(70) }, 'nested deeper than 64 levels'],
      [{ deep: bottomless }, 'nested deeper than 64 levels'],
    ] as const) {
      // As Lambda parses it: what JSON says twice or adds is an own key.
      const given = Object.defineProperties({ ...input }, Object.getOwnPropertyDescriptors(more));
      const answer = await redeemer.redeem({ ...rest, input: given });
      expect(answer).toMatchObject({ granted: false, permit: 'none', error: { code: 'InvalidRequest' } });
      expect(answer.granted ? '' : answer.error.message).toContain(problem);
    }
    const misspelt = await redeemer.redeem({ ...rest, input, cmd: '/' } as never);
    expect(misspelt).toMatchObject({
      error: { message: expect.stringContaining('cmd: is not a field of this message') },
    });
    for (const more of [JSON.parse('{"limits":{"__proto__":1}}'), JSON.parse('{"fs":{"symlinks":{"__proto__":"/"}}}')])
      expect(codeOf(await redeemer.redeem({ ...rest, input, ...(more as object) }))).toBe('InvalidRequest');
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
    // The approvers see what became of it.
    await report(asked, { ...human, decision });
    expect(asked.slack.titles).toEqual(['Approved, ran: coder · Refund']);
    expect(asked.slack.thread).toEqual([]);
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

  test.each(['-operations', '-dead-letters', '-clicks', 'nobody'])(
    'who may redeem puts no entry of theirs among those of %s, by stating that name',
    async (agent) => {
      const world = new World(guarded());
      const { decision: _, ...request } = await approvedCall(world);
      const { redeemer } = world.gate.agentSide('coder');
      expect(codeOf(await redeemer.redeem({ ...request, agent }))).toBe('unknown_permit');
      const refusals = async (name: string) =>
        (await world.look.audit.ofProposal(name, world.pid(request.proposalId, agent))).length;
      expect([await refusals(agent), await refusals('-unregistered')]).toEqual([0, 1]);
    },
  );
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
      error: {
        category: 'PolicyError',
        code: 'RateLimited',
        details: { retryAfterMs: 1000, scope: 'tool', throttlingScope: 'local::Search' },
        isRetryable: false,
        origin: 'local',
      },
    });
    await world.clock.advance(1000);
    expect(codeOf(await redeemed(world, second))).toBe('granted');
  });

  test('R3-008 R3-020 a refusal is retryable only for what may be retried', async () => {
    const limits = '{ ratePerSecond: 1, burst: 1, maxConcurrent: 9 }';
    const world = new World(
      guarded(`{ tools: { Save: ${limits.replace('}', ', maxRetries: 1 }')}, Refund: ${limits} } }`),
    );
    for (const [toolName, isRetryable] of [
      ['Save', true],
      ['Refund', false],
    ] as const) {
      await redeemed(world, await approvedCall(world, { toolName, proposalId: `${toolName}1` }));
      const second = await approvedCall(world, { toolName, proposalId: `${toolName}2` });
      expect(await redeemed(world, second)).toMatchObject({ error: { code: 'RateLimited', isRetryable } });
    }
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

  test("R3-016 R3-066 the wait to be admitted counts: a granted run is over by the caller's own deadline", async () => {
    const world = new World(guarded());
    const call = await approvedCall(world);
    const { slots } = world.gate.parts.guardrails.admission;
    const acquire = slots.acquire.bind(slots);
    slots.acquire = async (wish) => {
      await world.clock.advance(1500);
      return acquire(wish);
    };
    const deadlineAt = world.clock.now() + 4000;
    expect(await redeemed(world, { ...call, limits: { deadlineAt } })).toMatchObject({
      granted: true,
      timeoutMs: 2500,
      deadlineAt: new Date(deadlineAt).toISOString(),
    });
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
