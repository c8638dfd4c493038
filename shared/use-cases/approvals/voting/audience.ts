/** Finds out who can answer a question now: everybody whose vote would count, and nobody else. */
import type { Approval, Person } from '../../../contract/index.ts';
import type { Voter } from '../../../domain/approval/approval.ts';
import { currentStage, groupsOf, samePerson } from '../../../domain/approval/approval.ts';
import type { Audience } from '../../../ports/audience.ts';
import { delegationHolds } from '../../people/delegation.ts';
import { membersOf, ownersOf, seatsIn, type VoterDependencies, voterStatus } from '../../people/seats.ts';
import { canAnswer, hasPassed } from './can-answer.ts';

/** Lists who can answer, by the groups that are asked now, the group first asked first. */
export async function audienceOf(approval: Approval, deps: VoterDependencies): Promise<Audience> {
  const { group, channel, by, escalateTo } = currentStage(approval);
  const { requester = approval.owner, passed = [] } = approval;
  const asked = [{ group, channel }, ...(approval.escalated && escalateTo ? [escalateTo] : [])];
  const candidatesOfStages = await Promise.all(asked.map((one) => candidatesOf(one.group, deps)));
  // Somebody who holds a seat of another is asked where its owner was.
  const handedIn = (index: number) =>
    passed.flatMap(({ to, by: giver, standsFor = giver }) => {
      const at = candidatesOfStages.findIndex((candidates) => includes(candidates, standsFor));
      return to && Math.max(0, at) === index ? [to] : [];
    });
  // All at once: a click that asks who is needed later has to be answered within three seconds, and Slack is asked about each of them.
  const answering = await Promise.all(
    asked.map(async (one, index) => {
      const isRequester = by === 'requester';
      const candidates = isRequester ? [requester] : [...(candidatesOfStages[index] ?? []), ...handedIn(index)];
      const userGroup = isRequester ? undefined : deps.policy.userGroupOf(one.group)?.id;
      const inGroup = userGroup === undefined ? [] : await membersOf(one.group, deps);
      const canNow = async (person: Person) => ((await isAsked(approval, person, inGroup, deps)) ? [person] : []);
      const able = (await Promise.all(candidates.map(canNow))).flat();
      const asks = able.filter((person) => !hasPassed(approval, person));
      return { one, userGroup, inGroup, candidates: asks, isPassedOn: asks.length < able.length };
    }),
  );
  const found: Person[] = [];
  const audience = [];
  for (const { one, userGroup, inGroup, candidates, isPassedOn } of answering) {
    const people: Person[] = [];
    for (const person of candidates) {
      if (includes(found, person)) continue;
      found.push(person);
      people.push(person);
    }
    const passedOn = isPassedOn ? { isPassedOn } : {};
    const asks = { ...withWholeGroup(people, inGroup, userGroup, deps), ...passedOn };
    audience.push({ group: one.group, channel: one.channel, ...asks });
  }
  return audience;
}

/** A mention of the whole user group would tell somebody who may not answer, such as the agent's owner: then its members are named. */
function withWholeGroup(
  people: readonly Person[],
  inGroup: readonly Person[] | undefined,
  userGroup: string | undefined,
  deps: VoterDependencies,
) {
  const isWhole = userGroup !== undefined && (!inGroup || inGroup.every((member) => includes(people, member)));
  const named = isWhole ? people.filter((person) => !includes(inGroup ?? [], person)) : people;
  return {
    people: named.map((person) => answererOf(person, deps)),
    ...(isWhole ? { userGroup, ...(inGroup ? { members: inGroup } : {}) } : {}),
  };
}

const includes = (people: readonly Person[], one: Person): boolean => people.some((other) => samePerson(other, one));

/** Members, and those who have the seat of one by the file or by what people arranged since. */
async function candidatesOf(group: string, deps: VoterDependencies): Promise<Person[]> {
  const { policy, delegations, clock } = deps;
  if (!Object.hasOwn(policy.settings.approvers, group)) return [];
  const members = (await membersOf(group, deps)) ?? [];
  const isMember = (person: Person) => members.some((member) => samePerson(member, person));
  const now = clock.now();
  const byFile = policy.settings.delegations.filter((one) => delegationHolds(one, now));
  const since = (await delegations.read()).delegations.filter((one) => delegationHolds(one, now));
  return [
    ...members,
    ...byFile
      .filter((one) => one.group === group || (one.person !== undefined && isMember(policy.person(one.person))))
      .map(({ to }) => policy.person(to)),
    ...since.filter(({ person }) => isMember(person)).map(({ to }) => to),
  ];
}

async function isAsked(
  approval: Approval,
  person: Person,
  inGroup: readonly Person[] | undefined,
  deps: VoterDependencies,
): Promise<boolean> {
  const seats = await seatsIn(groupsOf(approval), person, deps);
  const voter: Voter = {
    person,
    isBot: false,
    seats: seats.filter((seat) => seat !== 'unknown'),
    ownersNow: ownersOf([approval.agent, ...(approval.above?.agents ?? [])], deps.policy),
  };
  if (!canAnswer(approval, voter, deps.clock.now())) return false;
  // Slack itself takes whoever left out of its user groups.
  return includes(inGroup ?? [], person) || (await mayVote(person, deps));
}

/** Somebody of whom Slack tells nothing now is asked: the account is looked at again when they vote. */
async function mayVote(person: Person, deps: VoterDependencies): Promise<boolean> {
  const status = await voterStatus({ person }, deps);
  return status === 'member' || status === 'unknown';
}

function answererOf(person: Person, { policy }: VoterDependencies) {
  const known = Object.values(policy.settings.people).find((one) => samePerson(one, person));
  return { person, name: known?.name ?? person.user, notify: known?.notify ?? 'mention' } as const;
}
