/** Checks the agent loop of policies: it executes, idles, ends at the signal, and throws. */
import { describe, expect, test } from 'vitest';
import { type Action, type ActionSpace, FirstAvailablePolicy, runAgentLoop } from '../../../shared/policies/index.ts';
import { anAction, aSnapshot, aSpace } from './builders.ts';

/** A contract whose space changes from one look to the next; the loop ends when it has been looked at to the end. */
async function loop(
  looks: readonly ActionSpace[],
  policy = new FirstAvailablePolicy() as Parameters<typeof runAgentLoop>[0]['policy'],
) {
  const stop = new AbortController();
  const log: string[] = [];
  let look = 0;
  await runAgentLoop({
    actionSpace: () => {
      const space = looks[look++];
      if (!space) stop.abort();
      return space ?? aSpace();
    },
    snapshot: aSnapshot,
    execute: async (action: Action) => log.push(action.flow_id),
    policy,
    signal: stop.signal,
    idle: async (why) => log.push(why),
  });
  return log;
}

describe('runAgentLoop', () => {
  test('executes on some, idles on none (R0-002, R0-003)', async () => {
    expect(await loop([aSpace('a'), aSpace('a'), aSpace(), aSpace('b'), aSpace('b')])).toEqual(['a', 'none', 'b']);
  });

  test('never executes what left the space meanwhile, or changed under its name', async () => {
    const bound = (order: string) => anAction('a', { instance_bindings: { Order: [order] } });
    expect(await loop([aSpace('a'), aSpace('b'), aSpace(bound('1')), aSpace(bound('2'))])).toEqual([
      'left-space',
      'left-space',
    ]);
  });

  test('executes nothing after the signal, whatever the policy is waiting for', async () => {
    const stop = new AbortController();
    const executed: Action[] = [];
    const ended = runAgentLoop({
      actionSpace: () => aSpace('a'),
      snapshot: aSnapshot,
      execute: async (action) => executed.push(action),
      policy: {
        choose: (space) =>
          new Promise((resolve) => {
            stop.signal.addEventListener('abort', () => resolve(space.actions[0] ?? null));
            stop.abort();
          }),
      },
      signal: stop.signal,
      idle: async () => {},
    });
    await ended;
    await new Promise(setImmediate);
    expect(executed).toEqual([]);
  });

  test('executes nothing if the signal comes while it looks again', async () => {
    const stop = new AbortController();
    const executed: Action[] = [];
    let looks = 0;
    await runAgentLoop({
      actionSpace: async () => {
        looks += 1;
        if (looks === 2) stop.abort();
        return aSpace('a');
      },
      snapshot: aSnapshot,
      execute: async (action) => executed.push(action),
      policy: new FirstAvailablePolicy(),
      signal: stop.signal,
      idle: async () => {},
    });
    await new Promise(setImmediate);
    expect(executed).toEqual([]);
  });

  test('ends at the signal, also if the policy never answers', async () => {
    const stop = new AbortController();
    await runAgentLoop({
      actionSpace: () => aSpace('a'),
      snapshot: aSnapshot,
      execute: async () => {},
      policy: {
        choose: () => {
          setImmediate(() => stop.abort());
          return new Promise(() => {});
        },
      },
      signal: stop.signal,
      idle: async () => {},
    });
    expect(stop.signal.aborted).toBe(true);
  });

  test('ends with what execution throws', async () => {
    const work = runAgentLoop({
      actionSpace: () => aSpace('a'),
      snapshot: aSnapshot,
      execute: () => Promise.reject(new Error('broken')),
      policy: new FirstAvailablePolicy(),
      signal: new AbortController().signal,
      idle: async () => {},
    });
    await expect(work).rejects.toThrow('broken');
  });
});
