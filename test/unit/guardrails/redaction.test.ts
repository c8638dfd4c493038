/** Checks secrets by the names of their fields, and wherever else their text turns up. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSecretName } from '../../../shared/domain/redaction/tables/names.ts';
import { redact } from '../../../shared/guardrails/redaction.ts';
import { scrub } from '../../../shared/guardrails/scrub.ts';

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
    ...['accessKey', 'pwd', 'passphrase', 'otp', 'cvv', 'jwt', 'auth', 'bearer', 'signingKey', 'ssh_key', 'masterKey'],
  ])
    expect(isSecretName(name)).toBe(true);
  for (const name of ['path', 'message', 'author', 'keyboard', 'max_tokens', 'tokenizer', 'secretary'])
    expect(isSecretName(name)).toBe(false);
});

test('takes out whole secrets, says where they were, and leaves the rest as it was', () => {
  const input = { a: [{ password: { old: 'abcd', new: 'efgh' } }], token: null, max_tokens: 7, path: '/tmp' };
  const mark = '‹redacted: password›';
  expect(redact(input)).toEqual({
    value: { a: [{ password: { old: mark, new: mark } }], token: null, max_tokens: 7, path: '/tmp' },
    redactions: ['a[0].password.old', 'a[0].password.new'],
    secrets: ['abcd', 'efgh'],
  });
  expect(redact({ path: '/tmp' })).toEqual({ value: { path: '/tmp' }, redactions: [], secrets: [] });
  expect(redact({ command: 'curl -u ann:s3cret-value x' })).toMatchObject({
    redactions: ['command'],
    secrets: ['s3cret-value'],
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
