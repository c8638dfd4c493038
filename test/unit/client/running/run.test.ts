/**
 * Runs approved calls from the agent's side (A19).
 *
 * Either the gate runs a call, or a wrapped tool under its redeemed permit.
 */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { toJSONSchema } from 'zod';
import { DigestMismatchError } from '../../../../shared/client/calls/errors.ts';
import { CountersignClient, type CountersignClientOptions } from '../../../../shared/client/index.ts';
import { CountersignError } from '../../../../shared/domain/errors.ts';
import { timeoutError } from '../../../../shared/guardrails/limits/limit-errors.ts';
import { contractError, executionError } from '../../../../shared/guardrails/settings/errors.ts';
import { invocationLimits } from '../../../../shared/guardrails/settings/settings.ts';
import { guarded, scriptedTools } from '../../use-cases/running.ts';
import { policyOf, World } from '../../use-cases/world.ts';

function agentIn(world: World, more: Partial<CountersignClientOptions> = {}) {
  const { clock, gate } = world;
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const callOff = clock.after(ms, resolve);
      signal?.addEventListener('abort', () => {
        callOff();
        resolve();
      });
    });
  return new CountersignClient({ queueUrl: '', auditTable: '', ...gate.agentSide('coder'), sleep, ...more });
}

/** Lets time pass until the promise is resolved or rejected. */
async function resultOf<T>(world: World, promise: Promise<T>): Promise<T> {
  let done = false;
  const mark = () => {
    done = true;
  };
  promise.then(mark, mark);
  for (let turn = 0; turn < 100 && !done; turn++) await world.clock.advance(500);
  return promise;
}

test('execute gives what the tool answered', async () => {
  const { tools } = scriptedTools('Search');
  const world = new World(guarded(), { tools });
  const found = await resultOf(world, agentIn(world).execute({ tool: 'Search', input: { q: 'x' } }));
  expect(found).toEqual({ done: { q: 'x' } });
});

test('execute proposes nothing that the gate could not run, and a call without input is refused where it is made', async () => {
  const world = new World(guarded());
  const { executions: _, ...rest } = world.gate.agentSide('coder');
  const client = new CountersignClient({ queueUrl: '', auditTable: '', ...rest });
  await expect(client.execute({ tool: 'Search', input: {} })).rejects.toThrow(
    /^executionsQueueUrl: is needed, and stateTable too/,
  );
  await expect(client.propose({ toolName: 'Search' } as never)).rejects.toMatchObject({
    name: 'InvalidProposalError',
    message: expect.stringContaining('input: '),
  });
  expect(await world.look.audit.recent('coder', 5)).toEqual([]);
});

test('execute throws what an agent can act on', async () => {
  const scripted = scriptedTools('Search');
  const world = new World(guarded('{ tools: { Search: { timeoutMs: 3000 } } }'), { tools: scripted.tools });
  scripted.behave = () => new Promise(() => undefined);
  await expect(resultOf(world, agentIn(world).execute({ tool: 'Search', input: {} }))).rejects.toMatchObject({
    category: 'PolicyError',
    code: 'Timeout',
    details: { elapsedMs: 3000, deadlineMs: 3000 },
  });
});

test('a wrapped tool redeems its permit, runs, and reports; the limits hold between agents', async () => {
  const world = new World(guarded('{ tools: { Search: { ratePerSecond: 0.01, burst: 1 } } }'));
  const search = agentIn(world).gate('Search', async ({ q }: { q: string }) => `found ${q}`);
  expect(await resultOf(world, search({ q: 'x' }))).toBe('found x');
  await expect(resultOf(world, search({ q: 'y' }))).rejects.toMatchObject({
    code: 'RateLimited',
    details: { scope: 'tool' },
  });
  const ran = (await world.look.audit.recent('coder', 20)).filter(({ entry }) => entry.type === 'ran');
  expect(ran.map(({ entry }) => entry.ran)).toMatchObject([{ status: 'succeeded', by: 'holder' }]);
});

test('a limit that refuses an approved call says how to come back, and the same id asks nobody again', async () => {
  const world = new World(guarded('{ tools: { Search: { ratePerSecond: 0.01, burst: 1 } } }'));
  const search = agentIn(world).gate('Search', async ({ q }: { q: string }) => `found ${q}`);
  await resultOf(world, search({ q: 'x' }));
  const refused = await resultOf(
    world,
    search({ q: 'y' }, { id: 'c-2' }).catch((error: Error) => error.message),
  );
  expect(refused).toMatch(/ratePerSecond 0\.01, burst 1.*call again under the same id, c-2\.$/);
  await world.clock.advance(100_000);
  expect(await resultOf(world, search({ q: 'y' }, { id: 'c-2' }))).toBe('found y');
  const claims = (await world.look.audit.recent('coder', 20)).filter(({ entry }) => entry.type === 'evaluated');
  expect(claims).toHaveLength(2);
});

test('a wrapped tool that fails, or does not end in time, is reported so', async () => {
  const world = new World(guarded('{ environments: { production: { timeoutMs: 2000 } } }'));
  const client = agentIn(world);
  const failing = client.gate('Refund', async () => {
    throw new TypeError('no');
  });
  await expect(resultOf(world, failing({}))).rejects.toThrow('no');
  const hanging = client.gate('Save', () => new Promise(() => undefined));
  await expect(resultOf(world, hanging({}))).rejects.toMatchObject({
    category: 'PolicyError',
    code: 'Timeout',
    isRetryable: false,
  });
  const ran = (await world.look.audit.recent('coder', 20)).filter(({ entry }) => entry.type === 'ran');
  expect(ran.map(({ entry }) => entry.ran?.status).toSorted()).toEqual(['unknown', 'unknown']);
});

test('R3-049 a wrapped tool that refuses its input does not open its circuit; one that fails does', async () => {
  const world = new World(guarded('{ environments: { production: { failureThreshold: 1 } } }'));
  const outcomes = [contractError('Invalid', 'no such order'), executionError('no')];
  const refund = agentIn(world).gate('Refund', () => Promise.reject(outcomes.shift()));
  await expect(resultOf(world, refund({ order: 1 }))).rejects.toMatchObject({ code: 'Invalid' });
  await expect(resultOf(world, refund({ order: 2 }))).rejects.toMatchObject({ code: 'ToolFailed' });
  await expect(resultOf(world, refund({ order: 3 }))).rejects.toMatchObject({ code: 'CircuitOpen' });
});

test('a wrapped tool that says itself that it timed out is reported, too, and once', async () => {
  const world = new World(guarded());
  const slow = agentIn(world).gate('Save', () => Promise.reject(timeoutError(5, 5, 'unknown')));
  await expect(resultOf(world, slow({}))).rejects.toMatchObject({ code: 'Timeout' });
  const ran = (await world.look.audit.recent('coder', 20)).filter(({ entry }) => entry.type === 'ran');
  expect(ran.map(({ entry }) => entry.ran)).toMatchObject([{ status: 'unknown', errorCode: 'Timeout' }]);
});

test('T-016 a wrapped tool whose folder leads elsewhere since it was proposed does not run', async () => {
  for (const [before, now] of [
    ['/workspace/app', '/etc/app'],
    ['/workspace/app', undefined],
  ]) {
    const world = new World(guarded());
    const places = [before, now];
    const ran: string[] = [];
    const save = agentIn(world, { realPath: async () => places.shift() }).gate('Save', () => ran.push('run'), {
      cwd: '/workspace/app',
    });
    await expect(resultOf(world, save({}))).rejects.toMatchObject({ code: 'place_changed' });
    expect(ran).toEqual([]);
  }
});

test('a command that a rule allows runs as the gate printed it, by the agent and by the gate (D44)', async () => {
  const { tools, calls } = scriptedTools('Bash');
  const more = 'tools:\n  Bash: { permissions: [Execute], shell: { canonical: true } }\n';
  const world = new World(policyOf({ allow: ["'Bash(ls:*)'"], more }), { tools });
  const ran: unknown[] = [];
  const client = agentIn(world);
  const bash = client.gate('Bash', (input: { command: string }) => ran.push(input));
  await resultOf(world, bash({ command: 'ls *.ts "a b" # all' }));
  expect(ran).toEqual([{ command: "'ls' *'.ts' 'a b'" }]);
  await resultOf(world, client.execute({ tool: 'Bash', input: { command: 'ls c' } }));
  expect(calls.map(({ input }) => input)).toEqual([{ command: "'ls' 'c'" }]);
  const entries = (await world.look.audit.recent('coder', 20)).map(({ entry }) => entry);
  expect(entries.flatMap((entry) => entry.ran?.status ?? [])).toEqual(['succeeded', 'succeeded']);

  // A caller that takes the decision for an approval of the proposed text is stopped before the tool is called.
  const proposed = { toolName: 'Bash', input: { command: 'ls d' } };
  const id = await client.propose(proposed);
  const decision = await resultOf(world, client.wait(id));
  expect(() => client.assertRunnable(decision, id, proposed)).toThrow(DigestMismatchError);
  expect(() => client.assertRunnable(decision, id, { ...proposed, input: { command: "'ls' 'd'" } })).not.toThrow();
});

test('a run that the gate never answers ends by itself, when its permit has expired and no run can be left', async () => {
  const world = new World(guarded());
  const silent = { publish: async () => undefined };
  const client = agentIn(world, { executions: silent });
  const began = world.clock.now();
  const action = { toolName: 'Search', input: { q: 'x' } };
  const proposalId = await client.propose(action);
  const decision = await resultOf(world, client.wait(proposalId));
  let ended: unknown;
  client.runApproved(decision, proposalId, action).catch((error: unknown) => {
    ended = error;
  });
  const permitMs = Date.parse(decision.calls[0]?.permit?.expiresAt ?? '') - world.clock.now();
  await world.clock.advance(permitMs + 5 * 60_000);
  expect(ended).toBeUndefined();
  await world.clock.advance(6 * 60_000);
  expect(ended).toMatchObject({ name: 'NoResultError' });
  expect(world.clock.now() - began).toBeLessThan(permitMs + 20 * 60_000);
});

test('the key that a call states is the one its tool gets, run by the agent or by the gate', async () => {
  const { tools, calls } = scriptedTools('Save');
  const world = new World(guarded(), { tools });
  const client = agentIn(world);
  const save = client.gate('Save', (_: object, { idempotencyKey }) => idempotencyKey);
  expect(await resultOf(world, save({}, { idempotencyKey: 'order-42' }))).toBe('order-42');
  await resultOf(world, client.execute({ tool: 'Save', input: {}, idempotencyKey: 'order-43' }));
  expect(calls.map(({ idempotencyKey }) => idempotencyKey)).toEqual(['order-43']);
  const { redeemer: _, outcomes: __, ...rest } = world.gate.agentSide('coder');
  const bare = new CountersignClient({ queueUrl: '', auditTable: '', ...rest, sleep: (ms) => world.clock.advance(ms) });
  const own = bare.gate('Save', (_: object, { idempotencyKey }) => idempotencyKey);
  expect(await own({}, { idempotencyKey: 'order-44' })).toBe('order-44');
});

test('limits that a call states hold for it alone, by the agent and by the gate, and may only tighten', async () => {
  const scripted = scriptedTools('Save');
  scripted.behave = () => new Promise(() => undefined);
  const world = new World(guarded('{ environments: { production: { timeoutMs: 5000 } } }'), { tools: scripted.tools });
  const client = agentIn(world);
  const hanging = client.gate('Save', () => new Promise(() => undefined));
  const late = { code: 'Timeout', details: { deadlineMs: 700 } };
  await expect(resultOf(world, hanging({}, { limits: { timeoutMs: 700 } }))).rejects.toMatchObject(late);
  const call = { tool: 'Save', input: {}, limits: { timeoutMs: 700 } };
  await expect(resultOf(world, client.execute(call))).rejects.toMatchObject(late);
  await expect(resultOf(world, client.execute({ ...call, limits: { timeoutMs: 9_000 } }))).rejects.toBeDefined();
});

test('limits and a fallback are refused where no guardrails hold, before anybody is asked', async () => {
  const world = new World(guarded());
  const { redeemer: _, outcomes: __, ...rest } = world.gate.agentSide('coder');
  const client = new CountersignClient({ queueUrl: '', auditTable: '', ...rest });
  const save = client.gate('Save', () => 'saved');
  await expect(save({}, { limits: { timeoutMs: 1 } })).rejects.toMatchObject({ setting: 'limits' });
  await expect(save({}, { fallback: () => 'less' })).rejects.toMatchObject({ setting: 'fallback' });
  expect(await world.look.audit.recent('coder', 5)).toEqual([]);
});

test.each([
  [{ limits: { timeout: 5 } }, /^limits\.timeout: is no limit of a call: there are timeoutMs, .*deadlineAt/],
  [{ limits: { timeoutMs: '5' } }, /^limits\.timeoutMs: must be a number/],
  [{ limits: { timeoutMs: -5 } }, /^limits\.timeoutMs: must be above 0/],
  [{ limits: [1] }, /^limits: a list is not an object/],
  [{ fallback: 'less' }, /^fallback: "less" is not a function/],
])('%j is refused by its name before anybody is asked, whichever way it is stated', async (wrong, message) => {
  const world = new World(guarded());
  const client = agentIn(world);
  const options = wrong as object;
  const call = { tool: 'Save', input: {}, callId: 'c' };
  const ways = {
    gate: () => client.gate('Save', () => 'saved')({}, options),
    guard: async () => client.guard({ run: 'r', ...options }).run(call, () => 'saved'),
    call: () => client.guard({ run: 'r' }).run({ ...call, ...options }, () => 'saved'),
    asks: () => client.guard({ run: 'r' }).asks({ ...call, ...options }),
    execute: () => client.execute({ tool: 'Save', input: {}, ...options }),
    decide: () => client.decide({ tool: 'Save', input: {}, ...options }),
  };
  for (const [way, run] of Object.entries(ways)) await expect(run(), way).rejects.toThrow(message);
  expect(await world.look.audit.recent('coder', 5)).toEqual([]);
});

const numberOf = (python = '') => Number(python.replaceAll('_', ''));

test('both clients know the same limits', () => {
  const source = readFileSync('shared/client/python/countersign/wire.py', 'utf8');
  const [, limits = ''] = /^LIMITS = \{([^}]*)\}/m.exec(source) ?? [];
  const stated = [...limits.matchAll(/"(\w+)": \(([\d_e-]+), ([\d_]+), (True|False)\)/g)].map(
    ([, name, least, most, isWhole]) => [name, numberOf(least), numberOf(most), isWhole === 'True'],
  );
  const { properties = {} } = toJSONSchema(invocationLimits);
  const known = Object.entries(properties).map(([name, limit]) => {
    const { minimum = 0, maximum, type } = limit as { minimum?: number; maximum?: number; type?: string };
    return [name, minimum, maximum, type === 'integer'];
  });
  expect(stated).toEqual(known);
  const [, zero = ''] = /^MAY_BE_ZERO = \(([^)]*)\)/m.exec(source) ?? [];
  const mayBeZero = Object.entries(invocationLimits.shape).filter(([, limit]) => limit.safeParse(0).success);
  expect([...zero.matchAll(/"(\w+)"/g)].map(([, name]) => name)).toEqual(mayBeZero.map(([name]) => name));
});

test('a fallback answers where the budget is spent, and nowhere else', async () => {
  const spent = '{ agents: { coder: { budget: { costPerDay: 10 } } }, tools: { Save: { costPerCall: 6 } } }';
  const world = new World(guarded(spent), { tools: scriptedTools('Save').tools });
  const client = agentIn(world);
  const save = client.gate('Save', (_: object): string => 'saved');
  const fallback = ({ code }: { code: string }) => `less: ${code}`;
  expect(await resultOf(world, save({}, { fallback }))).toBe('saved');
  expect(await resultOf(world, save({}, { fallback }))).toBe('less: BudgetExceeded');
  await expect(resultOf(world, save({}))).rejects.toMatchObject({ code: 'BudgetExceeded' });
  expect(await resultOf(world, client.execute({ tool: 'Save', input: {}, fallback }))).toBe('less: BudgetExceeded');
  const failing = client.gate('Search', (_: object): string => {
    throw new TypeError('no');
  });
  await expect(resultOf(world, failing({}, { fallback }))).rejects.toThrow('no');
});

test('a tool whose caller gave up while the permit was redeemed is not run, and the gate learns that it was not', async () => {
  const world = new World(guarded());
  const { redeemer, outcomes, ...rest } = world.gate.agentSide('coder');
  const stop = new AbortController();
  const reported: string[] = [];
  const client = new CountersignClient({
    queueUrl: '',
    auditTable: '',
    ...rest,
    redeemer: {
      redeem: async (request) => {
        stop.abort(new Error('the run was stopped'));
        return redeemer.redeem(request);
      },
    },
    outcomes: { publish: async (body) => void reported.push(JSON.parse(body).status) },
  });
  const save = client.gate('Save', () => reported.push('ran'));
  await expect(save({}, { signal: stop.signal })).rejects.toThrow('the run was stopped');
  expect(reported).toEqual(['failed']);
});

test.each(['while the permit is redeemed', 'while the tool runs', 'while a tool runs that says so'])(
  'callers that give up %s open no circuit (G31)',
  async (when) => {
    const world = new World(guarded('{ tools: { Save: { failureThreshold: 2 } } }'));
    const { redeemer } = world.gate.agentSide('coder');
    let stop = new AbortController();
    const giveUp = (at: string) => when === at && stop.abort(new Error('the run was stopped'));
    const client = agentIn(world, {
      redeemer: {
        redeem: async (request) => {
          giveUp('while the permit is redeemed');
          return redeemer.redeem(request);
        },
      },
    });
    const save = client.gate('Save', (_: object, { signal }) => {
      giveUp('while the tool runs');
      giveUp('while a tool runs that says so');
      // As the adapters of frameworks do, whose tools fail by a result.
      if (when === 'while a tool runs that says so') throw executionError('The tool failed.', { effect: 'unknown' });
      signal?.throwIfAborted();
      return 'saved';
    });
    for (const input of [{ a: 1 }, { a: 2 }, { a: 3 }]) {
      stop = new AbortController();
      await expect(resultOf(world, save(input, { signal: stop.signal }))).rejects.toThrow(/stopped|failed/);
      await world.rest();
    }
    stop = new AbortController();
    expect(await resultOf(world, agentIn(world).gate('Save', () => 'saved')({ a: 4 }))).toBe('saved');
  },
);

test('a tool whose own call is refused opens no circuit (G31)', async () => {
  const world = new World(guarded('{ tools: { Save: { failureThreshold: 2 } } }', ''));
  const client = agentIn(world);
  const push = client.gate('Bash', (_: { command: string }) => 'pushed');
  const save = client.gate('Save', (_: object) => push({ command: 'rm -rf x' }));
  for (const input of [{ a: 1 }, { a: 2 }, { a: 3 }])
    await expect(resultOf(world, save(input))).rejects.toMatchObject({ name: 'NotApprovedError' });
});

test('nor does one whose refused call is of a client of another copy of the package', async () => {
  const world = new World(guarded('{ tools: { Save: { failureThreshold: 2 } } }'));
  const save = agentIn(world).gate('Save', () => {
    throw Object.assign(new CountersignError('denied', 'A rule denies it.'), { name: 'NotApprovedError' });
  });
  for (const input of [{ a: 1 }, { a: 2 }, { a: 3 }]) {
    await expect(resultOf(world, save(input))).rejects.toMatchObject({ name: 'NotApprovedError' });
    await world.rest();
  }
});

test('a tool that hands on the refusal of a call of its own may have done something: its end is not known', async () => {
  const limits = '{ tools: { Search: { costPerCall: 2 } }, agents: { coder: { budget: { costPerDay: 1 } } } }';
  const world = new World(guarded(limits));
  const client = agentIn(world);
  const search = client.gate('Search', () => 'found');
  const save = client.gate('Save', () => search());
  await expect(resultOf(world, save())).rejects.toMatchObject({ code: 'BudgetExceeded', effect: 'not-started' });
  await world.rest();
  const entries = await world.look.audit.recent('coder', 20);
  expect(entries.flatMap(({ entry }) => (entry.type === 'ran' ? [entry.ran?.status] : []))).toEqual(['unknown']);
});

test('execute tells what is known of the effect, and throws where the output is withheld', async () => {
  const scripted = scriptedTools('Search', 'Save');
  const world = new World(guarded('{ tools: { Search: { timeoutMs: 3000 } } }'), { tools: scripted.tools });
  const endOf = (tool: string) => resultOf(world, agentIn(world).execute({ tool, input: {} }));
  scripted.behave = () => new Promise(() => undefined);
  await expect(endOf('Search')).rejects.toMatchObject({ code: 'Timeout', effect: 'unknown' });
  const circle: Record<string, unknown> = {};
  circle['of'] = circle;
  for (const output of [5n, circle]) {
    scripted.behave = async () => output;
    await expect(endOf('Save')).rejects.toMatchObject({
      code: 'OutputNotJson',
      message: 'The call ran. Its output is none that JSON holds, and is not shown.',
      effect: 'unknown',
    });
  }
});
