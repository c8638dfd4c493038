/** Checks calls that a tool makes while it runs under a permit of its own. */
import { afterEach, expect, test } from 'vitest';
import { CountersignClient, type GuardedCall } from '../../../shared/client/index.ts';
import { createTestGate, type TestGate } from '../../../shared/testing/index.ts';
import { GUARDED_POLICY } from './guarded-policy.ts';

let gate: TestGate | undefined;
afterEach(() => gate?.stop());

const POLICY = `${GUARDED_POLICY.replace('allow: [Lookup]', 'allow: [Lookup, Helper]').replace(
  'tools:\n',
  'tools:\n  Helper: { permissions: [Network], effect: Pure }\n',
)}guardrails: { tools: { Helper: { timeoutMs: 700, maxConcurrent: 2 } } }
`;

const call = (tool: string, callId: string, input: object = {}): GuardedCall => ({ callId, tool, input });
const codeOf = (error: { readonly code?: string }) => error.code;

function begin() {
  const started = createTestGate({ policy: POLICY });
  gate = started;
  return { gate: started, run: new CountersignClient(started.clientOptions('coder')).guard({ run: 'run-1' }) };
}

test('a call of the tool that makes it is refused at once: it would wait for itself', async () => {
  const { run } = begin();
  const outer = run.run(call('Lookup', 'a'), async () => {
    // Another tool between the two changes nothing.
    return run.run(call('Helper', 'b'), () => run.run(call('Lookup', 'c'), () => 'within').catch(codeOf));
  });
  expect(await outer).toBe('ConcurrencyLimited');
});

test('a call that waits for a busy tool ends with the time of the tool that made it', async () => {
  const { run } = begin();
  const release = Promise.withResolvers<string>();
  const begun = Promise.withResolvers<string>();
  const inner = Promise.withResolvers<unknown>();
  const holding = run.run(call('Lookup', 'x'), () => {
    begun.resolve('begun');
    return release.promise;
  });
  await begun.promise;
  const ran: string[] = [];
  const outer = run.run(call('Helper', 'a'), () => {
    const within = run.run(call('Lookup', 'b'), () => ran.push('within'));
    within.catch(codeOf).then(inner.resolve);
    return within;
  });
  expect(await outer.catch(codeOf)).toBe('Timeout');
  release.resolve('held');
  await holding;
  expect(await inner.promise).toBe('Timeout');
  expect(ran).toEqual([]);
});

test.each<[string, (client: CountersignClient) => Promise<unknown>]>([
  ['a guard', (client) => client.guard({ run: 'run-1' }).run(call('Refund', 'b', { amount: 5 }), () => 'refunded')],
  ['a wrapped tool', (client) => client.gate('Refund', () => 'refunded')({ amount: 5 }, { id: 'run-1:b' })],
  ['decide', (client) => client.decide({ tool: 'Refund', input: { amount: 5 }, id: 'run-1:b' })],
  ['a question', (client) => client.ask('Which?', { proposalId: 'run-1:b' })],
])('people are no longer asked by %s whose outer tool has ended', async (_, asking) => {
  const { gate: started, run } = begin();
  const client = new CountersignClient(started.clientOptions('coder'));
  const outer = run.run(call('Helper', 'a'), () => asking(client));
  expect(await outer.catch(codeOf)).toBe('Timeout');
  await expect
    .poll(async () => (await started.record('coder', 'run-1:b')).at(-1), { timeout: 3_000 })
    .toMatchObject({ type: 'decided', outcome: 'cancelled' });
});
