/**
 * Checks the memory between calls: approvals and denials.
 *
 * Approvals: R4-071 … R4-086, D11, D21, D22, G14, G16. Denials: R4-087 … R4-095, D12.
 */
import { describe, expect, test } from 'vitest';
import { InvalidSettingError } from '../../../../shared/domain/errors.ts';
import { denialKey } from '../../../../shared/permissions/classifiers/denial-tracker.ts';
import {
  DenialTracker,
  type Grant,
  type GrantBinding,
  LlmClassifier,
  SessionApprovalCache,
} from '../../../../shared/permissions/index.ts';
import { argsDigest, argsHash, grantCovers, grantKey } from '../../../../shared/permissions/service/grants.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';
import { serviceOf } from './service-support.ts';

const HOUR = 3_600_000;
const BINDING: GrantBinding = {
  tenant: 't',
  session: 's',
  agent: 'a',
  cwd: '/w',
  mode: 'default',
  policyVersion: 'v1',
};
const clock = () => new FakeClock();

describe('scopes (R4-071 … R4-073, R4-079)', () => {
  test.each([
    ['Once', false, false, false],
    ['Session', true, false, false],
    ['SessionAllTools', true, true, false],
  ] as const)('%s: the same call %s, other arguments %s, another tool %s', (scope, same, others, otherTool) => {
    const cache = new SessionApprovalCache({ clock: clock() });
    cache.record('Bash', { command: 'ls' }, scope);
    expect(cache.check('Bash', { command: 'ls' })).toBe(same);
    expect(cache.check('Bash', { command: 'rm' })).toBe(others);
    expect(cache.check('Read', { command: 'ls' })).toBe(otherTool);
    expect(cache.size).toBe(scope === 'Once' ? 0 : 1);
  });

  test('what is no scope is remembered no longer than once', () => {
    const cache = new SessionApprovalCache({ clock: clock() });
    for (const scope of ['Forever', '', undefined]) cache.record('Bash', { command: 'ls' }, scope as never);
    expect(cache.size).toBe(0);
  });

  test('an exact grant answers before one for all arguments', () => {
    const cache = new SessionApprovalCache({ clock: clock() });
    cache.record('Bash', { command: 'ls' }, 'SessionAllTools');
    cache.record('Bash', { command: 'ls' }, 'Session', undefined, 'alice');
    expect(cache.find('Bash', { command: 'ls' })).toMatchObject({ scope: 'session', approvedBy: 'alice' });
    expect(cache.find('Bash', { command: 'rm' })).toMatchObject({ scope: 'session-all-tools' });
  });

  test('R4-080: the order of keys does not count, everything else does', () => {
    const cache = new SessionApprovalCache({ clock: clock() });
    cache.record('T', { a: 1, b: [1, 2] }, 'Session');
    expect(cache.check('T', { b: [1, 2], a: 1 })).toBe(true);
    for (const other of [{ a: 1, b: [2, 1] }, { a: '1', b: [1, 2] }, { a: 1 }, { a: 1, b: [1, 2], c: null }])
      expect(cache.check('T', other)).toBe(false);
  });
});

describe('time (R4-074 … R4-078, G16)', () => {
  test.each(['Session', 'SessionAllTools'] as const)('%s: valid until its age is its time to live', async (scope) => {
    const at = clock();
    const cache = SessionApprovalCache.withTtl(1000, at);
    cache.record('T', {}, scope);
    await at.advance(999);
    expect(cache.check('T', {})).toBe(true);
    expect(cache.list()).toHaveLength(1);
    await at.advance(1);
    expect(cache.check('T', {})).toBe(false);
    expect(cache.list()).toEqual([]);
    expect(cache.size).toBe(1);
  });

  test('without a time to live nothing expires; a negative one, or none that is a number, is refused', async () => {
    const at = clock();
    const cache = new SessionApprovalCache({ clock: at });
    cache.record('T', {}, 'Session');
    await at.advance(24 * 365 * HOUR);
    expect(cache.check('T', {})).toBe(true);
    expect(cache.cleanupExpired()).toBe(0);
    for (const ttl of [-1, Number.NaN]) expect(() => new SessionApprovalCache({ ttl })).toThrow(InvalidSettingError);
    expect(SessionApprovalCache.withTtl(0, at).check('T', {})).toBe(false);
  });

  test('a hit does not lengthen a life, approving again does', async () => {
    const at = clock();
    const cache = SessionApprovalCache.withTtl(1000, at);
    cache.record('T', {}, 'Session');
    await at.advance(900);
    expect(cache.check('T', {})).toBe(true);
    await at.advance(100);
    expect(cache.check('T', {})).toBe(false);
    cache.record('T', {}, 'Session');
    await at.advance(900);
    cache.record('T', {}, 'Session');
    await at.advance(900);
    expect(cache.check('T', {})).toBe(true);
  });
});

describe('taking back and making room (R4-081, R4-082)', () => {
  const filled = (at = clock()) => {
    const cache = SessionApprovalCache.withTtl(1000, at);
    cache.record('A', { n: 1 }, 'Session');
    cache.record('A', {}, 'SessionAllTools');
    cache.record('B', {}, 'Session');
    return cache;
  };

  test('revoke drops both scopes of one tool, clear drops all, and each says how many', () => {
    const cache = filled();
    expect(cache.list().map(({ toolName }) => toolName)).toEqual(['B', 'A', 'A']);
    expect(cache.revoke('A')).toBe(2);
    expect(cache.check('A', { n: 1 })).toBe(false);
    expect(cache.check('B', {})).toBe(true);
    expect(filled().clear()).toBe(3);
  });

  test('cleaning up drops the expired, those at their end too', async () => {
    const at = clock();
    const cache = filled(at);
    await at.advance(500);
    cache.record('C', {}, 'Session');
    await at.advance(500);
    expect(cache.cleanupExpired()).toBe(3);
    expect(cache.list().map(({ toolName }) => toolName)).toEqual(['C']);
  });

  test('the oldest approval goes first; approving again makes it the youngest', () => {
    const cache = new SessionApprovalCache({ capacity: 2, clock: clock() });
    for (const n of [1, 2, 1, 3]) cache.record('T', { n }, 'Session');
    expect([1, 2, 3].map((n) => cache.check('T', { n }))).toEqual([true, false, true]);
    expect(cache.size).toBe(2);
  });

  test('a capacity is a whole number of one or more', () => {
    for (const capacity of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => new SessionApprovalCache({ capacity })).toThrow(InvalidSettingError);
  });

  test('ten thousand are kept', () => {
    const cache = new SessionApprovalCache({ clock: clock() });
    for (let n = 0; n <= 10_000; n++) cache.record(`T${n}`, {}, 'SessionAllTools');
    expect(cache.size).toBe(10_000);
    expect([cache.check('T0', {}), cache.check('T1', {})]).toEqual([false, true]);
  });
});

describe('what a grant is bound to (R4-083, D22)', () => {
  const digests = { rule: 'r', tool: 't', stages: 's' };
  const grantOf = (more: Partial<Grant> = {}): Grant => ({
    ...BINDING,
    toolName: 'T',
    argsDigest: argsDigest({}),
    scope: 'session',
    approvedAt: 10,
    expiresAt: 20,
    ...more,
  });
  const covers = (grant: Grant, call: Partial<GrantBinding> = {}, tool = 'T', input: unknown = {}, now = 10) =>
    grantCovers(grant, { ...BINDING, ...call }, tool, input, now);

  test('its own call is covered', () => expect(covers(grantOf())).toBe(true));

  test.each<[string, Partial<GrantBinding>]>([
    ['tenant', { tenant: 'T' }],
    ['session', { session: 'x' }],
    ['agent', { agent: 'x' }],
    ['working directory', { cwd: '/w/' }],
    ['mode', { mode: 'plan' }],
    ['policy version', { policyVersion: 'v2' }],
    ['environment', { env: { A: '1' } }],
    ['operands', { operandHashes: ['x'] }],
  ])('not under another %s', (_, call) => {
    expect(covers(grantOf(), call)).toBe(false);
    expect(covers(grantOf(call))).toBe(false);
    expect(covers(grantOf(call), call)).toBe(true);
    const cache = new SessionApprovalCache({ clock: clock() });
    cache.record('T', {}, 'SessionAllTools', BINDING);
    expect([cache.check('T', {}, BINDING), cache.check('T', {}, { ...BINDING, ...call })]).toEqual([true, false]);
    expect(grantKey({ ...BINDING, ...call }, 'T', null)).not.toBe(grantKey(BINDING, 'T', null));
  });

  test.each(['tenant', 'session', 'agent'] as const)('not where the %s is empty', (field) => {
    expect(covers(grantOf({ [field]: '' }), { [field]: '' })).toBe(false);
  });

  test('not another tool, other arguments, or before and after its time', () => {
    expect(covers(grantOf(), {}, 'U')).toBe(false);
    expect(covers(grantOf(), {}, 'T', { a: 1 })).toBe(false);
    expect([9, 10, 19, 20, Number.NaN].map((now) => covers(grantOf(), {}, 'T', {}, now))).toEqual([
      ...[false, true, true, false, false],
    ]);
  });

  test('a scope and a digest that do not go together cover nothing', () => {
    expect(covers(grantOf({ scope: 'session-all-tools' }))).toBe(false);
    expect(covers(grantOf({ argsDigest: null }))).toBe(false);
    expect(covers(grantOf({ scope: 'session-all-tools', argsDigest: null }), {}, 'T', { any: 1 })).toBe(true);
  });

  test('A17: another policy version counts where both state the same digests, and only there', () => {
    expect(covers(grantOf({ digests }), { digests, policyVersion: 'v2' })).toBe(true);
    expect(covers(grantOf({ digests }), { digests: { ...digests, tool: 'x' } })).toBe(false);
    expect(covers(grantOf({ digests }), { policyVersion: 'v2' })).toBe(false);
    expect(covers(grantOf(), { digests, policyVersion: 'v2' })).toBe(false);
    expect(covers(grantOf({ digests }))).toBe(true);
    const cache = new SessionApprovalCache({ clock: clock() });
    cache.record('T', {}, 'Session', { ...BINDING, digests });
    expect(cache.check('T', {}, { ...BINDING, digests, policyVersion: 'v2' })).toBe(true);
    expect(cache.check('T', {}, { ...BINDING, digests: { ...digests, rule: 'x' } })).toBe(false);
    expect(cache.check('T', {}, BINDING)).toBe(false);
  });

  test('D21: the label of the audit is eight digits of the digest', () => {
    expect(argsHash({ b: 1, a: 2 })).toBe(argsDigest({ a: 2, b: 1 }).slice(0, 8));
    expect(argsDigest({})).toHaveLength(64);
  });
});

describe('the denial tracker', () => {
  const denied = (tracker: DenialTracker, times: number) => {
    for (let n = 0; n < times; n++) tracker.recordDenial();
    return tracker;
  };

  test('R4-087, R4-088, R4-091: three in a row trip it; an allow in between does not undo the total', () => {
    const tracker = denied(new DenialTracker(), 2);
    expect(tracker.shouldFallback()).toBe(false);
    tracker.reset();
    denied(tracker, 2);
    expect([tracker.consecutive, tracker.total, tracker.shouldFallback()]).toEqual([2, 4, false]);
    tracker.recordDenial();
    expect([tracker.consecutive, tracker.total, tracker.shouldFallback()]).toEqual([3, 5, true]);
    tracker.reset();
    expect([tracker.consecutive, tracker.total, tracker.shouldFallback()]).toEqual([0, 5, false]);
  });

  test('R4-092: the twentieth in all trips it', () => {
    const tracker = new DenialTracker();
    for (let n = 0; n < 19; n++) {
      tracker.recordDenial();
      tracker.reset();
    }
    expect(tracker.shouldFallback()).toBe(false);
    tracker.recordDenial();
    expect([tracker.consecutive, tracker.total, tracker.shouldFallback()]).toEqual([1, 20, true]);
  });

  test('R4-093: other thresholds keep what was counted', () => {
    const tracker = denied(new DenialTracker(), 2);
    expect(tracker.withMaxConsecutive(2).shouldFallback()).toBe(true);
    expect(tracker.withMaxConsecutive(5).withMaxTotal(2).shouldFallback()).toBe(true);
    expect(denied(tracker.withMaxTotal(50).withMaxConsecutive(9), 6).shouldFallback()).toBe(false);
    expect(denied(tracker.withMaxConsecutive(9), 6).fact()).toEqual({
      consecutive: 8,
      total: 8,
      maxConsecutive: 9,
      maxTotal: 20,
      deniedBefore: false,
    });
  });

  test('R4-095: the time of the last denial is kept', async () => {
    const at = clock();
    const tracker = new DenialTracker({ clock: at });
    expect(tracker.lastDenialTime).toBeUndefined();
    await at.advance(5);
    tracker.recordDenial();
    const then = at.now();
    await at.advance(5);
    expect(tracker.lastDenialTime).toBe(then);
  });

  test('a denied call is known again, blanks collapsed, anywhere in it; another is not', () => {
    const tracker = new DenialTracker();
    const call = (command: string, toolName = 'Bash') => ({ toolName, input: { command, more: [{ a: ' x  y ' }] } });
    expect(tracker.fact(call('git  push')).deniedBefore).toBe(false);
    tracker.recordDenial(call('git  push'));
    expect(tracker.fact(call('git push')).deniedBefore).toBe(true);
    expect(tracker.fact().deniedBefore).toBe(false);
    for (const other of [call('git pull'), call('gitpush'), call('git push', 'Sh')])
      expect(tracker.fact(other).deniedBefore).toBe(false);
    expect(denialKey('T', { a: ['x  y', 1, null] })).toBe(denialKey('T', { a: ['x y', 1, null] }));
    expect(denialKey('T', { a: ['x y'] })).not.toBe(denialKey('T', { a: { 0: 'x y' } }));
  });

  const blocks = { complete: async () => '{"should_block":true,"reason":"no","confidence":1}' };
  const refuses = { kind: 'Denied', reason: 'no' } as const;
  const make = { command: 'make all' };
  const auto = (tracker: DenialTracker) =>
    ({ mode: 'auto', classifier: new LlmClassifier(blocks, 'm', { tracker }) }) as const;

  test('counts a denial once that a classifier with the same tracker gave', async () => {
    const tracker = new DenialTracker();
    const classifier = new LlmClassifier(blocks, 'm', { tracker });
    const { service } = serviceOf({ mode: 'auto', classifier, tracker });
    expect(await service.check('Bash', make)).toMatchObject({ decision: 'deny', reason: 'classifier' });
    expect([tracker.consecutive, tracker.total, tracker.fact({ toolName: 'Bash', input: make }).deniedBefore]).toEqual([
      ...[1, 1],
      true,
    ]);
    const own = new DenialTracker();
    const other = serviceOf({ mode: 'auto', classifier: new LlmClassifier(blocks, 'm', { tracker: own }), tracker });
    await other.service.check('Bash', { command: 'make b' });
    expect([own.total, tracker.total]).toEqual([1, 2]);
  });

  test.each([
    ['a classifier', (tracker: DenialTracker) => serviceOf({ ...auto(tracker), tracker })],
    ['a person', (tracker: DenialTracker) => serviceOf({ answer: refuses, tracker })],
  ])('counts a denial once that %s of a parent with the same tracker gave', async (_, parentWith) => {
    const tracker = new DenialTracker();
    const root = parentWith(tracker).service;
    const between = serviceOf({ mode: 'bubble', parent: root, tracker }).service;
    const { service } = serviceOf({ mode: 'bubble', parent: between, tracker });
    expect((await service.check('Bash', make)).decision).toBe('deny');
    expect(tracker.total).toBe(1);
    const apart = serviceOf({ mode: 'bubble', parent: root }).service;
    expect((await apart.check('Bash', { command: 'make b' })).decision).toBe('deny');
    expect([apart.tracker.total, tracker.total]).toEqual([1, 2]);
  });
});
