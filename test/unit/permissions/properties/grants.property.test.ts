/** Checks that two calls share a grant only if every bound field is equal (G14, G16). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { grantHolds } from '../../../../shared/domain/session.ts';
import { type Grant, type GrantBinding, SessionApprovalCache } from '../../../../shared/permissions/index.ts';
import { argsDigest, grantCovers, grantKey } from '../../../../shared/permissions/service/grants.ts';
import { runs } from './arbitraries.ts';

const id = fc.stringMatching(/^[a-z:|#0-9]{1,4}$/);
const binding: fc.Arbitrary<GrantBinding> = fc.record({
  tenant: id,
  session: id,
  agent: id,
  cwd: id,
  mode: id,
  policyVersion: id,
});

describe('grants', () => {
  test('keys are equal only if every field is', () => {
    fc.assert(
      fc.property(binding, binding, id, id, fc.jsonValue(), fc.jsonValue(), (a, b, toolA, toolB, inputA, inputB) => {
        const same =
          JSON.stringify([a, toolA]) === JSON.stringify([b, toolB]) && argsDigest(inputA) === argsDigest(inputB);
        expect(grantKey(a, toolA, argsDigest(inputA)) === grantKey(b, toolB, argsDigest(inputB))).toBe(same);
      }),
      { numRuns: runs(2000) },
    );
  });

  test('keys glue nothing together: the same text, cut into fields at other places, is another key', () => {
    const cuts = fc.array(fc.nat(12), { minLength: 6, maxLength: 6 }).map((places) => places.toSorted((a, b) => a - b));
    const fieldsOf = (text: string, places: readonly number[]) =>
      [0, ...places].map((from, index) => text.slice(from, places[index] ?? text.length));
    const keyOf = ([tenant = '', session = '', agent = '', tool = '', cwd = '', mode = '', version = '']: string[]) =>
      grantKey({ tenant, session, agent, cwd, mode, policyVersion: version }, tool, null);
    fc.assert(
      fc.property(fc.stringMatching(/^[a-z:|#0-9]{6,12}$/), cuts, cuts, (text, a, b) => {
        const [one, other] = [fieldsOf(text, a), fieldsOf(text, b)];
        expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: runs(1000) },
    );
  });

  test('a grant covers its own call within its time and no other', () => {
    fc.assert(
      fc.property(
        binding,
        fc.constantFrom('tenant', 'session', 'agent', 'cwd', 'mode', 'policyVersion'),
        fc.jsonValue(),
        fc.integer(),
        (own, field, input, now) => {
          const grant: Grant = {
            ...own,
            toolName: 'T',
            argsDigest: argsDigest(input),
            scope: 'session',
            approvedAt: 0,
            expiresAt: 100,
          };
          expect(grantCovers(grant, own, 'T', input, now)).toBe(now >= 0 && now < 100);
          expect(grantCovers(grant, { ...own, [field]: `${own[field as 'agent']}x` }, 'T', input, 1)).toBe(false);
          expect(grantCovers(grant, own, 'U', input, 1)).toBe(false);
          expect(grantCovers(grant, own, 'T', [input], 1)).toBe(false);
          expect(grantCovers(grant, own, 'T', input, Number.NaN)).toBe(false);
          expect(grantCovers({ ...grant, session: '' }, { ...own, session: '' }, 'T', input, 1)).toBe(false);
        },
      ),
      { numRuns: runs(1000) },
    );
  });

  test('what a session’s row remembers holds from its approval until its end; a time that is none never does', () => {
    const stored = { key: 'k', scope: 'session', toolName: 'T', approvedBy: 'Ann' } as const;
    const moment = fc.integer({ min: 0, max: 50 });
    const iso = (ms: number) => new Date(ms).toISOString();
    fc.assert(
      fc.property(
        moment,
        moment,
        moment,
        fc.constantFrom('', 'never', '2026-13-41T00:00:00Z'),
        (from, to, now, odd) => {
          const holds = (approvedAt: string, expiresAt: string) =>
            grantHolds({ ...stored, approvedAt, expiresAt }, now);
          expect(holds(iso(from), iso(to))).toBe(from <= now && now < to);
          expect(holds(odd, iso(to))).toBe(false);
          expect(holds(iso(from), odd)).toBe(false);
        },
      ),
      { numRuns: runs(500) },
    );
  });

  test('the oldest entries go first, and a time to live is not lengthened by a hit', () => {
    let now = 0;
    const cache = new SessionApprovalCache({ ttl: 10, capacity: 2, clock: { now: () => now } });
    cache.record('A', {}, 'Session');
    cache.record('B', {}, 'Session');
    cache.record('C', {}, 'Session');
    expect([cache.check('A', {}), cache.check('B', {}), cache.check('C', {})]).toEqual([false, true, true]);
    now = 9;
    expect(cache.check('B', {})).toBe(true);
    now = 10;
    expect(cache.check('B', {})).toBe(false);
    expect(cache.cleanupExpired()).toBe(2);
  });
});
