/** Tests which shapes of secrets are found, and that nothing else is taken for one (D33, G37). */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { secretlintDetector } from '../../../../shared/adapters/secretlint/detector.ts';
import { proposal } from '../../../../shared/contract/index.ts';
import { findSecrets } from '../../../../shared/domain/redaction/find.ts';
import { type Finder, redact } from '../../../../shared/domain/redaction/redact.ts';
import { mayHoldSecret } from '../../../../shared/domain/redaction/screen.ts';
import { PROGRAM_NAMES } from '../../../../shared/domain/redaction/tables/program-names.ts';
import { SECRET_OPTIONS } from '../../../../shared/domain/redaction/tables/program-secrets.ts';
import { markersIn } from '../../../../shared/domain/redaction/text/marker.ts';
import { BENIGN } from './plain-texts.ts';
import { FOUND, NOT_FOUND } from './secret-shapes.ts';

const detector = secretlintDetector();
const finder: Finder = { names: new Set(), find: (text) => [...findSecrets(text), ...detector.find(text)] };
/** Without the detector: the gate's own finders know each shape by themselves. */
const own: Finder = { names: new Set(), find: (text) => findSecrets(text) };
const shown = (value: unknown, by = finder): string => JSON.stringify(redact(value, by).value);

test('a hundred and more shapes are found, and at least sixty texts stay as they are', () => {
  expect(FOUND.length).toBeGreaterThanOrEqual(112);
  expect(BENIGN.length).toBeGreaterThanOrEqual(60);
  expect(new Set(FOUND.map(({ kind }) => kind)).size).toBe(FOUND.length);
});

test('every text is screened for the programs that the table knows, and for no other', () => {
  expect([...PROGRAM_NAMES].toSorted()).toEqual([...SECRET_OPTIONS.keys()].toSorted());
});

/** Names of fields anywhere in a schema. */
function fieldsOf(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties } = schema as { readonly properties?: object };
  return [...Object.keys(properties ?? {}), ...Object.values(schema).flatMap(fieldsOf)];
}

test('no field of a proposal, and none that a model is told, is a secret or looks like one: the detector is not loaded for them', () => {
  const fields = new Set(fieldsOf(z.toJSONSchema(proposal, { io: 'input', unrepresentable: 'any' })));
  expect(fields).toContain('current_verdicts');
  for (const name of [...fields, 'available_actions']) {
    expect([name, mayHoldSecret(name), finder.find(name)]).toEqual([name, false, []]);
    expect(redact({ [name]: name }, finder).found).toBe(false);
  }
});

describe('found', () => {
  test.each(FOUND)('$kind', ({ value, secret }) => {
    for (const by of [finder, own]) {
      expect(shown(value, by)).not.toContain(secret);
      expect(shown(value, by)).toContain('‹redacted: ');
    }
  });

  test.each(FOUND.filter(({ value }) => typeof value === 'string'))(
    '$kind passes the screen, and stands in a field',
    ({ value, secret }) => {
      expect(mayHoldSecret(value as string)).toBe(true);
      expect(shown({ a: [{ note: `first\n${value}` }] })).not.toContain(secret);
    },
  );

  test.each(FOUND.filter(({ value }) => typeof value === 'string'))(
    '$kind: once taken out, nothing more is found',
    ({ value }) => {
      const { value: once } = redact(value, own);
      const left = markersIn(once as string).reduce(
        (text, { start, end }) => text.slice(0, start) + 'x'.repeat(end - start) + text.slice(end),
        once as string,
      );
      expect(findSecrets(left).filter(({ start, end }) => !/^x+$/.test(left.slice(start, end)))).toEqual([]);
    },
  );
});

describe('not found', () => {
  test.each(NOT_FOUND)('$kind: $because', ({ value, secret }) => {
    expect(shown(value)).toContain(secret);
  });
});

describe('no secret', () => {
  test.each(BENIGN.map((value) => [JSON.stringify(value), value]))('%s', (_, value) => {
    expect(redact(value, finder)).toEqual({ value, found: false, secrets: [] });
  });
});

describe('text that looks like a mark', () => {
  test.each([
    '‹redacted: password›',
    '‹Redacted: password›',
    '‹ redacted: password ›',
    '‹\u200bredacted: password›',
    '‹re\u200ddacted: password›',
    '<redacted: password>',
    '＜redacted：password＞',
    '‹ｒｅｄａｃｔｅｄ: password›',
    '‹r\u0435d\u0430cted: password›',
    '⟨redacted: password⟩',
    '«redacted: password»',
    '<<redacted: password>>',
    '‹REDACTED›',
    '<redacted>',
    '‹redacted\u00a0: password›',
  ])('%s is marked as such', (text) => {
    for (const value of [`echo ${text} now`, text]) {
      const { value: result, found } = redact(value, finder);
      expect(found).toBe(true);
      expect(markersIn(result as string).map(({ kind }) => kind)).toContain('text like a mark');
      expect(mayHoldSecret(value)).toBe(true);
    }
  });
});
