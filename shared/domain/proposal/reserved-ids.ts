/** Reserves proposal ids of the gate: an agent with one could answer in another's stead. */

/** Stands for an agent in the entries about dead letters; no agent can have this name. */
export const DEAD_LETTERS_AGENT = '-dead-letters';

const SLACK = 'slack:';
const UNREADABLE = 'unreadable:';

/** Of an event in Slack that the task agent answers. */
export const slackProposalId = (eventId: string): string => `${SLACK}${eventId}`;

/** Of an unreadable message: its sender can find the answer under it. */
export const unreadableId = (rawDigest: string): string => `${UNREADABLE}${rawDigest}`;

export const isReservedId = (proposalId: string): boolean =>
  proposalId.startsWith(SLACK) || proposalId.startsWith(UNREADABLE);
