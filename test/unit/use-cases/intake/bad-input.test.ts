/**
 * Checks each row of "What bad input gets", from the queue to the answer.
 *
 * The sender and the record are both told.
 */
import { describe, expect, test } from 'vitest';
import { sha256Hex } from '../../../../shared/domain/digest.ts';
import { unreadableId } from '../../../../shared/domain/proposal/reserved-ids.ts';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;

/** A Bash proposal with something else in the place of its input's text. */
const withInput = (text: string) => `{"kind":"tool-call","proposalId":"p1","toolName":"Bash","input":${text}}`;

describe('a message that cannot be read is answered with an error that names the field, once', () => {
  test.each([
    ['not JSON', 'hello', 'invalid_json', ''],
    ['JSON with a comma too many', '{"a":1,}', 'invalid_json', ''],
    ['an empty message', '', 'invalid_json', ''],
    ['a list', '[]', 'invalid_proposal', ''],
    ['a key twice', withInput('{"command":"ls","command":"rm x"}'), 'duplicate_key', 'input.command'],
    ['__proto__', withInput('{"__proto__":{"a":1}}'), 'forbidden_key', 'input.__proto__'],
    ['an object under constructor', withInput('{"constructor":{"a":1}}'), 'forbidden_key', 'input.constructor'],
    ['half a surrogate pair', withInput('{"command":"\\ud800"}'), 'lone_surrogate', 'input.command'],
    ['a number beyond 2^53', withInput('{"n":9007199254740993}'), 'unsafe_number', 'input.n'],
    ['too deep', withInput(`${'['.repeat(80)}${']'.repeat(80)}`), 'too_deep', 'input'],
    ['too large', withInput(JSON.stringify({ command: 'x'.repeat(256 * 1024) })), 'too_large', ''],
  ])('%s', async (_, raw, code, field) => {
    const world = new World();
    await world.send(raw);
    const stated = raw.includes('"proposalId":"p1"') ? 'p1' : null;
    const id = stated ?? unreadableId(sha256Hex(raw));
    const decision = await world.decided(id);
    expect(decision).toMatchObject({
      outcome: 'error',
      reasonCode: code,
      proposalId: stated,
      messageId: expect.any(String),
      rawDigest: sha256Hex(raw),
      calls: [],
    });
    expect(decision.message.startsWith(field)).toBe(true);
    expect(await world.audit(id)).toMatchObject([{ type: 'evaluated', outcome: 'error', reasonCode: code }]);
    await world.clock.advance(30 * MINUTE);
    expect(world.gate.replies.sentTo('coder')).toEqual([decision]);
    expect(world.faults).toEqual([]);
  });

  test('G33 one that is too large is answered also in a flood: it may not fit in the deferred queue', async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }' }));
    for (let i = 0; i < 10; i++) await world.send(bash(`p${i}`));
    const raw = withInput(JSON.stringify({ command: 'x'.repeat(256 * 1024) })).replace('p1', 'large');
    await world.send(raw);
    expect(await world.decided('large')).toMatchObject({ reasonCode: 'too_large' });
  });

  test.each([
    ['an unknown field', { ...bash('p1'), colour: 'red' }, 'unknown_field', 'colour'],
    [
      'an unknown field of a call',
      { kind: 'tool-call', proposalId: 'p1', calls: [{ id: 'a', toolName: 'Bash', input: {}, x: 1 }] },
      'unknown_field',
      'calls[0].x',
    ],
    ['an unknown version', { ...bash('p1'), schemaVersion: '2031-01-01' }, 'unknown_schema_version', 'schemaVersion'],
    ['a version of the wrong type', { ...bash('p1'), schemaVersion: 7 }, 'unknown_schema_version', 'schemaVersion'],
    ['a field of the wrong type', { ...bash('p1'), title: 7 }, 'invalid_proposal', 'title'],
    ['a tool name of the wrong type', { ...bash('p1'), toolName: ['Bash'] }, 'invalid_proposal', 'toolName'],
    ['two names for one field', { ...bash('p1'), args: {} }, 'invalid_proposal', 'args'],
    ['no call at all', { kind: 'tool-call', proposalId: 'p1', calls: [] }, 'invalid_proposal', 'calls'],
    [
      '21 calls',
      {
        kind: 'tool-call',
        proposalId: 'p1',
        calls: Array.from({ length: 21 }, (_, n) => ({ id: `${n}`, toolName: 'Read', input: {} })),
      },
      'invalid_proposal',
      'calls',
    ],
    [
      'one id for two calls',
      { kind: 'tool-call', proposalId: 'p1', calls: [1, 2].map(() => ({ id: 'a', toolName: 'Read', input: {} })) },
      'invalid_proposal',
      'calls',
    ],
    ['an unknown kind', { kind: 'wish', proposalId: 'p1' }, 'invalid_proposal', 'kind'],
    ['an unknown mode', { ...bash('p1'), mode: 'yolo' }, 'invalid_proposal', 'mode'],
    ['a time without a zone', { ...bash('p1'), expiresAt: '2026-11-21T10:00:00' }, 'invalid_proposal', 'expiresAt'],
    ['a message of yesterday', { ...bash('p1'), sentAt: '2026-11-20T08:59:59Z' }, 'stale_proposal', 'sentAt'],
    ['a message of later today', { ...bash('p1'), sentAt: '2026-11-21T09:05:01Z' }, 'stale_proposal', 'sentAt'],
  ])('%s, under its id', async (_, message, code, field) => {
    const world = new World();
    await world.send(message);
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'error', reasonCode: code, proposalId: 'p1' });
    expect(decision.message.startsWith(`${field}:`)).toBe(true);
    expect(await world.audit('p1')).toMatchObject([{ type: 'evaluated', reasonCode: code }]);
  });

  test.each(['2026-11-20T08:59:59Z', '2026-11-21T09:10:00Z'])(
    'a cancel counts though its sender has the time as %s',
    async (sentAt) => {
      const world = new World();
      await world.send(bash('p1'));
      await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1', sentAt });
      expect(await world.decided('p1')).toMatchObject({ outcome: 'cancelled' });
    },
  );

  test('a malformed rule of the message is an error, never left out', async () => {
    const world = new World();
    await world.send({ ...bash('p1', 'git status'), rules: [{ effect: 'deny', pattern: 'Bash(' }] });
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: 'invalid_rule' });
  });

  test('an unreadable message leaves its batch mates alone', async () => {
    const world = new World();
    await Promise.all([world.send('{'), world.send(bash('p1', 'git status')), world.send(bash('p2', 'rm x'))]);
    expect((await world.decided('p1')).outcome).toBe('approved');
    expect((await world.decided('p2')).outcome).toBe('denied');
  });
});

describe('the same proposal id again', () => {
  test('with the same content: the same decision again, one audit decision', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const first = await world.decided('p1');
    await world.clock.advance(5_000);
    await world.send(bash('p1', 'git status'));
    expect(await world.decided('p1')).toEqual(first);
    expect(world.gate.replies.sentTo('coder')).toEqual([first, first]);
    expect(await world.audit('p1')).toHaveLength(1);
  });

  test('sent at another time it is still the same proposal', async () => {
    const world = new World();
    await world.send({ ...bash('p1'), sentAt: '2026-11-21T08:59:00Z' });
    await world.send({ ...bash('p1'), sentAt: '2026-11-21T09:00:00Z' });
    expect(world.slack.cards.size).toBe(1);
    expect((await world.audit('p1')).map(({ type }) => type)).toEqual(['evaluated']);
  });

  test('with other content: proposal_id_conflict, audited, and the first stands', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send(bash('p1', 'git status'));
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.gate.replies.sentTo('coder')).toMatchObject([
      { outcome: 'error', reasonCode: 'proposal_id_conflict' },
    ]);
    expect((await world.audit('p1')).map(({ type, reasonCode }) => [type, reasonCode])).toContainEqual([
      'refused',
      'proposal_id_conflict',
    ]);
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('from two agents: two proposals, and neither reads the other’s', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'), { agent: 'coder' });
    await world.send(bash('p1', 'rm x'), { agent: 'writer' });
    expect((await world.decided('p1', 'coder')).outcome).toBe('approved');
    expect((await world.decided('p1', 'writer')).outcome).toBe('denied');
    const { reader } = world.gate.agentSide('writer');
    await expect(reader.read('coder', world.pid('p1', 'coder'), 'evaluated')).rejects.toThrow();
  });
});

describe('a message that speaks for somebody else', () => {
  test.each([
    ['another agent', { agentId: 'writer' }, {}, 'not_your_agent'],
    ['another message group', {}, { groupId: 'writer' }, 'not_your_agent'],
    ['another deployment', { tenantId: 'elsewhere' }, {}, 'not_your_tenant'],
    ['a parent that the policy does not list', { parentAgentId: 'writer' }, {}, 'unlisted_parent'],
  ])('%s is refused and audited', async (_, more, sent, code) => {
    const world = new World();
    await world.send(bash('p1', 'git status', more), sent);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'error', reasonCode: code });
    expect(await world.audit('p1')).toMatchObject([{ agent: 'coder', reasonCode: code }]);
    expect(await world.decision('p1', 'writer')).toBeUndefined();
  });

  test("a flood under another's message group counts in its sender's rate, and is on the record once a minute beyond it", async () => {
    const world = new World(policyOf({ agents: '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }' }));
    const send = (proposalId: string, groupId: string) =>
      world.gate.agentSide('coder').queue.publish(JSON.stringify(bash(proposalId, 'git status')), groupId);
    for (let n = 0; n < 60; n++) await send(`p${n}`, 'writer');
    await world.rest();
    const entries = await world.look.audit.recent('coder', 100);
    expect(entries.filter(({ key }) => key.sort === 'evaluated')).toHaveLength(10);
    expect(entries.filter(({ key }) => key.sort.startsWith('refused#group#'))).toHaveLength(1);
    // The agent's own messages wait for their turn like those of any flood, and are answered.
    await send('own', 'coder');
    await world.rest();
    expect(await world.decision('own')).toBeUndefined();
    await world.clock.advance(2 * 60_000);
    expect((await world.decided('own')).outcome).toBe('approved');
    for (let n = 60; n < 120; n++) await send(`p${n}`, 'writer');
    await world.rest();
    const later = await world.look.audit.recent('coder', 200);
    expect(later.filter(({ key }) => key.sort.startsWith('refused#group#'))).toHaveLength(2);
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
  });

  test('its own name, tenant and a listed parent are fine', async () => {
    const world = new World(
      policyOf({ agents: '  coder: { owner: olga, parents: [writer] }\n  writer: { owner: olga }' }),
    );
    await world.send(bash('p1', 'git status', { agentId: 'coder', tenantId: 'memory', parentAgentId: 'writer' }));
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('a cancel under a foreign group cancels nothing', async () => {
    const world = new World();
    await world.send(bash('p1'));
    await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'p1' }, { groupId: 'writer' });
    expect((await world.row('p1')).approval.status).toBe('pending');
    expect(await world.decided('c1')).toMatchObject({ outcome: 'error', reasonCode: 'not_your_agent' });
  });

  test.each(['memory/agents/nobody', '000000000000', 'AROANOBODY:session', '__proto__', ''])(
    'a sender that is registered as nobody (%s) is answered nowhere and audited',
    async (principal) => {
      const world = new World();
      world.gate.queues.proposals.send({
        messageId: 'm1',
        raw: JSON.stringify(bash('p1', 'git status')),
        principal,
        firstSentAt: world.clock.now(),
        rounds: 0,
      });
      await world.rest();
      expect(await world.audit('p1', '-unregistered')).toMatchObject([{ reasonCode: 'unregistered_sender' }]);
      expect(await world.decision('p1')).toBeUndefined();
      expect(world.faults).toEqual([]);
    },
  );
});

describe('our own fault', () => {
  const broken = (port: string, method: string) => ({
    wrap: <Port extends object>(name: string, value: Port): Port =>
      name !== port
        ? value
        : new Proxy(value, {
            get: (target, key) =>
              key === method
                ? async () => {
                    throw new Error('the store is down');
                  }
                : bound(Reflect.get(target, key, target), target),
          }),
  });
  const bound = (member: unknown, target: object) => (typeof member === 'function' ? member.bind(target) : member);

  test.each([
    ['claims', 'readBatch'],
    ['claims', 'claim'],
    ['agents', 'nameOf'],
    ['rates', 'book'],
  ])('%s.%s down: tried again for as long as that lasts, never an allow, and no dead letter', async (port, method) => {
    const world = new World(undefined, broken(port, method));
    await world.send(bash('p1', 'git status'));
    await world.clock.advance(60 * MINUTE);
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
    expect(world.gate.queues.deferred.deadLetters).toEqual([]);
    expect(world.faults.length).toBeGreaterThan(5);
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.gate.replies.sentTo('coder')).toEqual([]);
  });

  test('a store that refuses to open leaves no half of an approval', async () => {
    const world = new World(undefined, broken('claims', 'open'));
    await world.send(bash('p1'));
    await world.clock.advance(6 * MINUTE);
    expect(await world.decision('p1')).toBeUndefined();
    expect(world.slack.cards.size).toBe(0);
    expect(world.waiting('agent', 'coder')).toBe(0);
  });

  test('Slack down: nothing fails, the card is posted after, and the wait ends as it should (G21)', async () => {
    const world = new World();
    world.slack.down = true;
    await world.send(bash('p1'));
    expect(world.slack.cards.size).toBe(0);
    expect((await world.row('p1')).approval.status).toBe('pending');
    await world.clock.advance(MINUTE);
    world.slack.down = false;
    await world.clock.advance(MINUTE);
    expect(world.slack.titles).toEqual([expect.stringContaining('coder wants to run git push origin main')]);
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });
});

describe('an id that the gate makes itself', () => {
  const MORE = policyOf({ more: 'taskAgent: { enabled: true }' });
  test.each([
    ['slack:Ev0123', bash('slack:Ev0123', 'git status'), 'proposalId'],
    ['unreadable:abc', bash('unreadable:abc', 'git status'), 'proposalId'],
    ['a task', { kind: 'task-message', proposalId: 'slack:Ev0123', context: {} }, 'proposalId'],
    ['a cancel of it', { kind: 'cancel', proposalId: 'c', cancels: 'slack:Ev0123' }, 'cancels'],
  ])('%s is refused, and stays free for what it is of', async (_, message, field) => {
    const world = new World(MORE);
    await world.send(message);
    expect(await world.decision('slack:Ev0123')).toBeUndefined();
    expect(await world.decision('unreadable:abc')).toBeUndefined();
    const decision = await world.decided(unreadableId(sha256Hex(JSON.stringify(message))));
    expect(decision).toMatchObject({ outcome: 'error', reasonCode: 'reserved_id' });
    expect(decision.message.startsWith(`${field}:`)).toBe(true);
  });

  test('one that is malformed besides does not take it either', async () => {
    const world = new World(MORE);
    await world.send({ ...bash('slack:Ev0123', 'git status'), colour: 'red' });
    expect(await world.decision('slack:Ev0123')).toBeUndefined();
  });
});
