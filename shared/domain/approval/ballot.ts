/** Declares a ballot: a person's answer to a question, their identity on the platform, and refusals. */
import type { Approval, CallVote, GrantScope, HumanChoice, Person, Vote } from '../../contract/index.ts';

/** Stable codes; the words for people are in `adapters/slack/texts/refusals.ts`. */
export type Refusal =
  /** The round ended before. */
  | 'already_decided'
  /** The time to answer was over. */
  | 'expired'
  /** This person, or the owner of their seat, answered about the same call before. */
  | 'already_voted'
  | 'not_yet_expired'
  /** Nothing is to be done for the row at this time. */
  | 'not_due'
  | 'owner_cannot_approve'
  | 'requester_cannot_approve'
  /** The person edited the present question, and its severity is high. */
  | 'editor_cannot_approve'
  /** Nobody else is left for a later stage: one person votes once. */
  | 'needed_later'
  /** The stage asks the requester only. */
  | 'not_the_requester'
  | 'not_in_group'
  | 'bot_cannot_approve'
  | 'foreign_workspace'
  | 'deactivated_person'
  /** A guest of the workspace whom the policy file does not name. */
  | 'guest_not_named'
  /** In the Slack user group with an account of another workspace, as in an Enterprise Grid. */
  | 'home_elsewhere'
  /** The members of the Slack user group could not be found out just now. */
  | 'membership_unknown'
  /** The card showed another question than the one that is asked now. */
  | 'stale_digest'
  /** The question does not offer this answer. */
  | 'not_offered'
  /** A call id that the question does not ask about, or one that is named twice. */
  | 'unknown_call'
  /** No such action in the action space. */
  | 'unknown_action'
  /** The question has choices, and this is none of them. */
  | 'unknown_answer'
  /** An edit that changes nothing. */
  | 'unchanged'
  /** An edit that the tool's schema refuses; `fields` of `VoteResult` says where. */
  | 'invalid_edit'
  /** The seat cannot be passed on to this person: unknown, barred, or the voter themselves. */
  | 'unknown_person'
  | 'too_many_rounds'
  /** The row has no room for this answer. */
  | 'too_many_votes';

/** A vote may also be refused before the row is asked. */
export type VoteRefusal = Refusal | 'unknown_approval' | 'foreign_card';

/** A seat in a group: the right to vote as one of its members, in one's own name or in that of a person who delegated it. */
export interface Seat {
  readonly group: string;
  readonly standsFor?: Person | undefined;
}

/** Somebody who wants to vote, as the platform authenticated them. */
export interface Voter {
  readonly person: Person;
  readonly isBot: boolean;
  /** The person's seats in the groups that the question asks or may escalate to. */
  readonly seats: readonly Seat[];
  /** Today's owners of the agent, and of the agents that its session works for. The row has those of the time of the question. */
  readonly ownersNow?: readonly Person[] | undefined;
  /** A later stage could not be answered any more if this person approved now. */
  readonly isNeededLater?: boolean | undefined;
  /** Why no vote of this person counts; absent where it may. */
  readonly barred?:
    | 'foreign_workspace'
    | 'deactivated_person'
    | 'guest_not_named'
    | 'home_elsewhere'
    | 'membership_unknown'
    | undefined;
}

interface BallotContext {
  /** Digest of the question that the person saw. */
  readonly questionDigest: string;
  readonly via: Vote['via'];
  readonly reason?: string | undefined;
}

export type Ballot =
  | (BallotContext & {
      readonly choice: 'approve';
      /** The grant that the vote gives beyond this call. */
      readonly remember?: GrantScope | undefined;
      /** Single calls of a batch by their ids, some of them perhaps rejected; absent: all. */
      readonly calls?: readonly CallVote[] | undefined;
    })
  | (BallotContext & { readonly choice: 'reject' })
  | (BallotContext & {
      readonly choice: 'edit';
      readonly callId: string;
      /** All arguments as they would run. */
      readonly input: Readonly<Record<string, unknown>>;
      readonly actionDigest: string;
    })
  | (BallotContext & { readonly choice: 'substitute'; readonly index: number; readonly actionDigest: string })
  | (BallotContext & { readonly choice: 'respond'; readonly answer: string });

/** The choice as people mean it: an answer that rejects each of the calls it names is a rejection. */
export const statedChoice = ({
  choice,
  calls,
}: Pick<Vote, 'choice'> & { readonly calls?: readonly CallVote[] | undefined }): HumanChoice =>
  choice === 'approve' && calls?.every((call) => call.choice === 'reject') ? 'reject' : choice;

/** The votes of the current stage that reject. One of them need not end the stage (`rejectEnds`). */
export const rejectionsSoFar = ({ votes, stage = 0 }: Pick<Approval, 'votes' | 'stage'>): Vote[] =>
  votes.filter((vote) => vote.stage === stage && statedChoice(vote) === 'reject');

export const samePerson = (a: Person, b: Person): boolean => a.team === b.team && a.user === b.user;

/** The groups that are asked, or may be by an escalation: a vote needs to know who is in them. */
export const groupsOf = ({ question }: Approval): string[] => [
  ...new Set(question.stages.flatMap(({ group, escalateTo }) => [group, ...(escalateTo ? [escalateTo.group] : [])])),
];
