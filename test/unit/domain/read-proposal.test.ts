/**
 * Checks that bytes become a proposal, or a fault that names the field.
 *
 * Frameworks' names for the same fields are read, too.
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SCHEMA_VERSION, proposal as schema } from '../../../shared/contract/index.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';
import { anyText, nearProposal } from './json-texts.ts';

const NOW = Date.parse('2026-11-21T09:00:00Z');
const read = (message: object) => readProposal(JSON.stringify(message), NOW);
const short = { proposalId: 'p1', toolName: 'Bash', input: { command: 'ls' } };

function callsOf(message: object) {
  const result = read(message);
  if (!result.ok || result.proposal.kind !== 'tool-call') throw new Error(JSON.stringify(result));
  return result.proposal.calls;
}

describe('the short form is the long form with one call', () => {
  const call = { id: 'call', toolName: 'Bash', input: { command: 'ls' } };

  test('a message without a kind is a tool call', () => {
    expect(callsOf(short)).toEqual([call]);
  });

  test.each(['toolCallId', 'tool_use_id', 'callId', 'id'])('%s names the call', (name) => {
    expect(callsOf({ ...short, [name]: 'toolu_1' })).toEqual([{ ...call, id: 'toolu_1' }]);
  });

  test.each([
    ['args', { command: 'ls' }],
    ['arguments', { command: 'ls' }],
    ['arguments', '{"command":"ls"}'],
  ])('%s is the input: %j', (name, value) => {
    const { input: _, ...rest } = short;
    expect(callsOf({ ...rest, [name]: value })).toEqual([call]);
  });

  test('arguments as text are read as strictly as the message', () => {
    const { input: _, ...rest } = short;
    expect(read({ ...rest, arguments: '{"a":1,"a":2}' })).toMatchObject({
      ok: false,
      fault: { code: 'duplicate_key', field: 'arguments' },
    });
  });

  test.each([
    [{ args: {} }, 'args'],
    [{ arguments: '{}' }, 'arguments'],
    [{ callId: 'a', id: 'b' }, 'id'],
  ])('two names for one field are refused: %j', (more, field) => {
    expect(read({ ...short, ...more })).toMatchObject({ ok: false, fault: { field } });
  });

  test.each([
    [{ tolName: 'Bash', toolName: undefined }, 'tolName: is not a field of this message'],
    [{ inptu: {}, input: undefined }, 'inptu: is not a field of this message'],
    [{ toolName: undefined }, 'toolName: is missing'],
    [{ toolName: '' }, 'toolName: must not be empty'],
    [{ schemaVersion: 9 }, `schemaVersion: 9 is not a version that this gate reads (${SCHEMA_VERSION})`],
    [{ toolName: undefined, input: undefined, calls: [{ id: 'a', input: {} }] }, 'calls[0].toolName: is missing'],
  ])('what is wrong is said in the words of the sender: %j', (more, message) => {
    expect(read({ ...short, ...more })).toMatchObject({ ok: false, fault: { message } });
  });

  test.each([
    { toolName: undefined, input: undefined, calls: [call, { ...call, id: 'other' }] },
    { kind: 'input-request', question: 'Which?', toolName: undefined, input: undefined },
    { kind: 'cancel', cancels: 'p-2', toolName: undefined, input: undefined },
  ])('a key that no one call can have is refused: %j', (more) => {
    expect(read({ ...short, ...more, idempotencyKey: 'order-42' })).toMatchObject({
      ok: false,
      fault: { field: 'idempotencyKey' },
    });
  });

  interface Message {
    readonly kind: string;
    readonly [field: string]: unknown;
  }
  const written: Message = { kind: 'task-message', context: { user_id: 'u', message: 'hi', conversation_id: 'c' } };
  const withdrawn: Message = { kind: 'cancel', cancels: 'p-2' };
  test.each<readonly [Readonly<Record<string, string>>, ...Message[]]>([
    [{ title: 'T' }, written, withdrawn],
    [{ description: 'D' }, written, withdrawn],
    [{ urgency: 'high' }, written, withdrawn],
    [{ runId: 'r-1' }, written, withdrawn],
    [{ requester: 'nobody' }, written, withdrawn],
    [{ parentSessionId: 's-1' }, written, withdrawn],
    [{ reason: 'R' }, written],
    [{ expiresAt: '2026-11-21T10:00:00Z' }, withdrawn],
    [{ state: 'S' }, withdrawn],
  ])('a field that a kind of message has no use for is refused there (G50): %j', (more, ...kinds) => {
    for (const kind of kinds) {
      expect(read({ proposalId: 'p-1', ...kind })).toMatchObject({ ok: true });
      const [field] = Object.keys(more);
      const message = `${field}: has no effect on a ${kind.kind}: leave it away`;
      expect(read({ proposalId: 'p-1', ...kind, ...more })).toMatchObject({ ok: false, fault: { message } });
    }
  });

  test('fields of the short form beside calls are refused', () => {
    expect(read({ ...short, calls: [call] })).toMatchObject({ ok: false, fault: { code: 'unknown_field' } });
  });
});

describe('the digest of the content', () => {
  const digestOf = (message: object) => {
    const result = read(message);
    return result.ok ? result.contentDigest : undefined;
  };

  test('is the same for the short and the long form, another order of keys, and another time of sending', () => {
    const long = {
      kind: 'tool-call',
      proposalId: 'p1',
      calls: [{ id: 'call', toolName: 'Bash', input: { command: 'ls' } }],
    };
    const digests = [
      digestOf(short),
      digestOf(long),
      digestOf(Object.fromEntries(Object.entries(short).toReversed())),
      digestOf({ ...short, sentAt: '2026-11-21T08:00:00Z' }),
    ];
    expect(new Set(digests).size).toBe(1);
    expect(digests[0]).toBeDefined();
  });

  test.each([
    { input: { command: 'ls ' } },
    { toolName: 'bash' },
    { cwd: '/tmp' },
    { sessionId: 'other' },
    { expiresAt: '2026-11-21T10:00:00Z' },
    { agentId: 'coder' },
  ])('differs with %j', (more) => {
    expect(digestOf({ ...short, ...more })).not.toBe(digestOf(short));
  });
});

test.each([
  ['exactly 24 hours old', '2026-11-20T09:00:00Z', true],
  ['older', '2026-11-20T08:59:59.999Z', false],
  ['exactly 5 minutes ahead', '2026-11-21T09:05:00Z', true],
  ['further ahead', '2026-11-21T09:05:00.001Z', false],
])('a message that says it is %s (D18)', (_, sentAt, ok) => {
  expect(read({ ...short, sentAt }).ok).toBe(ok);
});

test('the id is told even of a message that cannot be read for another reason, if it is one', () => {
  expect(read({ ...short, colour: 1 })).toMatchObject({ ok: false, proposalId: 'p1' });
  expect(read({ ...short, proposalId: 'a b' })).toMatchObject({
    ok: false,
    proposalId: null,
    fault: { field: 'proposalId' },
  });
});

test.each([
  ['a number beyond 2^53', '{"proposalId":"p1","input":{"n":9007199254740993}}', 'p1'],
  ['a text that is cut off', '{"proposalId":"p1","toolName":"Ba', 'p1'],
  ['an escaped key', '{"\\u0070roposalId":"p1","a":1,"a":2}', 'p1'],
  ['an id that is cut off', '{"toolName":"Bash","proposalId":"p1', null],
  ['two ids', '{"proposalId":"p1","proposalId":"p2"}', null],
  ['an id further inside only', '{"input":{"proposalId":"p1"},"a":1,"a":2}', null],
  ['an id as a value', '{"a":"proposalId","b":"p1","a":2}', null],
  ['an id of another form', '{"proposalId":"p 1","a":1,"a":2}', null],
  ['an id that is no string', '{"proposalId":{"x":"p1"},"a":1,"a":2}', null],
  ['an id in a list', '["proposalId":"p1"]', null],
])(
  'a message with %s is refused under the one id that it states at its top, if it states one',
  (_, raw, proposalId) => {
    expect(readProposal(raw, NOW)).toMatchObject({ ok: false, proposalId });
  },
);

test('for all texts: it never throws, and a fault is short, printable in its code, and bound to the bytes', () => {
  fc.assert(
    fc.property(fc.oneof(anyText, nearProposal), (text) => {
      const result = readProposal(text, NOW);
      if (result.ok) {
        expect(schema.parse(result.proposal)).toEqual(result.proposal);
        return;
      }
      expect(result.fault.code).toMatch(/^[a-z_]+$/);
      expect(result.fault.message.length).toBeGreaterThan(0);
      expect(result.fault.message.length).toBeLessThanOrEqual(1_000);
      expect(result.rawDigest).toBe(sha256Hex(text));
    }),
    { numRuns: 3_000 },
  );
});

test('for all proposals: read again from its own text, it is the same proposal with the same digest', () => {
  fc.assert(
    fc.property(nearProposal, (text) => {
      const first = readProposal(text, NOW);
      if (!first.ok) return;
      expect(readProposal(JSON.stringify(first.proposal), NOW)).toEqual(first);
    }),
    { numRuns: 1_000 },
  );
});
