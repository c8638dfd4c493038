/** Decides action choices: a policy picks an action, and rules have the last word. */
import type { HumanAnswer } from '../../contract/index.ts';
import type { ActionChoiceProposal } from '../../contract/proposal.ts';
import { asSentence } from '../../domain/text/sentence.ts';
import { FLOW_TOOL } from '../../permissions/model/tools.ts';
import type { PolicyTree } from '../../policies/tree.ts';
import { pauseFor } from '../../ports/stores/control.ts';
import { messages } from '../model-messages.ts';
import type { KernelPorts } from './calls/authorization/authorize-call.ts';
import type { KernelRefusal, KernelRun } from './calls/run.ts';
import { choiceMessages } from './choices/choice-answer.ts';
import { answerProblem } from './choices/choice-checks.ts';
import { peopleIn } from './choices/choice-question.ts';
import { type ChoiceResult, runOfChoice } from './choices/choice-result.ts';
import { chooseAction } from './choices/choose-action.ts';
import type { Journal } from './state/journal.ts';
import type { Session } from './state/session.ts';

export async function decideChoice(
  proposal: ActionChoiceProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<KernelRun> {
  const people = peopleIn(journal.entries);
  const choice = { proposal, session, journal, ports, now, people };
  const admitted = admitChoice(proposal.policy, session, people, ports, now);
  const result: ChoiceResult =
    admitted.kind === 'refused'
      ? admitted
      : (answerProblem(admitted.tree, choice) ?? (await chooseAction(admitted.tree, choice)));
  return runOfChoice(result, proposal, people);
}

type AdmittedChoice = { readonly kind: 'admitted'; readonly tree: PolicyTree };

/** The policy that chooses, unless the file does not let this agent name it, or the choice is over or paused. */
function admitChoice(
  name: string,
  { settings, control, agent }: Session,
  people: readonly HumanAnswer[],
  { policy }: KernelPorts,
  now: number,
): AdmittedChoice | (KernelRefusal & { readonly kind: 'refused' }) {
  const { policies } = policy.settings;
  const { policies: only } = settings;
  const tree = Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (!tree) {
    const message = choiceMessages.unknownPolicy(name, only ?? Object.keys(policies));
    return { kind: 'refused', code: 'unknown_policy', message };
  }
  if (only && !only.includes(name))
    return { kind: 'refused', code: 'policy_not_allowed', message: choiceMessages.policyNotAllowed(name, only) };
  if (people.some(({ result }) => result === 'cancelled'))
    return { kind: 'refused', code: 'cancelled', message: messages.cancelled(), outcome: 'cancelled' };
  const pause = pauseFor(control, agent, FLOW_TOOL, now);
  // The brake stops a choice before a model or a person is asked.
  if (pause?.effect === 'deny')
    return {
      ...{ kind: 'refused', code: 'paused', outcome: 'denied' },
      message: choiceMessages.paused(pause.reason && asSentence(pause.reason)),
    };
  return { kind: 'admitted', tree };
}
