/** Checks that one agent's slow model calls leave others their share of `deliberate`. */
import { describe, expect, test } from 'vitest';
import type { Model } from '../../../../shared/use-cases/resolvers/classify.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;

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
    // A proposal that waits for its turn is not asked about twice.
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
