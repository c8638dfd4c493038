/**
 * Builds the texts of the record: the proposal without secrets, the question, the rules' digest.
 *
 * The digest is that of the rules that were added.
 */
import { withoutCanary } from '../../config/canary.ts';
import type { AuditEntry, Question } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import { auditDigest, canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { packedText } from '../../domain/record/packed-text.ts';
import type { InputStore } from '../../ports/stores/input-store.ts';
import type { BaseDependencies } from '../dependencies.ts';
import type { Chain } from '../kernel/state/session.ts';

/** Fields that stand beside it in the entry or its key, and the agent's own state, which is the decision's. */
const BESIDE = ['schemaVersion', 'proposalId', 'agentId', 'tenantId', 'sessionId', 'sentAt', 'state'];

type ProposalFields = Pick<AuditEntry, 'proposal' | 'rulesDigest'>;

/** @param shown - the proposal with marks in place of its secrets. */
export function proposalFields(
  shown: DecidableProposal,
  levels: Chain['levels'],
  { policy, digestKey }: Pick<BaseDependencies, 'policy' | 'digestKey'>,
): ProposalFields {
  const ofMessage = shown.kind === 'tool-call' ? (shown.rules ?? []) : [];
  const ofSessions = levels.map(({ rules, rulesDigest }) => rulesDigest ?? rules);
  const hasRules = ofMessage.length > 0 || levels.some(({ rules }) => rules.length > 0);
  return {
    ...(policy.record.holdsText ? { proposal: proposalText(shown) } : {}),
    ...(hasRules ? { rulesDigest: auditDigest(sha256Hex(canonicalJson([ofSessions, ofMessage])), digestKey) } : {}),
  };
}

const proposalText = (shown: DecidableProposal): string =>
  canonicalJson(Object.fromEntries(Object.entries(shown).filter(([field]) => !BESIDE.includes(field))));

interface TextDependencies extends Pick<BaseDependencies, 'policy'> {
  readonly inputs: InputStore;
}

/** The text of what people are asked, for an entry that has room for it or names its digest. */
export const askedField = (
  question: Question,
  { policy }: Pick<TextDependencies, 'policy'>,
): Pick<AuditEntry, 'asked'> => (policy.record.holdsText ? { asked: canonicalJson(question) } : {});

/** Stores the text of what people are asked, before the entry that names it. */
export async function storeQuestion(
  question: Question,
  { policy, inputs }: TextDependencies,
): Promise<Pick<AuditEntry, 'askedDigest'>> {
  if (!policy.record.holdsText) return {};
  return { askedDigest: await storeText(canonicalJson(question), inputs) };
}

/**
 * The most bytes of such a text within its entry. A further KB there costs two write units in a transaction; a put to S3 costs as much as eight.
 */
const MAX_SHOWN_BYTES = 1_000;

/**
 * Gives what somebody was shown who answers, for the entry that has room for it; or stores it, before the entry that names it. An entry without
 * it names none: their answer counts while S3 is away, and the question as it was asked is on the record all the same.
 */
export async function storeShown(
  shown: string | undefined,
  { policy, inputs }: Pick<TextDependencies, 'policy'> & { readonly inputs: Pick<InputStore, 'put'> },
): Promise<Pick<AuditEntry, 'shown' | 'shownDigest'>> {
  // A message names the people on it as Slack does, and no alias could stand in it.
  if (shown === undefined || !policy.record.holdsText || policy.record.hasAliases) return {};
  if (packedText(shown).byteLength <= MAX_SHOWN_BYTES) return { shown };
  const shownDigest = sha256Hex(shown);
  try {
    await inputs.put(shownDigest, shown, 'shown');
  } catch {
    return {};
  }
  return { shownDigest };
}

/** The text of the policy file as it was read and completed stands under its version; it names everybody, so that no record with aliases holds it. */
export async function storePolicy({ policy, inputs }: TextDependencies): Promise<void> {
  if (policy.record.hasAliases) return;
  await storeText(canonicalJson(withoutCanary(policy.settings)), inputs);
}

async function storeText(text: string, inputs: InputStore): Promise<string> {
  const digest = sha256Hex(text);
  await inputs.put(digest, text, 'record');
  return digest;
}
