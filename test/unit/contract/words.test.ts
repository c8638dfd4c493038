/** Checks the words on the wire: strict, bounded, and closed to what they do not name. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import {
  approval,
  auditEntry,
  callResult,
  decision,
  executionRequest,
  identifier,
  instant,
  journalEntry,
  LIMITS,
  operation,
  outcome,
  permit,
  proposal,
  redeemAnswer,
  redeemRequest,
  SCHEMA_VERSION,
} from '../../../shared/contract/index.ts';
import { asStored } from '../../../shared/contract/stored.ts';
import { unicodeText } from '../../support/unicode-text.ts';
import { waiting } from '../domain/rows.ts';

const digest = 'a'.repeat(64);
const at = '2026-11-21T09:00:00.000Z';
const decidedBy = { type: 'rule', id: 'deny.0' };

/** One valid example of each word. */
const WORDS: Readonly<Record<string, readonly [z.ZodType, Record<string, unknown>]>> = {
  'tool-call': [proposal, { kind: 'tool-call', proposalId: 'p1', calls: [{ id: 'a', toolName: 'Bash', input: {} }] }],
  cancel: [proposal, { kind: 'cancel', proposalId: 'c1', cancels: 'p1' }],
  'input-request': [proposal, { kind: 'input-request', proposalId: 'q1', question: 'Which branch?' }],
  'action-choice': [
    proposal,
    {
      kind: 'action-choice',
      proposalId: 'x1',
      policy: 'main',
      actionSpace: { persona_id: 'buyer', actions: [{ flow_id: 'pay', persona_id: 'buyer' }] },
      snapshot: { facts: {}, entity_states: {}, observed_at: at },
    },
  ],
  decision: [
    decision,
    {
      schemaVersion: SCHEMA_VERSION,
      proposalId: 'p1',
      outcome: 'denied',
      message: 'No.',
      reasonCode: 'rule_match',
      decidedBy,
      policyVersion: digest,
      actionDigest: digest,
      decidedAt: at,
      calls: [],
    },
  ],
  permit: [permit, { permitId: 'x', actionDigest: digest, permitEpoch: 0, issuedAt: at, expiresAt: at }],
  approval: [approval, waiting() as unknown as Record<string, unknown>],
  outcome: [
    outcome,
    {
      proposalId: 'p1',
      callId: 'a',
      permitId: 'x',
      actionDigest: digest,
      status: 'succeeded',
      startedAt: at,
      durationMs: 1,
    },
  ],
  'execution request': [
    executionRequest,
    { requestId: 'r1', proposalId: 'p1', callId: 'a', permitId: 'x', toolName: 'Search', input: { q: 'x' } },
  ],
  'redeem request': [
    redeemRequest,
    { agent: 'coder', proposalId: 'p1', callId: 'a', permitId: 'x', toolName: 'Search', input: {} },
  ],
  'redeem answer': [
    redeemAnswer,
    {
      granted: true,
      redemptionId: 'r1',
      idempotencyKey: 'k1',
      effect: 'Pure',
      timeoutMs: 1,
      deadlineAt: at,
      reportBy: at,
    },
  ],
  'call result': [
    callResult,
    {
      schemaVersion: SCHEMA_VERSION,
      requestId: 'r1',
      proposalId: 'p1',
      callId: 'a',
      status: 'succeeded',
      permit: 'spent',
      attempts: 1,
      durationMs: 5,
      endedAt: at,
    },
  ],
  'audit entry': [
    auditEntry,
    { type: 'evaluated', pid: digest, proposalId: 'p1', agent: 'coder', recordedAt: at, policyVersion: digest },
  ],
  'journal entry': [journalEntry, { type: 'now', place: 'start', round: 0, at }],
  pause: [operation, { kind: 'pause', operationId: 'o1', reason: 'drill', scope: { all: true }, effect: 'deny' }],
  decide: [
    operation,
    { kind: 'decide', operationId: 'o1', reason: 'x', agent: 'coder', proposalId: 'p1', choice: 'approve' },
  ],
};

describe.each(Object.entries(WORDS))('%s', (_, [schema, example]) => {
  test('is read as it is written', () => {
    expect(schema.parse(example)).toEqual(example);
  });

  test('refuses a field that it does not name', () => {
    const result = schema.safeParse({ ...example, colour: 'red' });
    expect(result.error?.issues[0]).toMatchObject({ code: 'unrecognized_keys', keys: ['colour'] });
  });

  test('read back from a store keeps a field that it does not name, and says the rest as strictly', () => {
    const later = { ...example, colour: { shade: 'red' } };
    expect(asStored(schema).parse(later)).toEqual(later);
    for (const name of Object.keys(example))
      expect(asStored(schema).safeParse({ ...later, [name]: Symbol('none') }).success, name).toBe(false);
  });

  test('refuses each of its fields when it is of another type', () => {
    for (const name of Object.keys(example)) {
      const result = schema.safeParse({ ...example, [name]: Symbol('none') });
      expect(result.success, name).toBe(false);
    }
  });
});

describe('an identifier', () => {
  test.each(['a', 'A.b_c:d-9', 'x'.repeat(128)])('%s', (text) => {
    expect(identifier.parse(text)).toBe(text);
  });

  test.each(['', 'a b', 'a/b', 'a#b', 'ä', 'a\n', 'x'.repeat(129), '\u202ea', 'a\0'])('not %j', (text) => {
    expect(identifier.safeParse(text).success).toBe(false);
  });

  test('for all texts holds no character that separates the parts of a key', () => {
    fc.assert(
      fc.property(unicodeText({ maxLength: 20 }), (text) => {
        if (identifier.safeParse(text).success) expect(text).toMatch(/^[A-Za-z0-9._:-]{1,128}$/);
      }),
    );
  });
});

test.each([
  ['2026-11-21T09:00:00Z', true],
  ['2026-11-21T09:00:00.123Z', true],
  ['2026-11-21T09:00:00+01:00', false],
  ['2026-11-21', false],
  ['2026-13-01T00:00:00Z', false],
  ['tomorrow', false],
])('%s is a time: %s', (text, ok) => {
  expect(instant.safeParse(text).success).toBe(ok);
});

test('a proposal holds at most 20 calls (A24)', () => {
  const calls = (count: number) =>
    Array.from({ length: count }, (_, n) => ({ id: `c${n}`, toolName: 'Read', input: {} }));
  const holding = (count: number) =>
    proposal.safeParse({ kind: 'tool-call', proposalId: 'p1', calls: calls(count) }).success;
  expect([0, 1, LIMITS.calls, LIMITS.calls + 1].map(holding)).toEqual([false, true, true, false]);
});

test('an approved call is told apart from others by its permit, and the permit by its digest', () => {
  const [schema, example] = WORDS['decision'] ?? [];
  const call = {
    id: 'a',
    outcome: 'approved',
    message: 'Run it.',
    reasonCode: 'approved',
    decidedBy,
    actionDigest: digest,
  };
  const permitted = {
    ...call,
    permit: { permitId: 'x', actionDigest: digest, permitEpoch: 0, issuedAt: at, expiresAt: at },
  };
  expect(schema?.safeParse({ ...example, calls: [permitted] }).success).toBe(true);
  expect(
    schema?.safeParse({ ...example, calls: [{ ...permitted, permit: { ...permitted.permit, actionDigest: 'x' } }] })
      .success,
  ).toBe(false);
});
