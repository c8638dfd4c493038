/** Checks that the gate runs an approved call once, under its permit and guardrails (A19, G32). */
import { describe, expect, test } from 'vitest';
import { providerThrottledError } from '../../../../shared/guardrails/limits/limit-errors.ts';
import { executionError } from '../../../../shared/guardrails/settings/errors.ts';
import type { GuardrailEvent } from '../../../../shared/ports/guardrail-events.ts';
import { approvedCall, guarded, redeemed, requestRun, resultOf, scriptedTools } from '../running.ts';
import { policyOf, World } from '../world.ts';

const MINUTE = 60_000;

function worldWith(guardrails = '{}', names = ['Refund', 'Save', 'Search']) {
  const scripted = scriptedTools(...names);
  const world = new World(guarded(guardrails), { tools: scripted.tools });
  return { world, scripted };
}

const ran = async (world: World, proposalId = 'p1') =>
  (await world.audit(proposalId)).filter(({ type }) => type === 'ran');

describe('an execution', () => {
  test('runs the approved call, and the agent reads what it gave', async () => {
    const { world, scripted } = worldWith();
    await requestRun(world, await approvedCall(world));
    expect(await resultOf(world)).toMatchObject({
      status: 'succeeded',
      permit: 'spent',
      output: { done: { order: 7 } },
      attempts: 1,
    });
    expect(scripted.calls).toHaveLength(1);
    expect(scripted.calls[0]?.idempotencyKey).toMatch(/^[0-9a-f]{32}$/);
    expect(await ran(world)).toMatchObject([{ reasonCode: 'succeeded', ran: { by: 'gate', toolName: 'Refund' } }]);
  });

  test('has a key that nobody can compute who may not read its decision: an agent that stated it would have the call taken for done', async () => {
    const keys = await Promise.all(
      [1, 2].map(async (byte) => {
        const { tools, calls } = scriptedTools('Refund');
        const world = new World(guarded('{}'), { tools, digestKey: new Uint8Array(32).fill(byte) });
        await requestRun(world, await approvedCall(world));
        return calls[0]?.idempotencyKey;
      }),
    );
    expect(new Set(keys).size).toBe(2);
  });

  test('its results are for its own agent to read', async () => {
    const { world } = worldWith();
    await requestRun(world, await approvedCall(world));
    const { results } = world.gate.agentSide('writer');
    await expect(results.read('coder', world.pid('p1'), 'r1')).rejects.toThrow('may not read');
  });

  test('delivered twice, or asked for again, it runs once', async () => {
    const { world, scripted } = worldWith();
    const call = await approvedCall(world);
    await Promise.all([requestRun(world, call), requestRun(world, call)]);
    await requestRun(world, call);
    await requestRun(world, call, 'r2');
    expect(scripted.calls).toHaveLength(1);
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded' });
    expect(await resultOf(world, 'p1', 'r2')).toMatchObject({
      status: 'refused',
      permit: 'spent',
      error: { code: 'already_consumed' },
    });
    expect(await redeemed(world, call)).toMatchObject({ error: { code: 'already_consumed' } });
  });

  test('of another input than the approved one, or of another agent, is refused', async () => {
    const { world, scripted } = worldWith();
    const call = await approvedCall(world);
    await requestRun(world, call, 'r1', { input: { order: 8 } });
    expect(await resultOf(world)).toMatchObject({
      status: 'refused',
      permit: 'none',
      error: { code: 'action_digest_mismatch' },
    });
    await requestRun(world, { ...call, agent: 'writer' }, 'r1');
    expect(await resultOf(world, 'p1', 'r1', 'writer')).toMatchObject({ error: { code: 'unknown_permit' } });
    expect(scripted.calls).toEqual([]);
  });

  test.each(['not json', '{"requestId":"r1"}', '{"requestId":"r1","requestId":"r2"}', '[]'])(
    'that cannot be read is audited: %s',
    async (raw) => {
      const { world } = worldWith();
      await world.gate.agentSide('coder').executions.publish(raw, 'coder');
      await world.rest();
      const [record] = await world.look.audit.recent('coder', 1);
      expect(record?.entry).toMatchObject({ type: 'refused', reasonCode: 'invalid_request' });
      expect(world.gate.queues.executions.deadLetters).toEqual([]);
    },
  );

  test.each([
    ['holds a key that is forbidden', '"input":{"__proto__":{"force":true}}', 'this key is not allowed'],
    ['holds a number that readers disagree on', '"input":{"id":9007199254740993}', 'is a number outside'],
    ['says a key twice', '"toolName":"Refund","toolName":"Save"', 'the key stands there twice'],
    ['has a field that nobody knows', '"toolName":"Refund","input":{},"approved":true', 'approved: is not a field of'],
    ['misspells a field', '"toolname":"Refund","input":{}', 'toolname: is not a field of this message'],
    ['names no tool', '"input":{}', 'toolName: is missing'],
  ])('that %s is answered under the ids that it gives, so that nobody waits for it', async (_, fields, problem) => {
    const { world, scripted } = worldWith();
    const raw = `{"proposalId":"p1","callId":"call","requestId":"r1","permitId":"x",${fields}}`;
    await world.gate.agentSide('coder').executions.publish(raw, 'coder');
    await world.rest();
    const result = await resultOf(world);
    expect(result).toMatchObject({
      ...{ status: 'refused', permit: 'none', callId: 'call', error: { code: 'InvalidRequest' }, attempts: 0 },
    });
    expect(result?.error?.message).toContain(problem);
    const refused = (await world.audit('p1')).filter(({ type }) => type === 'refused');
    expect(refused).toMatchObject([{ reasonCode: 'invalid_request' }]);
    expect(scripted.calls).toEqual([]);
  });

  test('of a tool without a target is refused, and the permit stays usable elsewhere', async () => {
    const { world } = worldWith('{}', []);
    const call = await approvedCall(world);
    await requestRun(world, call);
    expect(await resultOf(world)).toMatchObject({
      status: 'refused',
      permit: 'usable',
      error: { code: 'ToolNotFound' },
    });
    expect(await redeemed(world, call)).toMatchObject({ granted: true });
  });

  test('R3-090 of an MCP tool that the policy file does not list is refused', async () => {
    const scripted = scriptedTools('mcp__github__create_issue');
    const tools = scripted.tools.map((tool) => ({ ...tool, origin: 'mcp::github' }));
    const world = new World(policyOf({ allow: ["'mcp__github__*'"] }), { tools });
    await requestRun(world, await approvedCall(world, { toolName: 'mcp__github__create_issue' }));
    expect(await resultOf(world)).toMatchObject({
      status: 'refused',
      error: { category: 'AuthError', code: 'ToolNotListed' },
    });
    expect(scripted.calls).toEqual([]);
  });
});

describe('guardrails around it', () => {
  test('GR-025 what is not idempotent is tried once, whatever the error', async () => {
    const { world, scripted } = worldWith('{ environments: { production: { maxRetries: 3 } } }');
    scripted.behave = async () => {
      throw executionError('no answer', { transient: true });
    };
    await requestRun(world, await approvedCall(world));
    expect(scripted.calls).toHaveLength(1);
    expect(await resultOf(world)).toMatchObject({ status: 'unknown', attempts: 1, error: { code: 'ToolFailed' } });
  });

  test('an idempotent write is tried again under the same key', async () => {
    const { world, scripted } = worldWith('{ tools: { Save: { maxRetries: 2 } } }');
    scripted.behave = async ({ number }) => {
      if (number < 3) throw executionError('busy', { transient: true });
      return 'saved';
    };
    await requestRun(world, await approvedCall(world, { toolName: 'Save' }), 'r1', { idempotencyKey: 'mine' });
    await world.clock.advance(10_000);
    expect(scripted.calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['mine', 'mine', 'mine']);
    expect(await resultOf(world)).toMatchObject({ status: 'succeeded', output: 'saved', attempts: 3 });
  });

  test('G32 G35 what is admitted at its second try only is begun then, on the record, and spends the permit', async () => {
    const { world, scripted } = worldWith('{ tools: { Save: { maxRetries: 2, ratePerSecond: 1, burst: 1 } } }');
    await requestRun(world, await approvedCall(world, { toolName: 'Save' }));
    const second = await approvedCall(world, { toolName: 'Save', proposalId: 'p2' });
    await requestRun(world, second);
    await world.clock.advance(5000);
    expect(await resultOf(world, 'p2')).toMatchObject({ status: 'succeeded', permit: 'spent', attempts: 2 });
    expect(await ran(world, 'p2')).toMatchObject([{ reasonCode: 'succeeded' }]);
    await requestRun(world, second, 'r2');
    expect(await resultOf(world, 'p2', 'r2')).toMatchObject({ status: 'refused', error: { code: 'already_consumed' } });
    expect(scripted.calls).toHaveLength(2);
  });

  test('a time-out says how long it took and how long it might; its late answer changes nothing', async () => {
    const { world, scripted } = worldWith('{ tools: { Refund: { timeoutMs: 2000 } } }');
    let answer: (value: unknown) => void = () => undefined;
    scripted.behave = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    await requestRun(world, await approvedCall(world));
    await world.clock.advance(2000);
    expect(await resultOf(world)).toMatchObject({
      status: 'unknown',
      error: { category: 'PolicyError', code: 'Timeout', details: { elapsedMs: 2000, deadlineMs: 2000 } },
    });
    answer('late');
    await world.clock.advance(MINUTE);
    expect(await resultOf(world)).toMatchObject({ status: 'unknown' });
    expect(world.slack.notices).toHaveLength(1);
  });

  test("R3-016 the caller's own deadline holds, as long as the gate's is not earlier", async () => {
    const { world, scripted } = worldWith();
    scripted.behave = () => new Promise(() => undefined);
    const deadlineAt = world.clock.now() + 2000;
    await requestRun(world, await approvedCall(world), 'r1', { limits: { deadlineAt } });
    await world.clock.advance(2000);
    expect(await resultOf(world)).toMatchObject({ error: { code: 'Timeout', details: { deadlineMs: 2000 } } });
    const call = await approvedCall(world, { proposalId: 'p2' });
    await requestRun(world, call, 'r1', { limits: { deadlineAt } });
    expect(await resultOf(world, 'p2')).toMatchObject({
      status: 'refused',
      permit: 'usable',
      error: { code: 'Timeout', details: { elapsedMs: 0, deadlineMs: 0 } },
    });
    expect(scripted.calls).toHaveLength(1);
  });

  test.each(['the gate', 'the agent'])(
    'R3-083 a looser limit is clamped, and said so, where %s runs it',
    async (who) => {
      const applied: unknown[] = [];
      const onEvent = ({ name, detail }: GuardrailEvent) => void (name === 'PolicyApplied' && applied.push(detail));
      const world = new World(guarded('{ tools: { Refund: { timeoutMs: 2000 } } }'), {
        tools: scriptedTools('Refund').tools,
        onEvent,
      });
      const call = await approvedCall(world);
      const limits = { timeoutMs: 9000, maxRetries: 4, ratePerSecond: 1 };
      if (who === 'the gate') await requestRun(world, call, 'r1', { limits });
      else await redeemed(world, { ...call, limits });
      expect(applied).toMatchObject([
        { timeoutMs: 2000, clamped: ['timeoutMs', 'maxRetries'], rateLimit: { ratePerSecond: 1 } },
      ]);
    },
  );

  test('R3-082 what was approved as a call that is never repeated is not repeated under a later, looser policy', async () => {
    const scripted = scriptedTools('Fetch');
    scripted.behave = async () => {
      throw executionError('busy', { transient: true });
    };
    const policy = (tool: string) =>
      policyOf({
        allow: ['Fetch'],
        more: `tools:\n  Fetch: ${tool}\nguardrails: { environments: { production: { maxRetries: 3 } } }`,
      });
    const world = new World(policy('{ permissions: [Write] }'), { tools: scripted.tools });
    const call = await approvedCall(world, { toolName: 'Fetch' });
    world.gate.usePolicy(policy('{ permissions: [Write], effect: IdempotentWrite }'));
    await requestRun(world, call);
    await world.clock.advance(10_000);
    expect(await resultOf(world)).toMatchObject({ status: 'unknown', attempts: 1 });
  });

  test('GR-039 GR-016 a rate holds in bypass mode, too: refused with a hint, the permit is usable later', async () => {
    const scripted = scriptedTools('Search');
    const world = new World(
      policyOf({
        agents: '  coder: { owner: olga, mode: bypass }',
        more: 'tools:\n  Search: { permissions: [Network] }\nbypass: { enabled: true }\nguardrails: { tools: { Search: { ratePerSecond: 0.1, burst: 1 } } }',
      }),
      { tools: scripted.tools },
    );
    await requestRun(world, await approvedCall(world, { toolName: 'Search' }));
    const second = await approvedCall(world, { toolName: 'Search', proposalId: 'p2' });
    await requestRun(world, second);
    expect(await resultOf(world, 'p2')).toMatchObject({
      status: 'refused',
      permit: 'usable',
      error: { code: 'RateLimited', details: { retryAfterMs: 10_000 } },
    });
    await world.clock.advance(10_000);
    await requestRun(world, second, 'r2');
    expect(await resultOf(world, 'p2', 'r2')).toMatchObject({ status: 'succeeded' });
  });

  test("R3-060 a provider's 429 closes its bucket for that long", async () => {
    const { world, scripted } = worldWith();
    scripted.behave = async () => {
      throw providerThrottledError('local', 5000);
    };
    await requestRun(world, await approvedCall(world, { toolName: 'Search' }));
    await requestRun(world, await approvedCall(world, { toolName: 'Save', proposalId: 'p2' }));
    expect(await resultOf(world, 'p2')).toMatchObject({
      status: 'refused',
      error: { code: 'RateLimited', details: { scope: 'provider' } },
    });
    expect(scripted.calls).toHaveLength(1);
  });

  test('what a tool throws shows neither stack nor secret; secrets in its output are taken out', async () => {
    const { world, scripted } = worldWith();
    scripted.behave = async () => {
      throw new Error('password=hunter2 at /srv/tool.js:7');
    };
    await requestRun(world, await approvedCall(world, { toolName: 'Search' }));
    const failed = await resultOf(world);
    expect(failed).toMatchObject({
      status: 'unknown',
      error: { category: 'ExecutionError', message: 'The tool failed.' },
    });
    expect(JSON.stringify(failed)).not.toMatch(/hunter2|tool\.js/);
    scripted.behave = async () => ({ user: 'ann', password: 'hunter2' });
    await requestRun(world, await approvedCall(world, { toolName: 'Search', proposalId: 'p2' }));
    const shown = await resultOf(world, 'p2');
    expect(shown).toMatchObject({ status: 'succeeded', output: { user: 'ann' }, redactions: ['password'] });
    expect(JSON.stringify(shown)).not.toContain('hunter2');
  });

  test('G25 a pause between approval and run stops it', async () => {
    const { world, scripted } = worldWith();
    const call = await approvedCall(world);
    world.gate.operateAs(
      'oncall',
      JSON.stringify({ kind: 'pause', operationId: 'o1', reason: 'drill', scope: { tool: 'Refund' }, effect: 'deny' }),
    );
    await world.rest();
    await requestRun(world, call);
    expect(await resultOf(world)).toMatchObject({ status: 'refused', permit: 'usable', error: { code: 'paused' } });
    expect(scripted.calls).toEqual([]);
  });
});
