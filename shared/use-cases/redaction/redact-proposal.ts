/** Redacts a proposal, and texts about it, before they are stored, shown or told. */
import type { DecidableProposal } from '../../contract/proposal.ts';
import { mayHoldMark } from '../../domain/redaction/text/marker.ts';
import type { ToolRegistry } from '../../permissions/model/tools.ts';
import type { Ended } from '../kernel/calls/run.ts';
import type { Redactor } from '../redactor.ts';
import { redactFound, redactFoundRun, unseenOf } from './lazy-imports.ts';
import type { RedactedProposal, RedactionResult } from './redact-found.ts';

/** `tools`: a mark in a field that their rules look at counts as one that hides a place. */
export async function redactProposal(
  proposal: DecidableProposal,
  redactor: Redactor,
  tools: ToolRegistry,
): Promise<RedactionResult> {
  const { value, found, secrets } = await redactor.json(proposal);
  return found ? redactFound(proposal, { proposal: value, found, secrets }, tools) : { proposal, found, secrets };
}

const NONE: ReadonlySet<string> = new Set();

/** Ids of the calls that nobody can judge as they are shown. An agent may have written a mark itself. */
export const unseenIn = async (shown: DecidableProposal): Promise<ReadonlySet<string>> =>
  shown.kind === 'tool-call' && mayHoldMark(JSON.stringify(shown.calls)) ? unseenOf(shown.calls) : NONE;

/** A run as it may be recorded and told: each call beside its shown form, each text without what the proposal holds secret. */
export const redactRun = async <Run extends Ended>(
  run: Run,
  redacted: RedactedProposal,
  redactor: Redactor,
): Promise<Run> => (redacted.found ? redactFoundRun(run, redacted, redactor) : run);
