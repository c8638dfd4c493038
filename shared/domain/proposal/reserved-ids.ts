/** Reserves proposal ids of the gate: an agent with one could answer in another's stead. */

/** Stands for an agent in the entries about dead letters; no agent can have this name. */
export const DEAD_LETTERS_AGENT = '-dead-letters';

const SLACK = 'slack:';
const UNREADABLE = 'unreadable:';

/** Names the proposal for an event in Slack that the task agent answers. */
export const slackProposalId = (eventId: string): string => `${SLACK}${eventId}`;

/** Names an unreadable message, so that its sender can find the answer. */
export const unreadableId = (rawDigest: string): string => `${UNREADABLE}${rawDigest}`;

export const isReservedId = (proposalId: string): boolean =>
  proposalId.startsWith(SLACK) || proposalId.startsWith(UNREADABLE);
