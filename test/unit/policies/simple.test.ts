/** Checks the policies that ask nobody, random, first and priority, and the predicates. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  AlwaysApprove,
  EntityStatePredicate,
  FirstAvailablePolicy,
  FlowIdPredicate,
  NeverApprove,
  PriorityPolicy,
  RandomPolicy,
} from '../../../shared/policies/index.ts';
import { seededRandom } from '../../../shared/policies/random.ts';
import { anAction, aSnapshot, aSpace, deepFreeze, recorder } from './builders.ts';

const snapshot = aSnapshot();

describe('RandomPolicy', () => {
  test('picks uniformly (R0-018)', async () => {
    const policy = new RandomPolicy(seededRandom('key', 'random'));
    const space = aSpace('a', 'b', 'c', 'd');
    const counts: Record<string, number> = { a: 0, b: 0, c: 0, d: 0 };
    for (let run = 0; run < 8000; run += 1) {
      const flow = (await policy.choose(space, snapshot))?.flow_id ?? 'none';
      counts[flow] = (counts[flow] ?? 0) + 1;
    }
    // Chi-square with three degrees of freedom: 16.3 is exceeded by chance once in a thousand; the seed is fixed.
    const chiSquare = Object.values(counts).reduce((sum, count) => sum + (count - 2000) ** 2 / 2000, 0);
    expect(Object.keys(counts)).toHaveLength(4);
    expect(chiSquare).toBeLessThan(16.3);
  });

  test('draws the same again for the same key and place, and others elsewhere (R0-019, A16)', () => {
    const draws = (key: string, place: string) => Array.from({ length: 5 }, seededRandom(key, place));
    expect(draws('k', 'p')).toEqual(draws('k', 'p'));
    expect(draws('k', 'p')).not.toEqual(draws('k', 'q'));
    expect(draws('k', 'p')).not.toEqual(draws('l', 'p'));
    expect(new Set(draws('k', 'p')).size).toBe(5);
  });

  test('none of nothing, and no action from a source that leaves its range', async () => {
    expect(await new RandomPolicy().choose(aSpace(), snapshot)).toBeNull();
    await expect(new RandomPolicy(() => 1).choose(aSpace('a'), snapshot)).rejects.toThrow(RangeError);
  });
});

describe('FirstAvailablePolicy and PriorityPolicy', () => {
  test.each([
    [[], ['a', 'b'], 'a'],
    [['c', 'a'], ['a', 'b', 'c'], 'c'],
    [['z', 'b'], ['a', 'b'], 'b'],
    [['z'], ['a', 'b'], 'a'],
    [['a'], [], null],
  ])('priorities %j over %j choose %s', async (priorities, flows, expected) => {
    expect((await new PriorityPolicy(priorities).choose(aSpace(...flows), snapshot))?.flow_id ?? null).toBe(expected);
  });

  test('a later change of the list of priorities has no effect', async () => {
    const list = ['b'];
    const policy = new PriorityPolicy(list);
    list[0] = 'a';
    expect((await policy.choose(aSpace('a', 'b'), snapshot))?.flow_id).toBe('b');
  });

  test('the result is the space’s own action or none, and the inputs stay as they were (R0-004, R0-005, R0-024)', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ maxLength: 2 }), { maxLength: 5 }),
        fc.array(fc.string({ maxLength: 2 })),
        async (flows, listed) => {
          const space = deepFreeze(aSpace(...flows));
          for (const policy of [new RandomPolicy(), new FirstAvailablePolicy(), new PriorityPolicy(listed)]) {
            const chosen = await policy.choose(space, snapshot);
            if (flows.length === 0) expect(chosen).toBeNull();
            else expect(space.actions).toContain(chosen);
          }
        },
      ),
    );
  });

  test('say what they did (R0-108)', async () => {
    const recorded = recorder();
    await new FirstAvailablePolicy().choose(aSpace('a'), snapshot, { observe: recorded.observer });
    await new PriorityPolicy(['z']).choose(aSpace(), snapshot, { observe: recorded.observer });
    expect(recorded.lines()).toEqual(['first-available chosen a', 'priority empty_space null']);
  });
});

describe('predicates', () => {
  const action = anAction('release_escrow');
  test.each([
    ['a listed flow', new FlowIdPredicate(['release_escrow']), {}, true],
    ['another flow', new FlowIdPredicate(['cancel_order']), {}, false],
    ['no flows', new FlowIdPredicate([]), {}, false],
    ['a listed state', new EntityStatePredicate([['Order', 'large']]), { Order: 'large' }, true],
    [
      'any of the rules',
      new EntityStatePredicate([
        ['Order', 'x'],
        ['Case', 'open'],
      ]),
      { Order: 'y', Case: 'open' },
      true,
    ],
    ['another spelling', new EntityStatePredicate([['Order', 'Large']]), { Order: 'large' }, false],
    ['an entity that is not there', new EntityStatePredicate([['Order', 'large']]), {}, false],
    [
      'what every object inherits',
      new EntityStatePredicate([
        ['toString', 'x'],
        ['constructor', 'y'],
      ]),
      {},
      false,
    ],
    ['no rules', new EntityStatePredicate([]), { Order: 'large' }, false],
    ['always', new AlwaysApprove(), {}, true],
    ['never', new NeverApprove(), {}, false],
  ])('%s (R0-096 … R0-100)', (_name, predicate, states, expected) => {
    expect(predicate.requiresApproval(action, aSnapshot(states))).toBe(expected);
  });

  test.each<[unknown]>([[['Order']], [['Order', 'large', 'x']], [{ entity: 'Order', state: 'large' }], [null], ['ab']])(
    'a rule that is no pair of entity and state, and so never matches, is refused: %j',
    (rule) => expect(() => new EntityStatePredicate([['Case', 'open'], rule as never])).toThrow('rules[1]'),
  );
});
