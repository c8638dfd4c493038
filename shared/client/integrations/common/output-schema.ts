/** Has the output schema of a tool accept the words of the gate in place of an output. */
import { isSchema, type StandardSchema } from '../../../domain/standard-schema.ts';
import { isWithChange } from '../../running/change.ts';
import { isNotRun } from './model-output.ts';

/** A schema of the Vercel AI SDK's own kind, which a function may make. */
interface SdkSchema {
  readonly validate?: (value: unknown) => Answer | PromiseLike<Answer>;
}

type Answer = { readonly success: true; readonly value: unknown } | { readonly success: false; readonly error: Error };

/** The schema of the tool's own outputs still checks these, and the output beside a sentence about changed arguments. */
export function outputOrWords(schema: unknown): StandardSchema {
  const validate: StandardSchema['~standard']['validate'] = async (value) => {
    if (isNotRun(value)) return { value };
    if (!isWithChange(value)) return validated(schema, value);
    const { issues } = await validated(schema, value.output);
    return issues ? { issues } : { value };
  };
  return { '~standard': { version: 1, vendor: 'countersign', validate } };
}

/** A value as a schema of the SDK reads it, of any kind that the SDK takes. */
export async function validated(schema: unknown, value: unknown) {
  if (isSchema(schema)) return schema['~standard'].validate(value);
  const own = (typeof schema === 'function' ? schema() : schema) as SdkSchema | StandardSchema;
  if (isSchema(own)) return own['~standard'].validate(value);
  const answer = await (own as SdkSchema).validate?.(value);
  return answer?.success === false
    ? { issues: [{ message: answer.error.message }] }
    : { value: answer?.value ?? value };
}
