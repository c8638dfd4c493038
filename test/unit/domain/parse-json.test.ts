/** Checks that the JSON parser reads every text back as the value it was written from. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseJson, readIJson } from '../../../shared/domain/raw-json.ts';
import { unicodeText } from '../../support/unicode-text.ts';

const KEY = fc.oneof(
  fc.constantFrom('', '\\', '\t', '"', '\n', 'a', '\u0000'),
  unicodeText({ maxLength: 3 }).map((text) => text.replace('__proto__', '')),
);
const VALUE = fc.letrec((tie) => ({
  value: fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), KEY, tie('list'), tie('object')),
  list: fc.array(tie('value'), { maxLength: 3 }),
  object: fc.dictionary(KEY, tie('value'), { maxKeys: 4 }),
})).object;

it('reads every text back as the value it was written from, whatever was read before', () => {
  fc.assert(
    fc.property(fc.array(VALUE, { minLength: 2, maxLength: 6 }), (values) => {
      for (const value of values) expect(parseJson(JSON.stringify(value))).toEqual(value);
    }),
    { numRuns: 300 },
  );
});

it('reads a key of one escaped character as that character, which V8 13.6 alone does not', () => {
  parseJson('{"":0,"\\\\":{}}');
  expect(parseJson('{"":0,"\\t":{}}')).toEqual({ '': 0, '\t': {} });
  expect(readIJson('{"":0,"\\u0061":{}}')).toEqual({ ok: true, value: { '': 0, a: {} } });
});

it.each(['{"\\t":1', '{"\\t":1,}', '{"\\t":01}', "{'\\t':1}", '{"\\t":1} x', '// "\\t"'])(
  'is no more lenient with escapes: %s',
  (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  },
);
