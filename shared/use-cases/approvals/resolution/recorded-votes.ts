/** Compares the votes in an approval's row with those on the record (G40, G47). */
import type { Approval, AuditEntry, Person, Vote } from '../../../contract/index.ts';
import { callsOf, samePerson, statusByVotes, tallyOf } from '../../../domain/approval/approval.ts';
import { voteDigest } from '../../../domain/approval/vote-digest.ts';
import { auditDigest } from '../../../domain/digest.ts';
import type { AuditLog, AuditRecord } from '../../../ports/stores/audit-log.ts';

interface VoteRecords {
  readonly audit: Pick<AuditLog, 'ofProposal' | 'ofFamily'>;
  readonly digestKey: Uint8Array;
}

/** Votes that counted, by the record. */
interface RecordedVotes {
  has(vote: Vote): boolean;
  /** Whether this person cast a vote of a choice whose voter may be named beside a permit. */
  hasFrom(person: Person): boolean;
}

/**
 * Reads the votes of this approval, and of its primary if it has one. Earlier releases stored votes beside the decision, and not in a family of
 * their own. Entries of these releases are read only if votes of the row, or of the `named` people, are missing without them.
 */
export async function recordedVotes(
  approval: Approval,
  { audit, digestKey }: VoteRecords,
  named: readonly Person[] = [],
): Promise<RecordedVotes> {
  const { agent, pid, askedAs, question } = approval;
  const pids = [...new Set([pid, askedAs ?? pid])];
  const among = (records: readonly AuditRecord[]): RecordedVotes => {
    const counted = records.flatMap(({ entry }) => countedVote(entry));
    return {
      has: (vote) => {
        const digest = auditDigest(voteDigest(question, vote), digestKey);
        // Entries of earlier releases have no digest: they tell the voter and the choice, and not the question.
        return counted.some(
          (one) =>
            one.choice === vote.choice &&
            samePerson(one.person, vote.by) &&
            (one.digest === undefined || one.digest === digest),
        );
      },
      hasFrom: (person) => counted.some((one) => NAMED.includes(one.choice) && samePerson(one.person, person)),
    };
  };
  const found = among((await Promise.all(pids.map((one) => audit.ofFamily(agent, one, 'vote')))).flat());
  if (approval.votes.every(found.has) && named.every(found.hasFrom)) return found;
  return among((await Promise.all(pids.map((one) => audit.ofProposal(agent, one, ['vote'])))).flat());
}

/** Choices whose voter may be named beside a permit. */
const NAMED: readonly Vote['choice'][] = ['approve', 'edit'];

interface CountedVote {
  readonly person: Person;
  readonly choice: Vote['choice'];
  readonly digest?: string | undefined;
}

function countedVote({ type, accepted, person, reasonCode, voteDigest: digest }: AuditEntry): CountedVote[] {
  return type === 'vote' && accepted && person ? [{ person, choice: reasonCode as Vote['choice'], digest }] : [];
}

/** Whether the row ended as its votes say, and each of them is on the record. Time and the agent end a row that votes did not end. */
export async function isOfRecordedVotes(approval: Approval, records: VoteRecords): Promise<boolean> {
  const { status } = approval;
  switch (status) {
    case 'pending':
    case 'cancelled':
      return true;
    case 'expired':
      // A no to one call of several is an answer, whatever time did to the others.
      return !hasRejectedCall(approval) || (await areRecorded(approval, 'pending', records));
    case 'approved':
    case 'rejected':
    case 'edited':
    case 'substituted':
    case 'answered':
      return areRecorded(approval, status, records);
    default:
      return status satisfies never;
  }
}

const hasRejectedCall = (approval: Approval): boolean =>
  callsOf(approval.question).some(({ id }) => tallyOf(approval, id) === 'rejected');

/** `status`: the row's by its votes. */
async function areRecorded(approval: Approval, status: Approval['status'], records: VoteRecords): Promise<boolean> {
  if (statusByVotes(approval) !== status) return false;
  const recorded = await recordedVotes(approval, records);
  return approval.votes.every((vote) => recorded.has(vote));
}
