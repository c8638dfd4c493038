/** Decides whether the people who gave an approval could give it for a call now. */
import type { Policy } from '../../../../config/compile.ts';
import type { Person, Severity, Voter } from '../../../../contract/index.ts';
import { samePerson } from '../../../../domain/approval/ballot.ts';
import { fillable } from '../../../../domain/approval/quorum.ts';
import { personKey } from '../../../../domain/people-ids.ts';
import { NO_DIRECTORY } from '../../../../ports/people.ts';
import type { DelegationStore } from '../../../../ports/stores/delegation-store.ts';
import { seatsDelegatedTo, seatsInGroup, type VoterDependencies } from '../../../people/seats.ts';
import { type Lineage, peopleAbove } from '../../state/lineage.ts';
import { type PlannedStage, planForCall, type QuestionedAgent, stagesOfPlan } from './approval-plan.ts';

interface ApproverReader {
  readonly policy: Policy;
  readonly delegations: Pick<DelegationStore, 'read'>;
}

/** A call that an approval is to answer. */
export interface AnsweredCall {
  readonly toolName: string;
  /** The agent itself first, then those above it whose people are asked as well. */
  readonly questioned: readonly QuestionedAgent[];
  readonly requester: Person;
  readonly lineage: Lineage;
  /** The severity of a question that takes two people. */
  readonly severity?: Severity | undefined;
  /** The person who asks has confirmed this very call: that part is not checked again. */
  readonly isConfirmed?: boolean;
}

/**
 * Whether those of `givers` who may approve the call at `now` fill the stages that it would be asked in. Owners, groups, and the seats that
 * somebody had from somebody else are today's. Slack alone knows who is in a Slack user group, and is not asked here: somebody counts who
 * voted as one of this very group.
 */
export async function mayApprove(
  givers: readonly Voter[],
  { toolName, questioned, requester, lineage, severity = 'medium', isConfirmed = false }: AnsweredCall,
  now: number,
  { policy, delegations }: ApproverReader,
): Promise<boolean> {
  const plan = planForCall(policy, toolName, questioned);
  if (!plan) return false;
  const barred = [...peopleAbove(lineage, policy), requester];
  const isBarred = (person: Person) => barred.some((one) => samePerson(one, person));
  const deps = { policy, people: NO_DIRECTORY, delegations, clock: { now: () => now } };
  const free = givers.filter((one) => !isBarred(one) && !one.edited);
  const membersOf = async (stage: PlannedStage): Promise<string[]> => {
    if (stage.by === 'requester') return givers.filter((one) => samePerson(one, requester)).map(personKey);
    const groups = [stage.group, stage.escalateTo].filter((one) => one !== undefined);
    const seats = await Promise.all(free.flatMap((one) => groups.map((group) => seatIn(group, one, isBarred, deps))));
    return seats.filter((seat) => seat !== undefined).map(personKey);
  };
  const stages = stagesOfPlan(plan, severity).filter(({ by }) => !(isConfirmed && by === 'requester'));
  const seats = await Promise.all(
    stages.map(async (stage) => ({ quorum: stage.quorum, members: await membersOf(stage) })),
  );
  return fillable(seats);
}

/** The seat in the group that the giver has now; somebody who may not vote has none to give away. */
async function seatIn(
  group: string,
  giver: Voter,
  isBarred: (person: Person) => boolean,
  deps: VoterDependencies,
): Promise<Person | undefined> {
  const found = await seatsInGroup(group, giver, deps);
  const seats = found.filter((seat) => seat !== 'unknown');
  if (seats.some(({ standsFor }) => standsFor === undefined)) return giver;
  const delegated = seats.find(({ standsFor }) => standsFor && !isBarred(standsFor));
  if (delegated) return delegated.standsFor;
  const { standsFor, passed } = giver;
  const hasVotedIn = giver.groups?.includes(group) === true;
  const isUnknown = found.includes('unknown') && hasVotedIn;
  if (!standsFor) return isUnknown ? giver : undefined;
  if (isBarred(standsFor)) return undefined;
  if (passed) {
    const own = hasVotedIn ? await seatsInGroup(group, standsFor, deps) : [];
    return own.some((seat) => seat === 'unknown' || seat.standsFor === undefined) ? standsFor : undefined;
  }
  const handed = isUnknown ? await seatsDelegatedTo(giver, deps) : [];
  return handed.some((one) => samePerson(one, standsFor)) ? standsFor : undefined;
}
