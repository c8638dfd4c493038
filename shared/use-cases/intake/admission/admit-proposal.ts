/** Admits a proposal to the kernel: refuses late, foreign and unshowable ones before. */
import type { AgentSettings } from '../../../config/schema/policy-file.ts';
import type { Person } from '../../../contract/index.ts';
import type { DecidableProposal } from '../../../contract/proposal.ts';
import type { KernelRefusal } from '../../kernel/calls/run.ts';
import { Journal } from '../../kernel/state/journal.ts';
import { messages } from '../../model-messages.ts';
import type { RedactedProposal } from '../../redaction/redact-found.ts';
import { redactProposal } from '../../redaction/redact-proposal.ts';
import { answeredBefore } from '../../resolvers/answered-before.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { expiryOf, isOver } from '../expiry.ts';
import type { Identified } from '../message.ts';
import { requesterOf } from './requester.ts';

/** A proposal with what its run depends on and no other run changes. */
export interface Admitted {
  readonly kind: 'admitted';
  readonly message: Identified;
  readonly proposal: DecidableProposal;
  readonly settings: AgentSettings;
  readonly requester: Person;
  /** The proposal as it may be stored and shown. */
  readonly redacted: RedactedProposal;
  /** In milliseconds. */
  readonly expiresAt: number;
  /** When the run began, and what models answered before a crash. */
  readonly journal: Journal;
}

export type Refused = KernelRefusal & { readonly kind: 'refused' };

export async function admitProposal(
  message: Identified,
  proposal: DecidableProposal,
  deps: IntakeDependencies,
): Promise<Admitted | Refused> {
  const { incoming, startedAt, subject } = message;
  const settings = deps.policy.settings.agents[subject.agent];
  if (!settings) throw new Error('the agent has no settings');
  if (isOver(proposal, incoming, startedAt, deps))
    return { kind: 'refused', code: 'expired', message: messages.expiredBeforeRead(), outcome: 'expired' };
  const requester = requesterOf(proposal, settings, deps.policy);
  if (!requester) return { kind: 'refused', code: 'unlisted_requester', message: messages.unlistedRequester() };
  const redacted = await redactProposal(proposal, deps.redactor, deps.policy.tools);
  if ('field' in redacted)
    return { kind: 'refused', code: 'secret_in_name', message: messages.secretInName(redacted.field) };
  const start = { type: 'now', place: 'start', round: 0, at: new Date(startedAt).toISOString() } as const;
  const journal = new Journal([start, ...(await answeredBefore(proposal, subject.pid, deps))]);
  const expiresAt = expiryOf(proposal, incoming.firstSentAt, deps);
  return { kind: 'admitted', message, proposal, settings, requester, redacted, expiresAt, journal };
}
