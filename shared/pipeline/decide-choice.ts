/** Action choices: the policy that the proposal names picks an action of its space, or none (seed 0); what rules say of the action counts too. */
import type { JournalEntry } from '../contract/index.ts';
import type { ActionChoiceProposal } from '../contract/proposal.ts';
import { asksModel } from '../policies/deliberate.ts';
import { type PolicyRun, runPolicy } from '../policies/durable.ts';
import type { JournalAnswer } from '../policies/journal.ts';
import { answerOfChoice, choiceMessages, deniedFlow } from './choice-answer.ts';
import type { KernelPorts } from './judge.ts';
import { FLOW_TOOL, judgeFlow } from './judge-flow.ts';
import { type Run, refused } from './run.ts';
import { type Journal, pauseFor, type Session } from './session.ts';

export async function decideChoice(
  proposal: ActionChoiceProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<Run> {
  const { policies } = ports.policy.settings;
  const { policies: only } = session.settings;
  const tree = Object.hasOwn(policies, proposal.policy) ? policies[proposal.policy] : undefined;
  if (!tree)
    return refused('unknown_policy', choiceMessages.unknownPolicy(proposal.policy, only ?? Object.keys(policies)));
  if (only && !only.includes(proposal.policy))
    return refused('policy_not_allowed', choiceMessages.policyNotAllowed(proposal.policy, only));
  const pause = pauseFor(session.control, session.agent, FLOW_TOOL, now);
  // The brake stops a choice before a model or a person is asked.
  if (pause?.effect === 'deny') return refused('paused', choiceMessages.paused(pause.reason), 'denied');

  let run: PolicyRun;
  try {
    const answers = answersInOrder(journal.entries);
    run = await runPolicy(tree, proposal.actionSpace, proposal.snapshot, { pid: session.pid, answers });
  } catch (error) {
    // What a policy throws is never a choice (G9).
    const why = error instanceof Error ? error.message : 'unknown';
    return refused('policy_failed', choiceMessages.policyFailed(proposal.policy, why));
  }
  switch (run.status) {
    case 'refused':
      return refused(run.fault.code, `actionSpace.${run.fault.message}`);
    case 'superseded':
      return refused('superseded', choiceMessages.superseded(run.message), 'superseded');
    case 'suspended': {
      if (!asksModel(run)) return refused('unsupported_kind', 'This deployment asks no people about choices.');
      const { place, digest, question, ordinal } = run;
      return { kind: 'needs', needs: [{ type: 'model', place, ordinal, digest, question }] };
    }
    case 'chosen': {
      const verdict = run.action && judgeFlow(run.action, session, journal, ports, now);
      if (verdict && run.action) return deniedFlow(proposal.policy, run, run.action, verdict);
      return answerOfChoice(proposal.policy, run);
    }
    default:
      return run satisfies never;
  }
}

/** Answers stand where their questions stood: models know which they were, people's fill the gaps in the order of their rounds. */
function answersInOrder(entries: readonly JournalEntry[]): JournalAnswer[] {
  const models = new Map(entries.flatMap((entry) => (entry.type === 'model' ? [[entry.round, entry] as const] : [])));
  const people = entries.filter((entry) => entry.type === 'human').toSorted((a, b) => a.round - b.round);
  const answers: JournalAnswer[] = [];
  for (let ordinal = 0; ordinal < models.size + people.length; ordinal++) {
    const model = models.get(ordinal);
    if (model) answers.push({ type: 'model', place: model.place, digest: model.digest, result: model.result });
  }
  return answers;
}
