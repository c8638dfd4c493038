/** Runs every case of the permissions (seed 4) and of the security areas that are data, one test each. */
import { describe, expect, test } from 'vitest';
import { withOwn } from './case-files.ts';
import type { SecurityCase } from './security/cases.ts';
import { DATA_AREAS, decideSecurity } from './security/decide.ts';
import type { SeedCase } from './seeds/judge.ts';
import { interpretPermissions } from './seeds/permissions.ts';

const permissions = withOwn<SeedCase & { readonly why: string }>('seeds.jsonl').filter(({ seed }) => seed === 4);
const security = withOwn<SecurityCase>('security.jsonl').filter(({ area }) => DATA_AREAS.includes(area));

describe('the permissions', () => {
  test.each(permissions.map((one) => [`${one.id}: ${one.why}`, one] as const))('%s', async (_name, one) => {
    const { passed, got } = await interpretPermissions(one);
    expect(passed, JSON.stringify({ expected: one.expect, got }, null, 2)).toBe(true);
  });

  test('what cannot be interpreted has failed', async () => {
    const base = { id: 'x', seed: 4, expect: { decision: 'allow' } };
    expect((await interpretPermissions({ ...base, feature: 'no_such_feature', given: {} })).passed).toBe(false);
    expect((await interpretPermissions({ ...base, feature: 'pipeline', given: { mode: 'Astrology' } })).passed).toBe(
      false,
    );
    const unknown = {
      ...base,
      feature: 'pipeline',
      given: { mode: 'BypassPermissions' },
      expect: { decision: 'allow', mood: 'good' },
    };
    expect((await interpretPermissions(unknown)).passed).toBe(false);
  });
});

describe.each(DATA_AREAS)('security: %s', (area) => {
  const cases = security.filter((one) => one.area === area);
  test.each(cases.map((one) => [`${one.id}: ${one.why ?? ''}`, one] as const))('%s', async (_name, one) => {
    const { passed, expected, got } = await decideSecurity(one);
    expect(passed, `expected ${expected}, got ${got}`).toBe(true);
  });
});

test('a security case with a field that nobody reads has failed', async () => {
  const one = security.find((each) => each.kind === 'control') as SecurityCase;
  expect((await decideSecurity({ ...one, given: { ...one.given, moon: 'full' } })).passed).toBe(false);
});
