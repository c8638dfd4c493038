/** Notes a vote that counted for the person who cast it, and draws their App Home anew. */
import { subjectOf } from '../../shared/adapters/slack/cards/card-question.ts';
import type { HumanChoice } from '../../shared/contract/index.ts';
import { statedChoice } from '../../shared/domain/approval/approval.ts';
import {
  type Click,
  type ClickContext,
  type VoteResult,
  vote,
} from '../../shared/use-cases/approvals/voting/cast-vote.ts';
import { logFault } from '../runtime/telemetry/observe.ts';
import type { ListenerDependencies } from './dependencies.ts';
import { drawHomeAgain } from './home.ts';

export async function castAndNote(click: Click, listening: ListenerDependencies): Promise<VoteResult> {
  const voted = await vote(click, listening.deps);
  await note(click, statedChoice(click.ballot), voted, listening);
  return voted;
}

/** For display only: if the line cannot be written, it is lost and the vote counts. */
export async function note(
  { person }: ClickContext,
  choice: HumanChoice,
  voted: VoteResult,
  listening: ListenerDependencies,
): Promise<void> {
  const { deps, history } = listening;
  if (voted.kind !== 'counted') return;
  const { pid, agent, question } = voted.approval;
  const at = new Date(deps.clock.now()).toISOString();
  try {
    await history.addVote(person, { pid, agent, subject: subjectOf(question), choice, at });
    await drawHomeAgain(person, listening);
  } catch (error) {
    logFault('a vote could not be noted for its person', error, { pid, agent }, 'warn');
  }
}
