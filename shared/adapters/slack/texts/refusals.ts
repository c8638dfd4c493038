/** Holds every sentence about a click that changed nothing, for review and translation. */
import type { VoteRefusal } from '../../../domain/approval/approval.ts';

export const REFUSALS = {
  byCode: {
    already_decided: 'This was decided before your click; nothing changed.',
    expired: 'The time to answer was over before your click; nothing changed.',
    not_yet_expired: 'Nothing changed.',
    needed_later:
      'A later stage of this needs you, or the one for whom you vote, and each votes once: leave this one to the others who are asked.',
    already_voted: 'Your vote was counted before; nothing changed.',
    owner_cannot_approve: 'You own this agent, so somebody else has to decide about its calls.',
    not_in_group: 'You are not in the group that decides about this call: leave it to the people who are.',
    home_elsewhere:
      'You are in the user group that decides about this call, but your account is of another workspace, and a user group lets only people of its own decide. Leave it to the others, or ask an operator to give you a place: the policy file can name you in people and delegations.',
    bot_cannot_approve: 'Apps cannot decide about this call.',
    not_due: 'Nothing changed.',
    requester_cannot_approve: 'This was asked in your name, so somebody else has to decide about it.',
    editor_cannot_approve: 'You edited this call, and it is of high severity: somebody else has to approve it.',
    not_the_requester: 'Only the person in whose name this is asked can confirm it.',
    foreign_workspace: 'Only people of this workspace can decide about this call.',
    deactivated_person: 'This account is deactivated and cannot decide.',
    guest_not_named:
      'You are a guest of this workspace: a user group does not let you decide, only the policy file can, by naming you.',
    membership_unknown:
      'Whether you are in the group that decides could not be found out just now; nothing changed. Try again in a minute.',
    not_offered:
      'This question does not take that answer, or hides behind a secret what would be approved or edited; nothing changed.',
    unknown_call: 'This card asks about no such call, or it was named twice; nothing changed.',
    unknown_action: 'The agent offered no such action; nothing changed.',
    unknown_answer: 'Choose one of the answers that were offered.',
    unchanged: 'You changed nothing. To run the call as it is, approve it.',
    invalid_edit: 'The tool does not take these arguments; nothing changed.',
    unknown_person: 'Choose somebody else: a person of the policy file who may answer this and has not.',
    too_many_rounds: 'This was changed too often; the agent has to propose it again.',
    too_many_votes:
      'So many or such long answers were given here that there is no room for this one: answer about all of it at once, with a short reason, or leave it to the others.',
    stale_digest: 'This card does not show what would run now: it was changed. Look at it again.',
    unknown_approval: 'This approval is not known here any more.',
    foreign_card: 'This button does not belong to the card of this approval; nothing changed.',
  } satisfies Readonly<Record<VoteRefusal, string>>,

  withdrawn: 'The agent withdrew this before your click; nothing changed.',
  partIsDone: (group: string) => `Your part is done; ${group} decides now.`,
  youApproved: 'You approved this',
  /** `approved`: the words above with their day and time. */
  waitsForMore: (approved: string, more: number, group: string) =>
    `${approved}; it waits for ${more === 1 ? 'one' : more} more of ${group}. A vote cannot be taken back.`,
  notInGroup: (group: string, names: readonly string[]) =>
    `You are not in the group that decides about this call, ${group}: ${names.join(' or ')} can decide.`,
  ownsIt: (agent: string, names: readonly string[]) => `You own ${agent}: ${names.join(' or ')} can decide.`,
} as const;
