/** Reads a person's arguments for a call by the policy file's schema, never the agent's. */
import type { Policy } from '../../../config/compile.ts';
import { LIMITS } from '../../../contract/primitives.ts';
import type { Refusal } from '../../../domain/approval/approval.ts';
import { actionDigest, canonicalJson } from '../../../domain/digest.ts';
import { storedProposal } from '../../../domain/proposal/stored-proposal.ts';
import { readIJson } from '../../../domain/raw-json.ts';
import type { ApprovalView } from '../../../ports/stores/approval-store.ts';
import type { FieldProblems } from './input-schema.ts';

type ReadEdit =
  | { readonly ok: true; readonly input: Record<string, unknown>; readonly actionDigest: string }
  | { readonly ok: false; readonly refusal: Refusal; readonly fields?: FieldProblems };

const invalid = (fields: FieldProblems): ReadEdit => ({ ok: false, refusal: 'invalid_edit', fields });

export async function readEdit(view: ApprovalView, callId: string, input: unknown, policy: Policy): Promise<ReadEdit> {
  // A card shows marks in place of secrets, and an input that was edited there would run with the marks.
  if (view.sealed !== undefined) return { ok: false, refusal: 'not_offered' };
  const proposal = storedProposal(view.proposal);
  if (proposal.kind !== 'tool-call') return { ok: false, refusal: 'unknown_call' };
  const { starts } = proposal;
  const call = proposal.calls.find(({ id }) => id === callId);
  if (!call) return { ok: false, refusal: 'unknown_call' };
  const read = await objectOf(input);
  if (typeof read === 'string') return invalid({ '': read });
  if (Buffer.byteLength(canonicalJson(read)) > LIMITS.inlineInputBytes)
    return invalid({ '': `must have at most ${LIMITS.inlineInputBytes} bytes` });
  // Loaded with the first edit: few clicks need them.
  const unstorable = (await import('../../../domain/record/storable-input.ts')).unstorableIn(read);
  if (unstorable) return invalid({ '': unstorable });
  const schema = Object.hasOwn(policy.settings.tools, call.toolName)
    ? policy.settings.tools[call.toolName]?.argsSchema
    : undefined;
  const problems = schema && (await import('./input-schema.ts')).schemaProblems(schema, read);
  if (problems) return invalid(problems);
  return { ok: true, input: read, actionDigest: actionDigest({ ...call, input: read, starts }) };
}

/** The object, or the problem with it. */
async function objectOf(input: unknown): Promise<Record<string, unknown> | string> {
  const text = typeof input === 'string' ? input : canonicalText(input);
  const read = readIJson(text ?? '');
  if (!read.ok) {
    // Loaded with the first mistake: few edits have one.
    const position =
      read.fault.code === 'invalid_json'
        ? (await import('../../../domain/json-position.ts')).jsonPosition(text ?? '')
        : undefined;
    return `must be JSON: ${position === undefined ? read.fault.message : `look at ${position}`}`;
  }
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
