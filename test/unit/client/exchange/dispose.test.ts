/** Checks that a client that is disposed of ends its waits and sends nothing more. */
import { describe, expect, test } from 'vitest';
import type { CountersignClient } from '../../../../shared/client/index.ts';
import { policyOf, World } from '../../use-cases/world.ts';
import { clientIn } from './client-in.ts';

describe('disposal', () => {
  const closed = { name: 'CountersignError', code: 'client_closed' };

  test('ends what is waited for, and withdraws it before the connections close', async () => {
    const world = new World(policyOf({ ask: ['Bash'] }));
    const { queue } = world.gate.agentSide('coder');
    const sent: { kind: string; cancels?: string }[] = [];
    const publish = async (body: string, agent: string) => {
      sent.push(JSON.parse(body));
      await queue.publish(body, agent);
    };
    let slept = () => {};
    const isWaiting = new Promise<void>((resolve) => {
      slept = resolve;
    });
    const sleep = (_ms: number, signal: AbortSignal | undefined) =>
      new Promise<void>((_, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
        slept();
      });
    const client = clientIn(world, { queue: { publish }, sleep });
    const waiting = client.decide({ tool: 'Bash', input: { command: 'git push' }, id: 'p1' });
    const refused = expect(waiting).rejects.toMatchObject(closed);
    await isWaiting;
    await client[Symbol.asyncDispose]();
    await refused;
    expect(sent).toMatchObject([{ kind: 'tool-call' }, { kind: 'cancel', cancels: 'p1' }]);
    await client[Symbol.asyncDispose]();
  });

  test.each<[string, (client: CountersignClient) => Promise<unknown>]>([
    ['propose', (client) => client.propose({ toolName: 'Bash', input: {} })],
    ['proposeQuestion', (client) => client.proposeQuestion('Which?')],
    ['a wrapped tool', (client) => client.gate('Bash', () => 1)({})],
    ['decide', (client) => client.decide({ tool: 'Bash', input: {} })],
    ['wait', (client) => client.wait('p1')],
    ['cancel', (client) => client.cancel('p1')],
    ['withdraw of a guard', (client) => client.guard({ run: 'r' }).withdraw({ callId: 'c' })],
  ])('%s is refused after it, and nothing is sent', async (_name, use) => {
    const world = new World();
    const client = clientIn(world);
    await client[Symbol.asyncDispose]();
    await expect(use(client)).rejects.toMatchObject(closed);
    expect(await world.look.audit.recent('coder', 5)).toEqual([]);
  });
});
