/** Takes ids that hold a secret out of an entry's subject: the record keeps ids as they are. */
import type { Redactor } from '../redactor.ts';
import type { Subject } from './audit-entry.ts';

export async function holdsSecret(name: string, redactor: Pick<Redactor, 'text'>): Promise<boolean> {
  return (await redactor.text(name)) !== name;
}

/** For entries about messages that were refused before they were redacted: the key of the entry is a digest, and still tells which message it is about. */
export async function shownSubject(subject: Subject, redactor: Pick<Redactor, 'text'>): Promise<Subject> {
  const { proposalId, sessionId, ...rest } = subject;
  const isSecret = async (name: string | null | undefined) => name != null && (await holdsSecret(name, redactor));
  const [noProposal, noSession] = await Promise.all([isSecret(proposalId), isSecret(sessionId)]);
  if (!noProposal && !noSession) return subject;
  return {
    ...rest,
    proposalId: noProposal ? null : proposalId,
    ...(noSession || sessionId === undefined ? {} : { sessionId }),
  };
}
