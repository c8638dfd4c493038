/** One agent's slow runs leave the others their share of what may run at once (G34). */
import { describe, expect, test } from 'vitest';
import type { Model } from '../../../shared/use-cases/resolvers/classify.ts';
import { approvedCall, guarded, requestRun, resultOf, scriptedTools } from './running.ts';
import { bash, policyOf, World } from './world.ts';

const MINUTE = 60_000;
/** Their own limits are wide, so that only the share of the agent bounds what runs at once. */
const NAMES = ['Refund', 'Save', 'Search'];

/** Runs last so long; each is noted when it begins and when it ends. */
function slowWorld(runMs: number) {
  const scripted = scriptedTools(...NAMES);
  const wide = '{ timeoutMs: 200000, maxConcurrent: 100, ratePerSecond: 1000, burst: 1000 }';
  const policy = guarded(`{ tools: { ${NAMES.map((name) => `${name}: ${wide}`).join(', ')} } }`);
  const world: World = new World(policy, { tools: scripted.tools });
  const running = new Map<string, number>();
  const most = new Map<string, number>();
  const began: { readonly agent: string; readonly at: number }[] = [];
  scripted.behave = async ({ input }) => {
    const agent = String((input as { agent: string }).agent);
    began.push({ agent, at: world.clock.now() });
    running.set(agent, (running.get(agent) ?? 0) + 1);
    most.set(agent, Math.max(most.get(agent) ?? 0, running.get(agent) ?? 0));
    await new Promise<void>((resolve) => world.clock.after(runMs, resolve));
    running.set(agent, (running.get(agent) ?? 1) - 1);
    return { done: true };
  };
  const request = async (agent: string, id: string) => {
    const toolName = NAMES[Number(id.slice(1)) % NAMES.length] ?? '';
    const call = await approvedCall(world, { proposalId: id, toolName, input: { agent, id } }, agent);
    return () => requestRun(world, call, `r-${id}`);
  };
  return { world, began, most, request };
}

describe('while one agent floods the queue with slow runs', () => {
  test('another agent’s run begins within two seconds, and the flood is run to its end', async () => {
    const { world, began, most, request } = slowWorld(2 * MINUTE);
    const flood = await Promise.all(Array.from({ length: 150 }, (_, index) => request('coder', `f${index}`)));
    const other = await Promise.all(Array.from({ length: 5 }, (_, index) => request('writer', `w${index}`)));
    for (const send of flood) await send();
    await world.clock.advance(30_000);
    for (const send of other) {
      const sentAt = world.clock.now();
      const before = began.filter(({ agent }) => agent === 'writer').length;
      await send();
      await world.clock.advance(2_000);
      const mine = began.filter(({ agent }) => agent === 'writer').slice(before);
      expect(mine).toHaveLength(1);
      expect((mine[0]?.at ?? Number.POSITIVE_INFINITY) - sentAt).toBeLessThanOrEqual(2_000);
    }
    expect(most.get('coder')).toBe(20);
    await world.clock.advance(60 * MINUTE);
    // Each got its answer: run, or refused by a permit that ran out while it waited.
    for (let index = 0; index < 150; index++) expect(await resultOf(world, `f${index}`, `r-f${index}`)).toBeDefined();
    expect(world.gate.queues.executions.deadLetters).toEqual([]);
    expect(most.get('coder')).toBe(20);
  });

  test('a flood of its own holds up the agent itself, and a run that ended makes room for the next', async () => {
    const { world, began, request } = slowWorld(10_000);
    const flood = await Promise.all(Array.from({ length: 40 }, (_, index) => request('coder', `f${index}`)));
    for (const send of flood) await send();
    expect(began).toHaveLength(20);
    await world.clock.advance(MINUTE);
    expect(began).toHaveLength(40);
  });
});

/** A model that thinks so long about what the first agent proposes, and answers the others at once. */
function slowModelWorld(thinkMs: number) {
  const asked: string[] = [];
  const most = { now: 0, ever: 0 };
  const later: { after?: Model['after'] } = {};
  const model: Model = {
    name: 'anthropic/judge-1',
    timeoutMs: thinkMs + 1_000,
    after: (ms, work) => later.after?.(ms, work) ?? (() => undefined),
    classifier: {
      async classify({ input }) {
        const command = String((input as { command?: unknown }).command);
        asked.push(command);
        if (command.startsWith('make flood')) {
          most.now += 1;
          most.ever = Math.max(most.ever, most.now);
          await new Promise<void>((resolve) => world.clock.after(thinkMs, resolve));
          most.now -= 1;
        }
        return { shouldBlock: false, reason: 'harmless', confidence: 0.95 };
      },
    },
  };
  const world: World = new World(
    policyOf({
      agents:
        '  coder: { owner: olga, mode: auto, rate: { perSecond: 1000, burst: 2000 } }\n  writer: { owner: olga, mode: auto }',
      more: `tools: { Bash: { permissions: [Execute] } }
classifier: { model: { provider: anthropic, model: judge-1, secret: model-key, timeout: 20s } }`,
    }),
    { model },
  );
  later.after = (ms, work) => world.clock.after(ms, work);
  return { world, asked, most };
}

describe('while a model thinks long about each of one agent’s many proposals', () => {
  test('another agent’s proposal is decided within two seconds, and each of the flood in the end', async () => {
    const { world, asked, most } = slowModelWorld(15_000);
    for (let index = 0; index < 60; index++) await world.send(bash(`f${index}`, `make flood-${index}`));
    await world.clock.advance(10_000);
    expect(most.ever).toBe(8);
    for (let index = 0; index < 5; index++) {
      await world.send(bash(`w${index}`, `make calm-${index}`), { agent: 'writer' });
      await world.clock.advance(2_000);
      expect(await world.decided(`w${index}`, 'writer')).toMatchObject({ outcome: 'approved' });
    }
    await world.clock.advance(60 * MINUTE);
    for (let index = 0; index < 60; index++)
      expect(await world.decided(`f${index}`)).toMatchObject({ outcome: 'approved' });
    expect(most.ever).toBe(8);
    // What waits for its turn is not asked about twice.
    expect(asked.filter((command) => command.startsWith('make flood'))).toHaveLength(60);
    expect(world.gate.queues.deferred.deadLetters).toEqual([]);
  });

  test('a proposal of its own that no model has to judge is decided at once', async () => {
    const { world } = slowModelWorld(15_000);
    for (let index = 0; index < 60; index++) await world.send(bash(`f${index}`, `make flood-${index}`));
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });
});
