/** Tests which edits of a person a schema may read (decision 0064, G22). */
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkedEdit } from '../../../shared/client/integrations/common/checked-edit.ts';
import { readableSchema } from '../../../shared/client/integrations/common/json-schema.ts';

test.each([
  ['a default', z.object({ a: z.number(), b: z.number().default(3) }), { a: 5 }, { a: 5, b: 3 }],
  ['a trimmed text', z.object({ a: z.string().trim() }), { a: ' x ' }, { a: 'x' }],
  ['a text as a number', z.object({ a: z.coerce.number() }), { a: '5' }, { a: 5 }],
])('%s runs', async (_, schema, edit, run) => {
  expect(await checkedEdit(schema, edit)).toEqual(run);
});

test.each([
  ['a number always', z.object({ a: z.number().transform((dollars) => dollars * 100) })],
  ['a small number', z.object({ a: z.number().transform((amount) => (amount < 1_000 ? amount * 100 : amount)) })],
  ['a number in a list', z.object({ a: z.number(), b: z.array(z.number().transform(Math.round)) })],
])('a schema that converts %s runs no edit', async (_, schema) => {
  await expect(checkedEdit(schema, { a: 500, b: [1.5] })).rejects.toThrow('its schema converts arguments');
});

test.each(['draft-07/schema#', 'draft/2020-12/schema'])('schemas of two tools may have one id: %s', async (dialect) => {
  const about = (type: string) => ({
    $schema: `${dialect.startsWith('draft-07') ? 'http' : 'https'}://json-schema.org/${dialect}`,
    $id: `https://example.com/${dialect.slice(0, 8)}`,
    type: 'object',
    properties: { day: { type } },
  });
  const [text, number] = [await readableSchema(about('string')), await readableSchema(about('number'))];
  const takes = (schema: typeof text) =>
    schema && !(schema['~standard'].validate({ day: 1 }) as { issues?: unknown }).issues;
  expect([takes(text), takes(number)]).toEqual([false, true]);
});
