/** What SQS says of who sent a message (A2): `AIDA…` of a user, `AROA…:session` of a role. */

/** The part that all sessions of one role share. */
export const roleOf = (senderId: string): string => senderId.split(':', 1)[0] ?? '';
