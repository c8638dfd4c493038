/** Checks `deliberate`: a choice passes all its models, stops at a person, and survives crashes. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deliberate } from '../../../shared/policies/deliberate.ts';
import type { StageRecord } from '../../../shared/policies/index.ts';
import type { ModelAnswer } from '../../../shared/policies/journal.ts';
import { outcomeOfChoice } from '../../../shared/policies/outcome.ts';
import { anAction, aSnapshot, aSpace, picks } from './builders.ts';

const tree = {
  type: 'composite',
  proposer: { type: 'llm', model: 'm' },
  approver: { type: 'llm', model: 'm' },
  requiresApproval: { type: 'always' },
};
const space = aSpace('a', 'b');
const snapshot = aSnapshot();

/** A store that takes each ordinal once, a model that never says the same twice, and a crash at the nth step of them. */
class World {
  readonly stored = new Map<number, ModelAnswer>();
  calls = 0;
  #steps = 0;
  readonly #replies: readonly string[];
  #crashAt: number;

  constructor(replies: readonly string[], crashAt: number) {
    this.#replies = replies;
    this.#crashAt = crashAt;
  }

  #step(): void {
    this.#steps += 1;
    if (this.#steps === this.#crashAt) throw new Crash();
  }

  run() {
    return deliberate({
      tree,
      actionSpace: space,
      snapshot,
      journal: { pid: 'p', answers: [...this.stored.values()] },
      client: () => ({
        complete: async () => {
          const text = this.#replies[this.calls % this.#replies.length] ?? '';
          this.calls += 1;
          return { text, usage: { inputTokens: this.calls, outputTokens: 0 } };
        },
      }),
      save: async (answer, ordinal) => {
        this.#step();
        if (!this.stored.has(ordinal)) this.stored.set(ordinal, answer);
        this.#step();
        return this.stored.get(ordinal) ?? answer;
      },
    });
  }
}

class Crash extends Error {}

describe('deliberate', () => {
  test('carries a choice through all its models', async () => {
    const world = new World([picks('b')], 0);
    expect(await world.run()).toMatchObject({ status: 'chosen', action: { flow_id: 'b' } });
    expect(world.calls).toBe(2);
  });

  test('stops where a person is asked', async () => {
    const human = { type: 'human-in-the-loop', delegate: { type: 'llm', model: 'm' }, timeout: '1h' };
    const run = await deliberate({
      tree: human,
      actionSpace: space,
      snapshot,
      journal: { pid: 'p', answers: [] },
      client: () => ({ complete: async () => ({ text: picks('a'), usage: { inputTokens: 1, outputTokens: 1 } }) }),
      save: async (answer) => answer,
    });
    expect(run).toMatchObject({
      status: 'suspended',
      place: 'human',
      ordinal: 1,
      question: { proposed: anAction('a') },
    });
  });

  test('after a crash at any step: at most one model call more, and no answer that was not stored', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(picks('a'), picks('b'), picks(null), 'bad'), { minLength: 1, maxLength: 5 }),
        fc.integer({ min: 1, max: 12 }),
        async (replies, crashAt) => {
          const world = new World(replies, crashAt);
          const run = await world.run().catch((error: unknown) => {
            if (!(error instanceof Crash)) throw error;
            return world.run();
          });
          expect(run.status).toBe('chosen');
          expect(world.calls).toBeLessThanOrEqual(world.stored.size + 1);
          // Everything that was used is in the store: run from it alone, the choice is the same, and no model is asked.
          const calls = world.calls;
          expect(await world.run()).toEqual(run);
          expect(world.calls).toBe(calls);
        },
      ),
      { numRuns: 300 },
    );
  });

  test('of two processes that ask at once, both use the answer that was stored', async () => {
    const world = new World([picks('a'), picks('b'), picks('a'), picks('b')], 0);
    const [one, two] = await Promise.all([world.run(), world.run()]);
    expect(one).toEqual(two);
  });
});

describe('outcomeOfChoice', () => {
  const stage = (outcome: StageRecord['outcome']): StageRecord => ({
    place: 'human',
    policy: 'human-in-the-loop',
    outcome,
    flowId: 'a',
  });
  test.each([
    [anAction('a'), ['approved'], 'answered'],
    [null, ['declined'], 'answered'],
    [null, ['chosen', 'rejected', 'approver_rejected'], 'denied'],
    [null, ['timeout_rejected', 'delegate_none'], 'expired'],
    [null, ['substitute_outside_space'], 'answered'],
  ] as const)('%j after %j is %s (D35)', (action, outcomes, expected) => {
    expect(outcomeOfChoice({ action, stages: outcomes.map(stage) })).toBe(expected);
  });
});
