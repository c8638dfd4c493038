/** Reads a decision that the gate wrote, such as a message of an agent's own queue. */
import { type Decision, decision } from '../../contract/decision.ts';
import { asStored } from '../../contract/stored.ts';
import { CountersignError } from '../errors.ts';
import { fieldOf, jsonWords } from '../issue-messages.ts';
import { readIJson } from '../raw-json.ts';

/** Reads a decision. Properties that a later version adds pass. */
export const decisionSchema = asStored(decision);

/** The text is no decision; `field` is the place of the first fault, empty for the text as a whole. */
export class InvalidDecisionError extends CountersignError<'invalid_decision'> {
  override readonly name = 'InvalidDecisionError';
  readonly field: string;
  constructor(field: string, problem: string) {
    super('invalid_decision', field ? `${field}: ${problem}` : problem);
    this.field = field;
  }
}

/** Longest message of a queue. */
const MAX_LENGTH = 1024 * 1024;

/**
 * The decision that a text holds as JSON. Properties that a later version adds pass; whatever is not `approved` or `answered` approves nothing.
 *
 * @throws InvalidDecisionError with the first field that is missing or wrong
 * @example
 * const decision = parseDecision('{"outcome":"denied"}');
 * console.log(decision.outcome === 'approved' ? decision.calls : decision.message);
 */
export function parseDecision(json: string): Decision {
  const read = readIJson(json, MAX_LENGTH);
  if (!read.ok) throw new InvalidDecisionError('', 'the text is no JSON');
  const parsed = decisionSchema.safeParse(read.value, { error: jsonWords });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new InvalidDecisionError(fieldOf(issue?.path ?? []), issue?.message ?? 'is no decision');
}
