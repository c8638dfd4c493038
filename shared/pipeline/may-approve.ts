/** Decides whether the people who gave an approval could give it for a call now: a grant counts only then (D52). */
import type { Policy } from '../config/compile.ts';
import type { Person, Voter } from '../contract/index.ts';
import { samePerson } from '../domain/ballot.ts';
import { fillable } from '../domain/quorum.ts';
import type { DelegationStore } from '../ports/delegation-store.ts';
import { NO_DIRECTORY } from '../ports/people.ts';
import { type PlannedStage, planForCall } from './stages.ts';
import { ownersOf, placesInGroup } from './voter.ts';

export interface ApproverReader {
  readonly policy: Policy;
  readonly delegations: Pick<DelegationStore, 'read'>;
}

/** A call that an approval is to answer. */
export interface AnsweredCall {
  readonly toolName: string;
  /** Its own agent first, then those above it up to the one that the approval was given to. */
  readonly agents: readonly string[];
  readonly requester: Person;
}

/**
 * Whether those of `givers` who may approve the call at `now` fill the stages that it would be asked in. Owners and groups are today's. Slack
 * alone knows who is in a Slack user group, and is not asked here: somebody counts who voted as one of this very group.
 */
export async function mayApprove(
  givers: readonly Voter[],
  { toolName, agents, requester }: AnsweredCall,
  now: number,
  { policy, delegations }: ApproverReader,
): Promise<boolean> {
  const askers = agents.flatMap((agent) => {
    const settings = Object.hasOwn(policy.settings.agents, agent) ? policy.settings.agents[agent] : undefined;
    return settings ? [{ settings }] : [];
  });
  const plan = askers.length === agents.length ? planForCall(policy, toolName, askers) : undefined;
  if (!plan) return false;
  const barred = [...ownersOf(agents, policy), requester];
  const isBarred = (person: Person) => barred.some((one) => samePerson(one, person));
  const gate = { policy, people: NO_DIRECTORY, delegations, clock: { now: () => now } };
  const isIn = async (group: string, giver: Voter): Promise<boolean> => {
    const places = await placesInGroup(group, giver, gate);
    const votedIn = giver.groups?.includes(group) === true;
    // A person who may not vote has no seat to give away.
    return places.some((place) => (place === 'unknown' ? votedIn : !(place.standsFor && isBarred(place.standsFor))));
  };
  const membersOf = async (stage: PlannedStage): Promise<string[]> => {
    const own = stage.by === 'requester' ? givers.filter((one) => samePerson(one, requester)) : [];
    const groups = stage.by === 'requester' ? [] : [stage.group, stage.escalateTo].filter((one) => one !== undefined);
    const free = givers.filter((one) => !isBarred(one));
    const sat = await Promise.all(
      free.map(async (one) => (await Promise.all(groups.map((group) => isIn(group, one)))).some(Boolean)),
    );
    return [...own, ...free.filter((_, index) => sat[index])].map(nameOf);
  };
  const seats = await Promise.all(
    plan.stages.map(async (stage) => ({ quorum: stage.quorum, members: await membersOf(stage) })),
  );
  return fillable(seats);
}

const nameOf = ({ team, user }: Person): string => `${team}/${user}`;
