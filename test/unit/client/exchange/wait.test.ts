/**
 * Checks how a client proposes and waits.
 *
 * The client sends nothing that the gate could not read, and every wait has an end.
 */
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../shared/domain/digest.ts';
import { unreadableId } from '../../../../shared/domain/proposal/reserved-ids.ts';
import type { ReadDecision } from '../../../../shared/ports/agent-side.ts';
import { snapshot, space } from '../../use-cases/choice-world.ts';
import { bash, policyOf, World } from '../../use-cases/world.ts';
import { clientIn } from './client-in.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const LARGE = 'has most of the bytes, and the message has more than 262144 bytes: shorten it, or send it in parts';
const nested = (levels: number): unknown => (levels ? [nested(levels - 1)] : 1);

describe('a proposal that the gate could not read', () => {
  test.each([
    ['unsafe_number', { id: 2 ** 60 }],
    ['too_deep', { value: nested(70) }],
    ['too_large', { body: 'x'.repeat(300 * 1024) }],
    ['lone_surrogate', { text: '\ud800' }],
    ['forbidden_key', JSON.parse('{"a":{"__proto__":{"force":true}}}')],
  ])('is refused with %s where it is made, and not sent', async (code, input) => {
    const world = new World();
    const propose = clientIn(world).propose({ toolName: 'Bash', input });
    await expect(propose).rejects.toMatchObject({ name: 'InvalidProposalError', code });
    expect(await world.look.audit.recent('coder', 5)).toEqual([]);
  });

  test.each([
    [{ body: ['a', { text: 'x'.repeat(300 * 1024) }] }, `input.body[1].text: ${LARGE}`],
    [{ list: Array(400).fill('x'.repeat(999)) }, `input.list: ${LARGE}`],
    [{ value: nested(61) }, 'input.value: is nested deeper than 64 levels: make it flatter'],
    [{ value: nested(64) }, 'input.value: is nested deeper than 64 levels: make it flatter'],
    [{ value: nested(70) }, 'input.value: is nested deeper than 64 levels: make it flatter'],
    [
      { at: { toJSON: (): string => 'other' } },
      'input.at: is of the type Object with a toJSON, which puts another value in its place: pass what it returns',
    ],
    [
      { at: new URL('https://example.com') },
      'input.at: is of the type URL with a toJSON, which puts another value in its place: pass what it returns',
    ],
    [{ at: Number.NaN }, 'input.at: is NaN, which JSON cannot hold: pass a finite number, a text or null'],
    [{ at: [undefined] }, 'input.at[0]: is undefined, which JSON cannot hold: pass null, or leave it out'],
    [{ at: 1n }, 'input.at: is a bigint, which JSON cannot hold: pass its text'],
    [{ at: () => 1 }, 'input.at: is a function, which JSON cannot hold: pass its name, or leave it out'],
    [{ at: new Map() }, 'input.at: is of the type Map, which JSON cannot hold: pass its text or its fields'],
  ])('is told with its field, the reason and the next step: %#', async (input, message) => {
    await expect(clientIn(new World()).propose({ toolName: 'Bash', input })).rejects.toMatchObject({
      message,
      field: message.slice(0, message.indexOf(':')),
    });
  });

  test('is answered under its id if another library sent it', async () => {
    const world = new World();
    await world.send('{"proposalId":"p1","toolName":"Bash","input":{"id":9007199254740993}}');
    expect(await clientIn(world).wait('p1')).toMatchObject({ outcome: 'error', reasonCode: 'unsafe_number' });
  });
});

test('an answer that an older gate filed under the digest of the bytes is found by who sent them', async () => {
  const world = new World();
  const refusal = { outcome: 'error', reasonCode: 'invalid_json', calls: [] } as never;
  let filedUnder = '';
  const client = clientIn(world, {
    queue: {
      publish: async (body) => {
        filedUnder = world.pid(unreadableId(sha256Hex(body)));
      },
    },
    reader: { read: async (_agent, pid) => (pid === filedUnder ? { decision: refusal } : undefined) },
  });
  const id = await client.propose({ toolName: 'Bash', input: { command: 'git status' } });
  expect(await client.wait(id)).toBe(refusal);
  // A wait that begins when nothing is judged any more finds it too.
  const late = await client.propose({ toolName: 'Bash', input: { command: 'git log' } });
  await world.clock.advance(2 * DAY);
  expect(await client.wait(late)).toBe(refusal);
});

describe('a wait without a time-out', () => {
  test('ends some minutes after the expiresAt of the proposal', async () => {
    const world = new World();
    const { queue } = world.gate.agentSide('coder');
    let isDown = false;
    const client = clientIn(world, {
      queue: { publish: async (...sent) => (isDown ? undefined : queue.publish(...sent)) },
    });
    await client.wait(await client.propose({ toolName: 'Bash', input: { command: 'git status' } }));
    isDown = true;
    const expiresAt = new Date(world.clock.now() + 10 * MINUTE).toISOString();
    const began = world.clock.now();
    const id = await client.propose({ toolName: 'Bash', input: { command: 'make' }, expiresAt });
    await expect(client.wait(id)).rejects.toMatchObject({ name: 'NoDecisionError' });
    expect(world.clock.now() - began).toBe(25 * MINUTE);
  });

  test('hears that the expiresAt was over when the proposal was sent', async () => {
    const world = new World();
    const client = clientIn(world);
    const expiresAt = new Date(world.clock.now() - MINUTE).toISOString();
    const id = await client.propose({ toolName: 'Bash', input: { command: 'git status' }, expiresAt });
    expect(await client.wait(id)).toMatchObject({ outcome: 'expired' });
  });

  test('ends within a minute if the gate has recorded nothing for this client yet, and names the settings', async () => {
    const world = new World();
    const began = world.clock.now();
    const client = clientIn(world, { deployment: 'another' });
    const id = await client.propose({ toolName: 'Bash', input: { command: 'git status' } });
    await expect(client.wait(id)).rejects.toMatchObject({
      code: 'unanswered',
      message: expect.stringMatching(
        /is the deployment's name right, is this role an agent's\?.*deployment.*queueUrl.*auditTable.*Deployment.*ProposalsQueueUrl.*AuditTable.*AgentEnvironment/,
      ),
    });
    expect(world.clock.now() - began).toBeLessThan(MINUTE);
  });

  test.each([undefined, '20d' as const])(
    'ends a day after a proposal that was lost, as with a queue that was emptied: time-out %s',
    async (timeout) => {
      const world = new World();
      const { queue } = world.gate.agentSide('coder');
      let isLost = false;
      const publish: typeof queue.publish = async (...sent) => (isLost ? undefined : queue.publish(...sent));
      const client = clientIn(world, { queue: { publish } });
      await client.wait(await client.propose({ toolName: 'Bash', input: { command: 'git status' } }));
      isLost = true;
      const id = await client.propose({ toolName: 'Bash', input: { command: 'make' } });
      await world.clock.advance(60 * MINUTE);
      const began = world.clock.now();
      await expect(client.wait(id, { timeout })).rejects.toMatchObject({
        code: 'unanswered',
        message: expect.stringContaining('propose it again under a new id'),
      });
      expect(world.clock.now() - began).toBe(DAY + 15 * MINUTE - 60 * MINUTE);
      isLost = false;
      // The gate refuses a proposal that it meets so late: the wait missed nothing.
      const sentAt = new Date(world.clock.now() - DAY - 15 * MINUTE).toISOString();
      await world.send(bash('late', 'git status', { sentAt }));
      expect(await world.decided('late')).toMatchObject({ outcome: 'error', reasonCode: 'stale_proposal' });
    },
  );

  test('that ended so withdrew what nobody waits for, so that the call needs a new id', async () => {
    const world = new World();
    const { queue } = world.gate.agentSide('coder');
    let isLost = false;
    const publish: typeof queue.publish = async (raw, agent) =>
      isLost && raw.includes('tool-call') ? undefined : queue.publish(raw, agent);
    const client = clientIn(world, { queue: { publish } });
    const call = (id: string) => client.decide({ id, tool: 'Bash', input: { command: 'git status' } });
    await call('before');
    isLost = true;
    await expect(call('lost')).rejects.toMatchObject({ code: 'unanswered' });
    isLost = false;
    const again = clientIn(world);
    const id = await again.propose({ proposalId: 'lost', toolName: 'Bash', input: { command: 'git status' } });
    expect(await again.wait(id)).toMatchObject({ outcome: 'cancelled' });
    expect(await again.wait(await again.propose({ toolName: 'Bash', input: { command: 'git status' } }))).toMatchObject(
      { outcome: 'approved' },
    );
  });

  test('that begins days after people were asked is not over with one failing read', async () => {
    const world = new World(policyOf({ approvals: '{ approvers: platform, timeout: 20d }' }));
    const { reader } = world.gate.agentSide('coder');
    let isThrottled = false;
    const read: typeof reader.read = async (...asked) => {
      if (!isThrottled) return reader.read(...asked);
      isThrottled = false;
      throw Object.assign(new Error('throttled'), { name: 'ThrottlingException' });
    };
    const client = clientIn(world, { reader: { read } });
    await client.wait(await client.propose({ toolName: 'Bash', input: { command: 'git status' } }));
    const id = await client.propose({ toolName: 'Bash', input: { command: 'git push origin main' } });
    await world.clock.advance(5 * DAY);
    isThrottled = true;
    expect(await client.wait(id)).toMatchObject({ outcome: 'expired' });
  });

  test('goes on for weeks while people are asked', async () => {
    const approvals = '{ approvers: platform, timeout: 20d }';
    const world = new World(policyOf({ approvals }));
    const client = clientIn(world);
    const id = await client.propose({ toolName: 'Bash', input: { command: 'git push origin main' } });
    const began = world.clock.now();
    expect(await client.wait(id)).toMatchObject({ outcome: 'expired' });
    expect(world.clock.now() - began).toBeGreaterThan(19 * DAY);
  });

  test('ends when nobody may be waited for any longer, for a proposal of another process', async () => {
    const world = new World();
    const reader = { read: async () => undefined };
    const began = world.clock.now();
    await expect(clientIn(world, { reader }).wait('no id')).rejects.toMatchObject({ field: 'proposalId' });
    await expect(clientIn(world, { reader }).wait('unknown')).rejects.toMatchObject({ name: 'NoDecisionError' });
    expect(world.clock.now() - began).toBe(30 * DAY + 15 * MINUTE);
  });
});

describe('reads of a wait', () => {
  /** Misses what is there in every read that need not be the latest. */
  const lagging = (world: World) => {
    const { reader } = world.gate.agentSide('coder');
    const reads: unknown[] = [];
    const read: typeof reader.read = async (agent, pid, sort, wanted) => {
      reads.push(wanted);
      return wanted === 'likely' ? undefined : reader.read(agent, pid, sort, wanted);
    };
    return { reader: { read }, reads };
  };

  test.each([0, 1_000])(
    'the last one of %i ms is the latest, and finds a decision that all before it missed',
    async (timeout) => {
      const world = new World();
      await world.send(bash('p1', 'git status'));
      const { reader, reads } = lagging(world);
      const decision = await clientIn(world, { reader }).wait('p1', { timeout });
      expect(decision.outcome).toBe('approved');
      expect(reads.filter((read) => read !== 'likely')).toEqual(['latest']);
    },
  );

  test('one of them is the latest where nothing is found until the end of the time', async () => {
    const world = new World();
    const { reader, reads } = lagging(world);
    await expect(clientIn(world, { reader }).wait('p1', { timeout: 1_000 })).rejects.toMatchObject({
      name: 'NoDecisionError',
    });
    expect(reads.at(-1)).toBe('latest');
    expect(reads.filter((read) => read !== 'likely')).toHaveLength(1);
  });
});

test.each([
  ['people are asked', 'make deploy', true],
  ['the gate has judged nothing', undefined, false],
])('a wait that ends while %s says so', async (_, command, isAsked) => {
  const world = new World();
  if (command !== undefined) await world.send(bash('p1', command));
  const error = { name: 'NoDecisionError', code: 'no_decision', isAsked };
  await expect(clientIn(world).wait('p1', { timeout: 1_000 })).rejects.toMatchObject(error);
  await expect(clientIn(world).wait('p1', { timeout: 0 })).rejects.toMatchObject(error);
});

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

  test.each([
    ['InvalidSignatureException', 'Signature expired: 20261121T085000Z is now earlier than 20261121T085500Z'],
    ['InvalidSignatureException', 'Signature not yet current: 20261121T091000Z is still later than 20261121T090500Z'],
    ['RequestTimeTooSkewed', 'The difference between the request time and the current time is too large.'],
  ])('a signature of another time is a clock that is wrong: %s, %s', async (name, words) => {
    const cause = Object.assign(new Error(words), { name, $fault: 'client' });
    const world = new World();
    const client = clientIn(world, { reader: failing(world, cause, DAY) });
    await expect(client.wait('p1')).rejects.toThrow(
      `cannot be read (${name}: the clock of this machine is wrong, set it)`,
    );
  });
});

test('a client that proposes and never waits does not grow beyond ten thousand proposals', async () => {
  const world = new World(policyOf());
  let next = 0;
  const client = clientIn(world, {
    queue: { publish: async () => undefined },
    newId: () => `p${next++}`,
    reader: { read: async () => ({ decision: { calls: [{ id: 'call', actionDigest: 'f'.repeat(64) }] } as never }) },
  });
  const propose = () => client.propose({ toolName: 'Bash', input: { command: 'ls' } });
  await propose();
  await expect(client.wait('p0')).rejects.toMatchObject({ name: 'DigestMismatchError' });
  for (let count = 0; count < 10_000; count++) await propose();
  // Forgotten: nothing is left to compare the decision with.
  expect(await client.wait('p0')).toMatchObject({ calls: [{ id: 'call' }] });
  await expect(client.wait('p1')).rejects.toMatchObject({ name: 'DigestMismatchError' });
});
