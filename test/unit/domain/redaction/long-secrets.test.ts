/**
 * Checks that no part of a secret is shown, however long the secret is (G37).
 *
 * An encoded key or configuration has many thousand characters.
 */
import { expect, test } from 'vitest';
import { BUILT_IN_FINDER } from '../../../../shared/domain/redaction/find.ts';
import { findPatterns } from '../../../../shared/domain/redaction/patterns.ts';
import { redact } from '../../../../shared/domain/redaction/redact.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Like an encoded text: no run of it is twice in it. */
function secretOf(length: number): string {
  let state = 7;
  return Array.from({ length }, () => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return LETTERS[Math.floor((state / 2_147_483_648) * LETTERS.length)];
  }).join('');
}

const PLACES: readonly (readonly [string, (secret: string) => string])[] = [
  ['without quotes', (secret) => `PASSWORD=${secret} ./run`],
  ['in double quotes', (secret) => `export API_TOKEN="${secret}"; ./run`],
  ['in single quotes', (secret) => `tool --password '${secret}' a`],
  ['in quotes that do not close', (secret) => `tool --password '${secret}`],
  ['in JSON within a text', (secret) => `send '{\\"password\\": \\"${secret}\\"}'`],
  ['in YAML', (secret) => `db:\n  password: ${secret}\n`],
  ['of a name and a value', (secret) => `{"name": "API_TOKEN", "value": "${secret}"}`],
  ['of a call', (secret) => `set("password", "${secret}")`],
  ['in a list', (secret) => `passwords = ["${secret}", "b"]`],
  ['in an address', (secret) => `git clone https://bob:${secret}@git.example/x`],
  ['in an element', (secret) => `<password>${secret}</password>`],
  ['in a property list', (secret) => `<key>password</key><string>${secret}</string>`],
  ['for a host', (secret) => `machine a login bob password ${secret}`],
  ['in a manifest', (secret) => `kind: Secret\ndata:\n  tls.key: ${secret}\n`],
  ['of a user', (secret) => `curl -u bob:${secret} https://a.example`],
  ['of a key', (secret) => `STRIPE_KEY=${secret} ./run`],
  ['of a signed address', (secret) => `curl https://a.example/?x-amz-security-token=${secret}`],
  ['of a statement', (secret) => `psql -c "alter user bob password '${secret}'"`],
  ['of a column', (secret) => `update a set password = '${secret}' where b = 1`],
  ['of a setting', (secret) => `requirepass ${secret}\n`],
  ['of a login', (secret) => `smtp.login("bob", "${secret}")`],
  ['of a row', (secret) => `insert into users (name, password) values ('bob', '${secret}')`],
  ['of a call to Oracle', (secret) => `alter user bob identified by ${secret};`],
  ['of a Go address', (secret) => `bob:${secret}@tcp(db.example)`],
  ['of a program in quotes', (secret) => `mysql -p'${secret}' db`],
  ['of a program in double quotes', (secret) => `mysql -p"${secret}" db`],
  ['of a program in a script', (secret) => `ssh h "mysql -p'${secret}' db"`],
  ['that somebody tells', (secret) => `the password is ${secret}.`],
  ['behind a scheme', (secret) => `authorization_token: Bearer ${secret}`],
];

test.each(PLACES)('a secret %s', (_, textOf) => {
  for (const length of [40, 600, 1_100, 4_095, 4_096, 4_097, 9_000, 70_000]) {
    const secret = secretOf(length);
    const shown = JSON.stringify(redact({ text: textOf(secret) }, BUILT_IN_FINDER).value);
    const runs = Array.from({ length: Math.floor(length / 20) }, (__, at) => secret.slice(at * 20, at * 20 + 20));
    expect({ length, leaked: runs.filter((run) => shown.includes(run)).length }).toEqual({ length, leaked: 0 });
  }
});

test('a secret by its beginning', () => {
  const secret = secretOf(9_000);
  const [span] = findPatterns(`send acme_${secret} now`, [{ kind: 'acme', pattern: 'acme_*' }]);
  expect(span).toMatchObject({ start: 5, end: 5 + 'acme_'.length + secret.length });
});

test('a secret behind a long value of the same row', () => {
  const row = `insert into users (name, password) values ('${'a'.repeat(17_000)}', 'k7Hd93jsPQ0xzR')`;
  expect(JSON.stringify(redact(row, BUILT_IN_FINDER).value)).not.toContain('k7Hd93jsPQ0xzR');
});

test.each([4_060, 4_075, 4_090, 8_150])('a key behind %s letters under the name of another', (letters) => {
  const key = 'AbcDefGhiJkLmnOp12345678';
  const text = `A_KEY=${'a'.repeat(letters)}:B_KEY=${key}`;
  expect(JSON.stringify(redact(text, BUILT_IN_FINDER).value)).not.toContain(key);
});

test('what stands behind a long secret is shown', () => {
  const { value } = redact(`PASSWORD="${secretOf(5_000)}" make all`, BUILT_IN_FINDER);
  expect(value).toMatch(/^PASSWORD="‹[^›]+›" make all$/);
});
