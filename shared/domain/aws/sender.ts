/** Reads SQS's id of a sender: `AIDA…` of a user, `AROA…:session` of a role. */

/** The part that all sessions of one role share. */
export const roleOf = (senderId: string): string => senderId.split(':', 1)[0] ?? '';

/** Whether a message may be of both: of one id, or of a session of a role and of that role, which stands for all its sessions. */
export const mayBeOne = (one: string, other: string): boolean =>
  one === other || one === roleOf(other) || roleOf(one) === other;
