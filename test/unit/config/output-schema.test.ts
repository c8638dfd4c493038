/** Tests the words for a tool's output that breaks its schema: to an agent, and in the record. */
import { expect, test } from 'vitest';
import { outputProblem, schemaProblem } from '../../../shared/config/schema/output-schema.ts';

const schema = {
  type: 'object',
  properties: { found: { type: 'string' }, accounts: { type: 'object', additionalProperties: { type: 'number' } } },
  required: ['found'],
};

test.each([
  [{ found: 'x' }, undefined],
  [{ found: 7 }, 'it breaks #/properties/found/type'],
  [{}, 'it breaks #/required'],
  [null, 'it breaks #/type'],
  [{ found: 'x', accounts: { 'sk-live-4711': 'no' } }, 'it breaks #/properties/accounts/additionalProperties/type'],
])('G37 an output %j: %s, in words of the schema alone', (output, problem) => {
  expect(outputProblem(schema, output)).toBe(problem);
});

test('a schema that is none is said to be none', () => {
  expect(schemaProblem({ type: 'colour' })).toBe('is not a JSON Schema');
  expect(schemaProblem(schema)).toBeUndefined();
});

test('a schema with an id is read again with each policy file that holds it, and another tool may have the same', () => {
  const named = () => ({ $id: 'https://example.com/found', ...schema });
  expect([named(), named()].map(schemaProblem)).toEqual([undefined, undefined]);
  expect(outputProblem(named(), { found: 7 })).toMatch(/properties\/found\/type$/);
});
