/**
 * Compiles a JSON Schema by Ajv.
 *
 * The module stands alone, so that an import on demand brings Ajv with it.
 */
import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { argumentOf, problemText } from '../../../domain/proposal/argument-problem.ts';
import type { SchemaIssue, StandardSchema } from '../../../domain/standard-schema.ts';

/** A server may state keywords and formats of its own, which are its own to check. */
const LENIENT = { strict: false, validateFormats: false, logger: false } as const;

/** Undefined for a schema of another dialect, one with references to elsewhere, and one that is none. */
export function validatorOf(schema: SchemaObject): StandardSchema | undefined {
  const isDraft7 = String(schema.$schema).includes('/draft-07/');
  try {
    // Each its own: two schemas may have one $id.
    const validate = (isDraft7 ? new Ajv(LENIENT) : new Ajv2020(LENIENT)).compile(schema);
    return {
      '~standard': {
        version: 1,
        vendor: 'countersign',
        validate: (value) => (validate(value) ? { value } : { issues: (validate.errors ?? []).map(issueOf) }),
      },
    };
  } catch {
    return undefined;
  }
}

function issueOf(error: ErrorObject): SchemaIssue {
  const parts = error.instancePath.split('/').slice(1).map(unescaped);
  const name = argumentOf(error);
  return { path: name === undefined ? parts : [...parts, name], message: problemText(error) };
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
