/** Tells of arguments that the OpenAI Agents SDK could not read: nobody need be asked about them. */
import { misfit } from './common/misfit.ts';

/**
 * The SDK asks about arguments as the schema has read them, and about those of the model where it could not read them. A schema that converts may
 * refuse its own result: asked nobody, the run would wait for people instead of suspending.
 *
 * @returns false, too, where the two cannot be told apart
 */
export async function isRefused(schema: unknown, input: unknown): Promise<boolean> {
  const problem = await misfit(schema, input).catch(() => undefined);
  return problem !== undefined && (await keepsArguments(schema));
}

/** The part of a zod schema that tells whether it converts. */
interface ZodPart {
  readonly type: string;
  readonly checks?: readonly { readonly _zod: { readonly def: { readonly check: string } } }[] | undefined;
}

/** A default is not checked by the schema that it stands for. */
const CONVERTING = new Set(['pipe', 'transform', 'default']);

const converts = ({ type, checks = [] }: ZodPart): boolean =>
  CONVERTING.has(type) || checks.some(({ _zod: { def } }) => def.check === 'overwrite');

/** Whether a schema takes what it gave. False for one that is not of zod, or cannot be looked through. */
async function keepsArguments(schema: unknown): Promise<boolean> {
  const parts: ZodPart[] = [];
  try {
    const { toJSONSchema } = await import('zod');
    toJSONSchema(schema as Parameters<typeof toJSONSchema>[0], {
      unrepresentable: 'any',
      io: 'input',
      override: ({ zodSchema }) => void parts.push(zodSchema._zod.def as ZodPart),
    });
  } catch {
    return false;
  }
  return !parts.some(converts);
}
