/** Chooses the words for a person whose click changed nothing. */
import type { PolicyPeople } from '../../../config/readers/people-of.ts';
import type { Approval, Person } from '../../../contract/index.ts';
import {
  approvalsSoFar,
  callsOf,
  choiceOn,
  currentStage,
  samePerson,
  type VoteRefusal,
} from '../../../domain/approval/approval.ts';
import { ownValue } from '../../../domain/own.ts';
import { namesWorkspace } from '../../../use-cases/people/seats.ts';
import { inMarkup, slackWhen } from '../elements/text.ts';
import { REFUSALS } from '../texts/refusals.ts';

const TEXTS: Readonly<Record<VoteRefusal, string>> = REFUSALS.byCode;

/** Undefined for a code that no click is refused with. */
export const refusalWords = (code: string): string | undefined => ownValue(TEXTS, code);

/** Nobody decided about a question that its agent withdrew. */
export const refusalText = (refusal: VoteRefusal, approval?: Pick<Approval, 'status'>): string =>
  refusal === 'already_decided' && approval?.status === 'cancelled' ? REFUSALS.withdrawn : TEXTS[refusal];

/** With what the row and the policy file know: what became of the person's own part, and who decides instead. */
export function refusalFor(
  { refusal, approval }: { readonly refusal: VoteRefusal; readonly approval?: Approval | undefined },
  person: Person,
  policy: PolicyPeople,
): string {
  const { settings, membersOf } = policy;
  const own = approval?.votes.findLast(({ by }) => samePerson(by, person));
  if (approval?.status !== 'pending')
    return refusalText(
      refusal === 'already_decided' && hasAnswered(approval, person) ? 'already_voted' : refusal,
      approval,
    );
  const { group, quorum } = currentStage(approval);
  const given = approvalsSoFar(approval);
  if (own && own.stage < (approval.stage ?? 0)) return REFUSALS.partIsDone(inMarkup(group));
  if (refusal === 'already_voted' && own?.choice === 'approve' && !own.calls)
    return REFUSALS.waitsForMore(
      slackWhen(own.at, `${REFUSALS.youApproved} `),
      Math.max(1, quorum - given.length),
      inMarkup(group),
    );
  // A partner in a shared channel is a member at home, and none of ours: names are for our own people.
  const isOurs = refusal === 'not_in_group' && namesWorkspace(person.team, policy);
  if (refusal !== 'owner_cannot_approve' && !isOurs) return TEXTS[refusal];
  const nameOf = (one: Person) => Object.values(settings.people).find((known) => samePerson(known, one))?.name;
  const { owner, requester = owner, above, votes } = approval;
  // The refusal names only people who can decide: none of these can, or not any more.
  const done = [
    person,
    owner,
    requester,
    ...(above?.owners ?? []),
    ...(above?.requesters ?? []),
    ...votes.map(({ by }) => by),
  ];
  const others = membersOf(group).filter((one) => !done.some((other) => samePerson(one, other)));
  const names = others.flatMap((one) => nameOf(one) ?? []).slice(0, MAX_NAMED);
  if (!names.length) return TEXTS[refusal];
  const shown = names.map(inMarkup);
  return refusal === 'not_in_group'
    ? REFUSALS.notInGroup(inMarkup(group), shown)
    : REFUSALS.ownsIt(inMarkup(approval.agent), shown);
}

const MAX_NAMED = 5;

/** A person who clicks twice must not read that others were faster; of calls that their first click left open, and of a withdrawn one, others were. */
function hasAnswered(approval: Approval | undefined, person: Person): boolean {
  if (!approval || approval.status === 'cancelled') return false;
  const own = approval.votes.filter(({ by }) => samePerson(by, person));
  const isWhole = own.some((vote) => vote.choice !== 'approve' || !vote.calls);
  return (
    isWhole || (own.length > 0 && callsOf(approval.question).every(({ id }) => own.some((vote) => choiceOn(vote, id))))
  );
}
