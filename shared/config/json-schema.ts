/**
 * JSON Schema of countersign.yaml, as it is written: what editors complete and check.
 * Draft 7 is what they know best.
 */
import * as z from 'zod';
import { policySchema } from './schema/policy-file.ts';

export function policyFileSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(policySchema, { io: 'input', target: 'draft-7' });
  return {
    $schema,
    title: 'countersign.yaml',
    description: 'What a deployment decides: who proposes, who approves, which rules hold.',
    ...rest,
  };
}
