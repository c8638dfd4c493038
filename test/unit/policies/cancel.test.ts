/**
 * Checks that a choice for nobody ends: models, people and delegates are let go.
 *
 * Nothing is chosen once nobody waits.
 */
import { describe, expect, test } from 'vitest';
import {
  type AgentPolicy,
  AlwaysApprove,
  type ApprovalChannel,
  CompositePolicy,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
  type LlmClient,
  LlmPolicy,
  runAgentLoop,
} from '../../../shared/policies/index.ts';
import { aSnapshot, aSpace } from './builders.ts';

/** Never answers; tells whether it was let go. */
function silent() {
  const at: { letGo: unknown; asked: boolean } = { letGo: undefined, asked: false };
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<never>((_, reject) => {
      at.asked = true;
      signal?.addEventListener('abort', () => {
        at.letGo = signal.reason;
        reject(new Error('closed'));
      });
    });
  const channel: ApprovalChannel = { requestApproval: (_action, _space, _snapshot, signal) => wait(signal) };
  const client: LlmClient = { complete: (_messages, _model, { signal } = {}) => wait(signal) };
  return { at, channel, client };
}

const human = (channel: ApprovalChannel) => new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, 1_000);

describe.each<[string, (parts: ReturnType<typeof silent>) => AgentPolicy]>([
  ['a person', ({ channel }) => human(channel)],
  ['a model', ({ client }) => new LlmPolicy(client, 'm')],
  [
    'the proposer of a composite',
    ({ client }) => new CompositePolicy(new LlmPolicy(client, 'm'), new FirstAvailablePolicy(), new AlwaysApprove()),
  ],
  [
    'the approver of a composite',
    ({ channel }) => new CompositePolicy(new FirstAvailablePolicy(), human(channel), new AlwaysApprove()),
  ],
  [
    'the delegate of a person',
    ({ client, channel }) => new HumanInTheLoopPolicy(new LlmPolicy(client, 'm'), channel, 1_000),
  ],
])('%s', (_, policyOf) => {
  test('is let go, and the choice ends with the reason', async () => {
    const parts = silent();
    const stop = new AbortController();
    const choosing = policyOf(parts).choose(aSpace('a', 'b'), aSnapshot(), { signal: stop.signal });
    await expect.poll(() => parts.at.asked).toBe(true);
    stop.abort(new Error('Ctrl-C'));
    await expect(choosing).rejects.toThrow('Ctrl-C');
    expect(parts.at.letGo).toMatchObject({ message: 'Ctrl-C' });
  });

  test('is let go when the loop ends, which ends without an error', async () => {
    const parts = silent();
    const stop = new AbortController();
    const executed: unknown[] = [];
    const running = runAgentLoop({
      actionSpace: () => aSpace('a', 'b'),
      snapshot: () => aSnapshot(),
      execute: async (action) => executed.push(action),
      policy: policyOf(parts),
      signal: stop.signal,
      idle: async () => undefined,
    });
    await expect.poll(() => parts.at.asked).toBe(true);
    stop.abort(new Error('Ctrl-C'));
    await running;
    expect([parts.at.letGo, executed]).toMatchObject([{ message: 'Ctrl-C' }, []]);
  });
});

test('an answer that comes after the abort is none', async () => {
  const stop = new AbortController();
  const channel: ApprovalChannel = {
    requestApproval: async () => {
      stop.abort(new Error('late'));
      return { type: 'approved' };
    },
  };
  await expect(human(channel).choose(aSpace('a'), aSnapshot(), { signal: stop.signal })).rejects.toThrow('late');
});
