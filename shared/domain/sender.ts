/** Reads SQS's id of a sender: `AIDA…` of a user, `AROA…:session` of a role. */

/** The part that all sessions of one role share. */
export const roleOf = (senderId: string): string => senderId.split(':', 1)[0] ?? '';
