/** Checks that the schema of the policy file describes every key, for editors. */
import { expect, test } from 'vitest';
import { policyFileSchema } from '../../../shared/config/json-schema.ts';

/** Keys of the file, by their place, that say nothing of themselves. `type` of a policy is its name. */
function undescribed(schema: unknown, place: string): string[] {
  if (Array.isArray(schema)) return schema.flatMap((one) => undescribed(one, place));
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([word, value]: [string, unknown]) => {
    if (word !== 'properties') return undescribed(value, place);
    return Object.entries(value as Record<string, Readonly<Record<string, unknown>>>).flatMap(([key, inner]) => {
      const own = `${place}.${key}`;
      const says = 'description' in inner || '$ref' in inner || 'const' in inner;
      return [...(says ? [] : [own]), ...undescribed(inner, own)];
    });
  });
}

test('editors can say what every key of the policy file is for', () => {
  expect(undescribed(policyFileSchema(), '')).toEqual([]);
});
