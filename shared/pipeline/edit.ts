/** Reads what a person wants a call's arguments to be, and checks it against the tool's schema of the policy file, never the agent's (D23, A3). */
import type { ErrorObject } from 'ajv';
import type { Policy } from '../config/compile.ts';
import { LIMITS } from '../contract/primitives.ts';
import { proposal as proposalSchema } from '../contract/proposal.ts';
import type { Refusal } from '../domain/approval.ts';
import { actionDigest, canonicalJson } from '../domain/digest.ts';
import { parseJson, readIJson } from '../domain/raw-json.ts';
import type { ApprovalView } from '../ports/approval-store.ts';

/** What is wrong, by the path of the argument, as in `/path` or `/options/depth`; the empty path is the input as a whole. */
export type FieldProblems = Readonly<Record<string, string>>;

export type ReadEdit =
  | { readonly ok: true; readonly input: Record<string, unknown>; readonly actionDigest: string }
  | { readonly ok: false; readonly refusal: Refusal; readonly fields?: FieldProblems };

const invalid = (fields: FieldProblems): ReadEdit => ({ ok: false, refusal: 'invalid_edit', fields });

export async function readEdit(view: ApprovalView, callId: string, input: unknown, policy: Policy): Promise<ReadEdit> {
  // What is shown of it holds marks in place of secrets: edited as shown it would run with the marks (A20).
  if (view.sealed !== undefined) return { ok: false, refusal: 'not_offered' };
  const proposal = proposalSchema.parse(parseJson(view.proposal));
  const call = proposal.kind === 'tool-call' ? proposal.calls.find(({ id }) => id === callId) : undefined;
  if (!call) return { ok: false, refusal: 'unknown_call' };
  const read = objectOf(input);
  if (typeof read === 'string') return invalid({ '': read });
  if (Buffer.byteLength(canonicalJson(read)) > LIMITS.inlineInputBytes)
    return invalid({ '': `must have at most ${LIMITS.inlineInputBytes} bytes` });
  const schema = Object.hasOwn(policy.settings.tools, call.toolName)
    ? policy.settings.tools[call.toolName]?.argsSchema
    : undefined;
  const problems = schema && (await schemaProblems(schema, read));
  if (problems) return invalid(problems);
  return { ok: true, input: read, actionDigest: actionDigest({ ...call, input: read }) };
}

/** The object, or what is wrong with it. */
function objectOf(input: unknown): Record<string, unknown> | string {
  const text = typeof input === 'string' ? input : canonicalText(input);
  const read = readIJson(text ?? '');
  if (!read.ok) return `is not JSON: ${read.fault.message}`;
  const { value } = read;
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : 'must be a JSON object';
}

function canonicalText(value: unknown): string | undefined {
  try {
    return canonicalJson(value);
  } catch {
    return undefined;
  }
}

/** Undefined if `input` is as `schema` wants it. */
export async function schemaProblems(
  schema: Readonly<Record<string, unknown>>,
  input: Readonly<Record<string, unknown>>,
): Promise<FieldProblems | undefined> {
  // Loaded with the first edit: few clicks need it.
  const { Ajv } = await import('ajv');
  const validate = new Ajv({ allErrors: true, strict: true, allowUnionTypes: true }).compile(schema);
  if (validate(input)) return undefined;
  return Object.fromEntries((validate.errors ?? []).toReversed().map((error) => [pathOf(error), textOf(error)]));
}

/** A missing or unknown argument is named itself, not the object that lacks or has it. */
function pathOf({ instancePath, params }: ErrorObject): string {
  const name: unknown = params['missingProperty'] ?? params['additionalProperty'];
  return typeof name === 'string' ? `${instancePath}/${name}` : instancePath;
}

const textOf = ({ keyword, message, params }: ErrorObject): string =>
  keyword === 'required'
    ? 'is missing'
    : keyword === 'additionalProperties'
      ? 'is not an argument of this tool'
      : keyword === 'enum'
        ? `must be one of ${JSON.stringify(params['allowedValues'])}`
        : (message ?? 'is not allowed');
