/** Tests which texts are redacted, which stay, and the marks in their stead (D33, G37). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { secretlintDetector } from '../../../../shared/adapters/secretlint/detector.ts';
import { BUILT_IN_FINDER, findSecrets } from '../../../../shared/domain/redaction/find.ts';
import { findPatterns } from '../../../../shared/domain/redaction/patterns.ts';
import { type Finder, redact, scrubTexts } from '../../../../shared/domain/redaction/redact.ts';
import { mayHoldSecret } from '../../../../shared/domain/redaction/screen.ts';
import { isSecretName } from '../../../../shared/domain/redaction/tables/names.ts';
import { markersIn } from '../../../../shared/domain/redaction/text/marker.ts';
import { HOSTILE_TEXTS } from '../../../support/hostile-texts.ts';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { processorMs } from '../../../support/processor-time.ts';

const detector = secretlintDetector();
const finder: Finder = { names: new Set(), find: (text) => [...findSecrets(text), ...detector.find(text)] };
const redacted = (value: unknown) => redact(value, finder).value;

describe('secrets', () => {
  test.each(INVENTED_SECRETS)('$kind is taken out and marked, alone or within', ({ secret, text }) => {
    for (const value of [text, { note: [`before ${text} after`] }, { [text]: 1 }]) {
      const shown = JSON.stringify(redacted(value));
      expect(shown).not.toContain(JSON.stringify(secret).slice(1, -1));
      expect(shown).toContain('‹redacted: ');
    }
  });

  test.each(INVENTED_SECRETS)('$kind passes the screen before the finders', ({ text }) => {
    expect(mayHoldSecret(text)).toBe(true);
  });

  test('are known by the name of their field, however deep, whatever they look like', () => {
    expect(redacted({ db: { password: 'abc', port: 5432 }, headers: [{ 'X-Api-Key': 'x1' }], pin: 1 })).toEqual({
      db: { password: '‹redacted: password›', port: 5432 },
      headers: [{ 'X-Api-Key': '‹redacted: x-api-key›' }],
      pin: 1,
    });
    expect(redacted({ credentials: { user: 'u', parts: ['a', null, true] }, passcode: 1234 })).toEqual({
      credentials: { user: '‹redacted: credentials›', parts: ['‹redacted: credentials›', null, true] },
      passcode: '‹redacted: passcode›',
    });
  });

  test('leave the program, the address and the option’s name to be seen', () => {
    expect(redacted("curl -H 'Authorization: Bearer sk-live-AAAABBBBCCCCDDDD' https://api.example/pay")).toBe(
      "curl -H 'Authorization: Bearer ‹redacted: api key›' https://api.example/pay",
    );
    expect(redacted('psql postgres://app:hunter22@db.example.com:5432/main')).toBe(
      'psql postgres://app:‹redacted: password›@db.example.com:5432/main',
    );
    expect(redacted('PGPASSWORD=hunter22 mysql --password hunter33 --host db')).toBe(
      'PGPASSWORD=‹redacted: pgpassword› mysql --password ‹redacted: password› --host db',
    );
  });
});

describe('what stays as it is', () => {
  const plain = [
    'git push origin main --force-with-lease',
    'kubectl get secrets -n prod',
    'echo the token of appreciation',
    'cat src/auth/token.ts',
    'PASSWORD=$DB_PASSWORD npm test',
    'docker run -u 1000:1000 node',
    'https://example.com/a?b=c',
    'password: required',
    '550e8400-e29b-41d4-a716-446655440000',
    'secret=$(vault read x)',
  ];
  test.each(plain)('%s', (text) => {
    expect(redacted(text)).toBe(text);
  });

  test('counts under names of tokens, references, and addresses under any name', () => {
    const input = { max_tokens: 100, token_count: 3, token: '$TOKEN', secret_url: 'https://vault.example/v1/x' };
    expect(redacted(input)).toEqual(input);
  });
});

test('a switch in the text does not turn the detector off', () => {
  const { secret } = INVENTED_SECRETS.find(({ kind }) => kind === 'github') as (typeof INVENTED_SECRETS)[number];
  expect(redacted(`/* secretlint-disable */ x = ${secret} // secretlint-disable-line`)).not.toContain(secret);
});

test('text that looks like a mark is taken out too: what people see as a mark is one', () => {
  const text = 'echo ‹redacted: password› ; rm x';
  const shown = redacted(text) as string;
  expect(markersIn(shown).map(({ kind }) => kind)).toEqual(['text like a mark']);
  expect(redact(text, finder).found).toBe(true);
});

test('names of fields are looked at and stay apart', () => {
  const [one, two] = INVENTED_SECRETS.filter(({ kind }) => kind === 'github' || kind === 'npm');
  const shown = redacted({ [`${one?.secret}`]: 1, [`${one?.secret}x`]: 2, [`${two?.secret}`]: 3 });
  expect(Object.values(shown as object)).toEqual([1, 2, 3]);
});

test('for all texts: what is left says nothing of the secret, and the rest of the text is whole', () => {
  const words = fc.string({ maxLength: 30, unit: fc.constantFrom(...'abc {}"\'\n;') });
  fc.assert(
    fc.property(fc.constantFrom(...INVENTED_SECRETS), words, words, ({ text, secret }, before, after) => {
      const shown = redacted(`${before}\n${text}\n${after}`) as string;
      expect(shown).not.toContain(secret);
      expect(shown.startsWith(before)).toBe(true);
      expect(shown.endsWith(after)).toBe(true);
    }),
  );
});

test('for all runs and calls that are named by UUIDs: their proposal’s id is none, also where a UUID ends in decimal digits', () => {
  const decimal = fc.stringMatching(/^[0-9]{12}$/);
  fc.assert(
    fc.property(fc.uuid(), fc.option(decimal), fc.uuid(), (run, end, call) => {
      const id = `${run.slice(0, 24)}${end ?? run.slice(24)}:${call}`;
      expect(redacted({ proposalId: id })).toEqual({ proposalId: id });
    }),
  );
});

test('a bot’s token is one behind whatever else ends in a hyphen', () => {
  const token = ['123456789012', `AAabcdefghijklmnopqrstuvwxyz01234567`].join(':');
  for (const before of ['token-', 'a-b-', '1-'])
    expect(redacted(`${before}${token}`)).toBe(`${before}123456789012:‹redacted: telegram›`);
});

test('for all values without secrets: nothing changes', () => {
  const text = fc.string({ maxLength: 12, unit: fc.constantFrom(...'abcdefghij ./') });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(text, fc.integer(), fc.constant(null), fc.array(tie('value')), fc.dictionary(text, tie('value'))),
  }));
  fc.assert(
    fc.property(value, (json) => {
      expect(redacted(json)).toEqual(json);
    }),
  );
});

test('what repeats a secret elsewhere is marked as well', () => {
  const { secrets } = redact({ password: 'correct horse' }, finder);
  expect(scrubTexts({ calls: [{ message: 'no: correct horse', id: 'correct horse' }], n: 1 }, secrets)).toEqual({
    calls: [{ message: 'no: ‹redacted: repeated›', id: 'correct horse' }],
    n: 1,
  });
});

test('the program behind a variable stays in sight, and no mark holds a secret', () => {
  expect(redacted('env DB_PASSWORD=hunter22x node a.js')).toBe('env DB_PASSWORD=‹redacted: db_password› node a.js');
  expect(redacted('set DB_PASSWORD=hunter22x reboot')).toBe('set DB_PASSWORD=‹redacted: db_password› reboot');
});

test('a header as a pair is a secret beside other lists, and alone if its value is a key', () => {
  const mixed = [['X-Api-Key', 'abc123DEF456'], ['a', 'b', 'c'], 1];
  expect(redacted(mixed)).toEqual([['X-Api-Key', '‹redacted: x-api-key›'], ['a', 'b', 'c'], 1]);
  expect(redacted({ header: ['X-Api-Key', 'abc123DEF456ghi7'] })).toEqual({
    header: ['X-Api-Key', '‹redacted: x-api-key›'],
  });
  expect(redacted({ labels: ['secret', 'needs-2-review'] })).toEqual({ labels: ['secret', 'needs-2-review'] });
});

test('the tokens of a rotation are secrets, and the place in a list is none', () => {
  const tokens = { currentToken: 'abc123DEF', previous_token: 'abc123DEG', expectedToken: 'abc123DEH' };
  expect(JSON.stringify(redacted(tokens))).not.toContain('abc123');
  expect(redacted({ nextToken: 'abc123DEF' })).toEqual({ nextToken: 'abc123DEF' });
});

test('a name is a secret’s by its words, not by its letters', () => {
  for (const name of ['token', 'API-Key', 'api_key', 'apiKey', 'clientSecret', 'PASSWORD', 'Set-Cookie', 'accesstoken'])
    expect(isSecretName(name), name).toBe(true);
  for (const name of ['path', 'author', 'keyboard', 'max_tokens', 'tokenizer', 'secretName', 'key', 'compass', ''])
    expect(isSecretName(name), name).toBe(false);
});

test('patterns of the policy file are literals with a wildcard for a run of token characters', () => {
  const spans = (text: string, pattern: string) =>
    findPatterns(text, [{ kind: 'own', pattern }]).map(({ start, end }) => text.slice(start, end));
  expect(spans('use itk_abc-123, itk_; not itk', 'itk_*')).toEqual(['itk_abc-123', 'itk_']);
  expect(spans('CUST-1234-KEY CUST-12 KEY', 'CUST-*-KEY')).toEqual(['CUST-1234-KEY']);
  expect(spans('literal(x) literal.x', 'literal.x')).toEqual(['literal.x']);
});

test.each(HOSTILE_TEXTS)(
  'a quarter of a megabyte of $piece is looked through in well under a second (G10)',
  ({ piece, text }) => {
    const looked = () => {
      mayHoldSecret(text);
      redact({ text }, finder);
      findPatterns(text, [{ kind: 'own', pattern: `${piece.trim() || 'pass'}*x` }]);
    };
    expect(processorMs(looked), piece).toBeLessThan(2_000);
  },
);

test('of several objects in one text the Secret alone loses its data, before or behind another one', () => {
  const object = (kind: string, value: string) => ({ kind, data: { item: value } });
  for (const order of [
    ['ConfigMap', 'Secret'],
    ['Secret', 'ConfigMap'],
  ]) {
    const items = order.map((kind) => object(kind, kind === 'Secret' ? 'WnE3Y2FuYXJ5' : 'plainblue'));
    const { value } = redact(`kubectl apply -f - <<< '${JSON.stringify({ items })}'`, BUILT_IN_FINDER);
    expect(value).toContain('plainblue');
    expect(value).not.toContain('WnE3Y2FuYXJ5');
  }
  // Nobody can tell which object holds it: it counts as the Secret's.
  const torn = `"data":{"a":"plainblue"},"x":{"kind":"Secret"},"data":{"b":"WnE3Y2FuYXJ5"}`;
  expect(redact(torn, BUILT_IN_FINDER).value).not.toContain('WnE3Y2FuYXJ5');
});

test.each<readonly [string, unknown]>([
  ['the name is long', { [`${'a_'.repeat(70)}password`]: 'hunter2Zebra' }],
  ['a list has many words', ['mysql', ...Array.from({ length: 300 }, (_, at) => `--x${at}`), '-phunter2Zebra']],
  ['a list has a long word', ['curl', '-d', 'x'.repeat(21_000), '-u', 'me:hunter2Zebra']],
  ['a command has many words', `mysql ${'a '.repeat(4_200)}-phunter2Zebra`],
  ['a script stands behind many words', `x ${'"a b" '.repeat(4_100)} bash -c "mysql -phunter2Zebra"`],
  ['an insert has many rows', `insert into u (a, password) values ${"(1, 'b1c2'), ".repeat(300)}(2, 'hunter2Zebra')`],
  [
    'another insert is not understood',
    "insert into x (a, password) values (f(g(1)), 'b'); insert into u (a, password) values (2, 'hunter2Zebra')",
  ],
])('a secret is found where %s', (_, value) => {
  expect(JSON.stringify(redact(value, BUILT_IN_FINDER).value)).not.toContain('hunter2Zebra');
});
