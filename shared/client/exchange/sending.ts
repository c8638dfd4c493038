/** Makes a call ready to be sent: only what JSON holds, no gaps, a time-out that is one. */
import { LIMITS } from '../../contract/bounds.ts';
import type { Proposal } from '../../contract/proposal.ts';
import type { Fault } from '../../domain/errors.ts';
import { jsonForm, NotJsonError, outermost } from '../../domain/json-form.ts';
import { InvalidProposalError } from '../calls/errors.ts';

/** @throws InvalidProposalError for what JSON cannot hold, and with its path */
export function sendable(value: unknown, path: string): unknown {
  try {
    return value === undefined ? undefined : jsonForm(value, path);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    const { code, problem } = error;
    // As the gate's reader names it, which counts the message, its calls and the call as well.
    const field = code === 'too_deep' && path === 'input' ? outermost(error.path, 2) : error.path;
    throw new InvalidProposalError({ code, message: field ? `${field}: ${problem}` : error.message, field });
  }
}

/** The gate reads an input that is no object, and answers with an error then. @throws InvalidProposalError before it is sent */
export function checkInputs(proposal: Proposal): void {
  const calls = proposal.kind === 'tool-call' ? proposal.calls : [];
  const at = calls.findIndex(({ input }) => typeof input !== 'object' || input === null || Array.isArray(input));
  if (at < 0) return;
  const field = `calls[${at}].input`;
  throw new InvalidProposalError({ code: 'invalid_proposal', message: `${field}: must be an object`, field });
}

/** The fault, with the part that makes a message too large, which the reader does not look for. */
export async function withPart(fault: Fault, raw: string): Promise<Fault> {
  if (fault.code !== 'too_large') return fault;
  const { tooLarge } = await import('./largest-part.ts');
  return tooLarge(JSON.parse(raw), LIMITS.messageBytes);
}

/** Without the fields that are undefined, so that they do not hide what others state. */
export const withoutGaps = <Fields extends object>(fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;

const renaming =
  (names: RegExp, rename: (name: string) => string) =>
  (error: unknown): never => {
    if (!(error instanceof InvalidProposalError)) throw error;
    const { code, field, message } = error;
    throw new InvalidProposalError({
      code,
      field: field.replace(names, rename),
      message: message.replace(names, rename),
    });
  };

/** A program that states one call knows of no list of calls, and has another name for the call's own id. */
export const inFieldsOfCall = renaming(/^calls\[0\]\.(?:id\b)?/, (name) => (name.endsWith('id') ? 'toolCallId' : ''));

/** A program that withdraws a proposal states its id. */
export const inFieldsOfCancel = renaming(/^cancels\b/, () => 'proposalId');

/** A program that has its call decided states `tool`, and `id` for the proposal. */
export const inFieldsOfStated = renaming(/^(?:toolName|proposalId)\b/, (name) => (name === 'toolName' ? 'tool' : 'id'));
