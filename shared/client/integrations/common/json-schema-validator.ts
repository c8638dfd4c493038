/**
 * Compiles a JSON Schema by Ajv.
 *
 * The module stands alone, so that an import on demand brings Ajv with it.
 */
import { createContext, runInContext } from 'node:vm';
import { Ajv, type ErrorObject, type SchemaObject } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { argumentOf, problemText } from '../../../domain/proposal/argument-problem.ts';
import type { SchemaIssue, StandardSchema } from '../../../domain/standard-schema.ts';

/** A server may state keywords and formats of its own, which are its own to check. */
const LENIENT = { strict: false, validateFormats: false, logger: false, ownProperties: true } as const;
const CHECKED = { ...LENIENT, validateSchema: false } as const;

/** Compile the schema of all schemas of a dialect once: it takes six times as long as the schema of a tool. */
const DRAFT_7 = new Ajv(LENIENT);
const DRAFT_2020 = new Ajv2020(LENIENT);

/** Milliseconds in which a schema is compiled, or checks a value. */
const MAX_CHECK_MS = 1_000;
const UNCHECKED: readonly SchemaIssue[] = [{ message: 'cannot be checked by the schema of the tool in time' }];

/** Undefined for a schema of another dialect, one with references to elsewhere, one that waits for something, and one that is none. */
export function validatorOf(schema: SchemaObject): StandardSchema | undefined {
  const isDraft7 = String(schema.$schema).includes('/draft-07/');
  try {
    const checker = isDraft7 ? DRAFT_7 : DRAFT_2020;
    // Compiles the dialect's own schema, which is no server's: a bound of time would leave it half compiled.
    checker.validateSchema({});
    const validate = inTime(() => {
      checker.validateSchema(schema, true);
      // Each its own: two schemas may have one $id.
      return (isDraft7 ? new Ajv(CHECKED) : new Ajv2020(CHECKED)).compile(schema);
    });
    if ('$async' in validate) return undefined;
    return {
      '~standard': {
        version: 1,
        vendor: 'countersign',
        validate: (value) => {
          try {
            return inTime(() => validate(value)) ? { value } : { issues: (validate.errors ?? []).map(issueOf) };
          } catch {
            return { issues: UNCHECKED };
          }
        },
      },
    };
  } catch {
    return undefined;
  }
}

const sandbox: { work?: () => unknown } = {};
const CONTEXT = createContext(sandbox);

/** A pattern or a circle of references in the schema of one server would hold up all others. @throws Error once the time is over */
function inTime<Value>(work: () => Value): Value {
  sandbox.work = work;
  return runInContext('work()', CONTEXT, { timeout: MAX_CHECK_MS }) as Value;
}

function issueOf(error: ErrorObject): SchemaIssue {
  const parts = error.instancePath.split('/').slice(1).map(unescaped);
  const name = argumentOf(error);
  return { path: name === undefined ? parts : [...parts, name], message: problemText(error) };
}

const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~');
