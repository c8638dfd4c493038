/** Why a click changed nothing, in words for the person who clicked (G20). */
import type { VoteRefusal } from '../../domain/approval.ts';

const TEXTS: Readonly<Record<VoteRefusal, string>> = {
  already_decided: 'This was decided before your click; nothing changed.',
  expired: 'The time to answer was over before your click; nothing changed.',
  not_yet_expired: 'Nothing changed.',
  already_voted: 'Your vote was counted before; nothing changed.',
  owner_cannot_approve: 'You own this agent, so somebody else has to decide about its calls.',
  not_in_group: 'You are not in the group that decides about this call.',
  bot_cannot_approve: 'Apps cannot decide about this call.',
  stale_digest: 'This card does not show what would run now. Use the newest card.',
  reason_required: 'Say why, so that the agent can do better.',
  unknown_approval: 'This approval is not known here any more.',
  foreign_card: 'This button does not belong to the card of this approval; nothing changed.',
};

export const refusalText = (refusal: VoteRefusal): string => TEXTS[refusal];
