/** Finds out whether somebody is needed for a later stage: one person votes once in an approval. */
import type { Approval, Person } from '../../../contract/index.ts';
import { approvalsSoFar, samePerson } from '../../../domain/approval/approval.ts';
import { fillable } from '../../../domain/approval/quorum.ts';
import { personKey } from '../../../domain/people-ids.ts';
import type { VoterDependencies } from '../../people/seats.ts';
import { audienceOf } from './audience.ts';

/** Whether the stages that are left could be answered, and could not once this person approved in the current one. */
export async function isNeededLater(person: Person, approval: Approval, deps: VoterDependencies): Promise<boolean> {
  const { question, stage: now = 0 } = approval;
  const left = question.stages.slice(now);
  let delegations: ReturnType<typeof deps.delegations.read> | undefined;
  const read = () => (delegations ??= deps.delegations.read());
  const seats = await Promise.all(
    left.map(async ({ quorum }, index) => ({
      quorum: index === 0 ? Math.max(1, quorum - approvalsSoFar(approval).length) : quorum,
      members: await answerersOf(approval, now + index, { ...deps, delegations: { read } }),
    })),
  );
  const keysOf = (people: readonly Person[] | undefined) => people?.map(personKey);
  const others = (people: readonly Person[] | undefined) => people?.filter((one) => !samePerson(one, person));
  return (
    fillable(seats.map(({ quorum, members }) => ({ quorum, members: keysOf(members) }))) &&
    !fillable(
      seats.map(({ quorum, members }, index) => ({
        quorum: index === 0 ? quorum - 1 : quorum,
        members: keysOf(others(members)),
      })),
    )
  );
}

/** All who could answer a stage if it were asked now, or would after its escalation; undefined where Slack does not say. */
async function answerersOf(row: Approval, stage: number, deps: VoterDependencies): Promise<Person[] | undefined> {
  const { passed, stage: now = 0, ...rest } = row;
  const asked = {
    ...rest,
    stage,
    stageSince: new Date(deps.clock.now()).toISOString(),
    ...(row.question.stages[stage]?.escalateTo ? { escalated: true as const } : {}),
    ...(stage === now && passed ? { passed } : {}),
  };
  const groups = await audienceOf(asked, deps);
  if (groups.some(({ userGroup, members }) => userGroup !== undefined && !members)) return undefined;
  return groups.flatMap(({ people, members = [] }) => [...people.map((one) => one.person), ...members]);
}
