/** Checks how a client waits while decisions cannot be read. */
import { describe, expect, test } from 'vitest';
import { CountersignClient, type CountersignClientOptions } from '../../../../shared/client/index.ts';
import type { ReadDecision } from '../../../../shared/ports/agent-side.ts';
import { snapshot, space } from '../../use-cases/choice-world.ts';
import { bash, policyOf, World } from '../../use-cases/world.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function clientIn(world: World, more: Partial<CountersignClientOptions> = {}): CountersignClient {
  const sleep = async (ms: number) => world.clock.advance(Math.max(1, Math.ceil(ms)));
  return new CountersignClient({
    queueUrl: '',
    auditTable: '',
    ...world.gate.agentSide('coder'),
    sleep,
    random: () => 0.5,
    ...more,
  });
}

describe('decisions that cannot be read', () => {
  const failing = (world: World, error: unknown, forMs: number) => {
    const until = world.clock.now() + forMs;
    const { reader } = world.gate.agentSide('coder');
    return {
      read: async (...key: Parameters<typeof reader.read>): Promise<ReadDecision | undefined> => {
        if (world.clock.now() < until) throw error;
        return reader.read(...key);
      },
    };
  };
  const throttle = Object.assign(new Error('slow down'), { name: 'ThrottlingException', $fault: 'client' });
  const refusal = Object.assign(new Error('not yours'), { name: 'AccessDeniedException', $fault: 'client' });

  test.each([
    ['a throttle', throttle],
    ['a network that is away', new Error('ECONNRESET')],
  ])('%s of a minute is ridden out', async (_, error) => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const client = clientIn(world, { reader: failing(world, error, MINUTE) });
    expect((await client.wait('p1')).outcome).toBe('approved');
  });

  test('an outage of minutes ends the wait, with its cause', async () => {
    const world = new World();
    const began = world.clock.now();
    const client = clientIn(world, { reader: failing(world, throttle, DAY) });
    await expect(client.wait('p1')).rejects.toMatchObject({ name: 'NoDecisionError', cause: throttle });
    expect(world.clock.now() - began).toBeLessThan(3 * MINUTE);
  });

  test.each([1, 3])(
    'a laptop that slept for hours, and whose network comes back %i reads later, goes on waiting',
    async (later) => {
      const world = new World(policyOf({ approvals: '{ approvers: platform, timeout: 1d }' }));
      const { reader } = world.gate.agentSide('coder');
      let failing = 0;
      const read: typeof reader.read = async (...key) => {
        if (failing-- > 0) throw new Error('ENOTFOUND');
        return reader.read(...key);
      };
      let sleeps = 0;
      const sleep = async (ms: number) => {
        const slept = ++sleeps === 8;
        if (slept) failing = later;
        await world.clock.advance(Math.ceil(ms) + (slept ? 3 * 60 * MINUTE : 0));
      };
      const client = clientIn(world, { reader: { read }, sleep });
      const id = await client.propose({ toolName: 'Bash', input: { command: 'git push origin main' } });
      expect(await client.wait(id)).toMatchObject({ outcome: 'expired' });
    },
  );

  test('a time that is over meanwhile is no word that there is no decision, and no "do nothing"', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const away = new Error('ECONNREFUSED');
    const client = clientIn(world, { reader: failing(world, away, DAY) });
    const unread = { name: 'NoDecisionError', cause: away, message: expect.stringContaining('cannot be read (Error)') };
    await expect(client.wait('p1', { timeout: '3s' })).rejects.toMatchObject(unread);
    const chosen = client.choose('first', space('update_status'), snapshot, { timeout: '3s' });
    await expect(chosen).rejects.toMatchObject(unread);
  });

  test('a read that fails at the end alone is no outage: the call may be asked about still', async () => {
    const world = new World();
    const { reader } = world.gate.agentSide('coder');
    let reads = 0;
    const read = async (...key: Parameters<typeof reader.read>): Promise<ReadDecision | undefined> => {
      if (++reads > 3) throw throttle;
      return reader.read(...key);
    };
    const waited = clientIn(world, { reader: { read } }).wait('p1', { timeout: '3s' });
    await expect(waited).rejects.toThrow('there is no decision on p1 yet');
  });

  test('a refusal ends the wait at once: no later read would succeed', async () => {
    const world = new World();
    const began = world.clock.now();
    const client = clientIn(world, { reader: failing(world, refusal, DAY) });
    // "There is no decision yet" would read as if people were still asked.
    const message = expect.stringMatching(
      /^the decision on p1 cannot be read \(AccessDeniedException\): .* role of its agent\?/,
    );
    await expect(client.wait('p1')).rejects.toMatchObject({ name: 'NoDecisionError', cause: refusal, message });
    expect(world.clock.now()).toBe(began);
  });
});
