/** Checks that the stored form of decisions and entries loses nothing and fits one write unit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  bytesToHex,
  hexToBytes,
  packDecision,
  packEntry,
  unpackDecision,
  unpackEntry,
} from '../../../../shared/adapters/dynamodb/pack.ts';
import { type AuditEntry, type Decision, SCHEMA_VERSION } from '../../../../shared/contract/index.ts';

const digest = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes).toString('hex'));
const instant = fc.constantFrom('2026-11-21T10:00:00.000Z', '2026-11-21T10:00:01.000Z');
const answer = fc.record({
  outcome: fc.constantFrom('approved', 'denied', 'error'),
  message: fc.constantFrom('one', 'two', 'deadbeefdeadbeef'),
  reasonCode: fc.constantFrom('rule_match', 'expired'),
  decidedBy: fc.record({ type: fc.constantFrom('rule', 'human'), id: fc.constantFrom('project:1', 'T1/U1') }),
  actionDigest: fc.option(digest),
});
const guardrails = fc.record({
  effect: fc.constantFrom('Pure', 'IdempotentWrite', 'NonIdempotentWrite', 'ExternalSideEffects'),
  timeoutMs: fc.nat(),
  maxRetries: fc.nat(20),
});
const settings = fc.option(guardrails, { nil: undefined }).map((one) => (one ? { guardrails: one } : {}));
const person = fc.record({ team: fc.constant('T1'), user: fc.constantFrom('U1', 'U2') });
const allowedBy = fc.record(
  {
    people: fc.array(person, { maxLength: 2 }),
    yes: fc.constantFrom('silence', 'confirmation'),
    rules: fc.array(digest, { maxLength: 2 }),
    grants: fc.array(digest, { maxLength: 2 }),
    requester: person,
    mode: fc.constantFrom('plan', 'bubble'),
    answers: fc.array(
      fc.record({ type: fc.constant('hook'), at: fc.constant('0.review'), decision: fc.constant('allow') }),
    ),
  },
  { requiredKeys: [] },
);
const permit = fc
  .record({
    allowedBy,
    permitId: digest.map((hex) => hex.slice(0, 32)),
    actionDigest: digest,
    permitEpoch: fc.nat(3),
    issuedAt: instant,
    expiresAt: instant,
  })
  .chain((right) => settings.map((more) => ({ ...right, ...more })));
const call = fc
  .tuple(answer, fc.option(permit))
  .map(([own, right]) => ({ id: 'call', ...own, ...(right ? { permit: right } : {}) }));
const decision = fc
  .tuple(answer, fc.array(call, { maxLength: 4 }), digest, instant)
  .map(([own, calls, policyVersion, decidedAt]) => {
    const shared = calls.map((one, index) => (index % 2 ? { ...one, ...own } : one));
    return {
      schemaVersion: SCHEMA_VERSION,
      proposalId: 'p1',
      ...own,
      calls: shared,
      policyVersion,
      decidedAt,
    } as unknown as Decision;
  });

describe('the stored form', () => {
  it('gives back every decision', () => {
    fc.assert(
      fc.property(decision, (given) => {
        const stored = hexToBytes(packDecision(given));
        expect(unpackDecision(bytesToHex(stored) as Record<string, unknown>)).toEqual(given);
      }),
    );
  });

  it('gives back every entry beside its decision, and without one', () => {
    const entry = fc.tuple(digest, digest, instant, fc.boolean()).map(([pid, auditDigest, recordedAt, labelled]) => ({
      type: 'evaluated',
      pid,
      proposalId: 'p1',
      agent: 'a1',
      recordedAt,
      policyVersion: auditDigest,
      outcome: 'approved',
      decidedBy: { type: 'rule', id: 'project:1' },
      calls: [
        {
          id: 'call',
          toolName: 'Read',
          argsHash: labelled ? auditDigest.slice(0, 8) : '00000000',
          auditDigest,
          verdict: 'allow',
        },
      ],
    }));
    fc.assert(
      fc.property(entry, fc.option(decision, { nil: undefined }), (value, beside) => {
        const given = value as unknown as AuditEntry;
        const whole = {
          ...given,
          ...(beside ? { outcome: beside.outcome, decidedBy: beside.decidedBy } : {}),
        } as AuditEntry;
        const stored = hexToBytes(packEntry(whole, beside));
        const back = unpackEntry(
          bytesToHex(stored) as Record<string, unknown>,
          given.agent,
          given.pid ?? '',
          beside as unknown as Record<string, unknown>,
        );
        expect(back).toEqual({ ...(beside ? { reasonCode: beside.reasonCode } : {}), ...whole });
      }),
    );
  });
});
