/** Finds out who is needed for a later stage: each person, and each place, votes once in an approval. */
import type { Approval, Person } from '../../../contract/index.ts';
import { approvalsLacking, castVote, type Voter } from '../../../domain/approval/approval.ts';
import { fillable } from '../../../domain/approval/quorum.ts';
import { personKey } from '../../../domain/people-ids.ts';
import type { VoterDependencies } from '../../people/seats.ts';
import { audienceOf } from './audience.ts';

/** Whether the stages that are left could be answered, and could not once this person approved in the current one. */
export async function isNeededLater(voter: Voter, approval: Approval, deps: VoterDependencies): Promise<boolean> {
  const ballot = { choice: 'approve', questionDigest: approval.question.digest, via: 'slack' } as const;
  const cast = castVote(approval, voter, ballot, deps.clock.now());
  if (!cast.ok) return false;
  let delegations: ReturnType<typeof deps.delegations.read> | undefined;
  const read = () => (delegations ??= deps.delegations.read());
  const once = { ...deps, delegations: { read } };
  return (await canBeAnswered(approval, once)) && !(await canBeAnswered(cast.next, once));
}

/** Whether there are different people for all that the row still asks. A Slack user group whose members are not known counts as large enough. */
export async function canBeAnswered(row: Approval, deps: VoterDependencies): Promise<boolean> {
  const { question, stage: now = 0 } = row;
  const seats = await Promise.all(
    question.stages.slice(now).map(async ({ quorum }, index) => ({
      quorum: index === 0 ? approvalsLacking(row) : quorum,
      members: (await answerersOf(row, now + index, deps))?.map(personKey),
    })),
  );
  return fillable(seats);
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
