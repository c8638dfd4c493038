/**
 * Makes the JSON Schema of countersign.yaml, by which editors complete and check.
 * Editors know draft 7 best.
 */
import * as z from 'zod';
import { policySchema } from './schema/policy-file.ts';

export function policyFileSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...rest } = z.toJSONSchema(policySchema, { io: 'input', target: 'draft-7' });
  return {
    $schema,
    $id: 'urn:countersign:schema:policy-file',
    title: 'countersign.yaml',
    description: 'What a deployment decides: who proposes, who approves, which rules hold.',
    ...rest,
  };
}
