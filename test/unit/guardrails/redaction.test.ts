/** Secrets by the names of their fields, and wherever else their text turns up. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSecretName, REDACTED, redact, scrub } from '../../../shared/guardrails/redaction.ts';

test('knows secrets by name, however it is spelled (R3-100)', () => {
  for (const name of [
    'token',
    'Authorization',
    'API-Key',
    'api_key',
    'apiKey',
    'clientSecret',
    'PASSWORD',
    'Set-Cookie',
  ])
    expect(isSecretName(name)).toBe(true);
  for (const name of ['path', 'message', 'author', 'keyboard']) expect(isSecretName(name)).toBe(false);
});

test('takes out whole secrets, says where they were, and leaves the rest as it was', () => {
  const input = { a: [{ password: { old: 'abcd', new: 'efgh' } }], token: null, path: '/tmp' };
  expect(redact(input)).toEqual({
    value: { a: [{ password: REDACTED }], token: null, path: '/tmp' },
    redactions: ['a[0].password'],
    secrets: ['abcd', 'efgh'],
  });
});

test('no text that was once a secret is left in anything that is told', () => {
  const secret = fc.string({ minLength: 8, maxLength: 20, unit: fc.constantFrom(...'abcdefghij0123456789$&') });
  fc.assert(
    fc.property(secret, fc.string(), fc.string(), fc.array(fc.string()), (value, before, after, path) => {
      const { secrets } = redact({ headers: { Authorization: `Bearer ${value}` } });
      const told = path.reduce<unknown>((inner, name) => ({ [`x${name}`]: [inner] }), `${before}${value}${after}`);
      expect(JSON.stringify(scrub(told, secrets))).not.toContain(value);
    }),
  );
});

test('what nests without end is cut, not followed', () => {
  let deep: unknown = { password: 'secret-value' };
  for (let i = 0; i < 5000; i++) deep = { deep };
  expect(JSON.stringify(redact(deep).value)).not.toContain('secret-value');
});
