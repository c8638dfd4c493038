/** Runs the policy of a choice, and holds the rules against the action that it picks. */
import type { Action, HumanAnswer } from '../../../contract/index.ts';
import type { ActionChoiceProposal } from '../../../contract/proposal.ts';
import { isHighSeverity } from '../../../domain/severity.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import { onlyAction } from '../../../policies/action-space.ts';
import { asksModel, type Chosen, runPolicy, type Suspended } from '../../../policies/durable.ts';
import { digestOfQuestion, type HumanQuestion } from '../../../policies/journal.ts';
import type { PolicyTree } from '../../../policies/tree.ts';
import { messages } from '../../model-messages.ts';
import type { KernelPorts } from '../calls/authorization/authorize-call.ts';
import { isImpartial, peopleOf } from '../calls/question/impartial.ts';
import { type NobodyAsked, whyNobodyIsAsked } from '../state/asks-people.ts';
import type { Journal } from '../state/journal.ts';
import type { Session } from '../state/session.ts';
import { authorizeAction } from './authorize-action.ts';
import { approvedBy, choiceMessages } from './choice-answer.ts';
import { answersInOrder, askedByPolicy, askedByRule, type PeopleQuestion } from './choice-question.ts';
import type { ChoiceResult } from './choice-result.ts';

/** Where a rule on the flow asks, after the policy chose. */
const RULES_PLACE = 'rules/human';

export interface Choice {
  readonly proposal: ActionChoiceProposal;
  readonly session: Session;
  readonly journal: Journal;
  readonly ports: KernelPorts;
  readonly now: number;
  /** People's answers, in order. */
  readonly people: readonly HumanAnswer[];
}

/** Runs the policy and the rules. A policy that throws never makes a choice. */
export async function chooseAction(tree: PolicyTree, choice: Choice): Promise<ChoiceResult> {
  try {
    return await runTree(tree, choice);
  } catch (error) {
    const why = error instanceof Error ? error.message : 'unknown';
    return {
      kind: 'refused',
      code: 'policy_failed',
      message: choiceMessages.policyFailed(choice.proposal.policy, why),
    };
  }
}

async function runTree(tree: PolicyTree, choice: Choice): Promise<ChoiceResult> {
  const { proposal, session, journal, people } = choice;
  const asked = people.filter(({ place }) => place !== RULES_PLACE);
  const answers = answersInOrder(journal.entries, asked, proposal);
  const run = await runPolicy(tree, proposal.actionSpace, proposal.snapshot, { pid: session.pid, answers });
  switch (run.status) {
    case 'refused':
      return { kind: 'refused', code: run.fault.code, message: `actionSpace.${run.fault.message}` };
    case 'superseded':
      return { kind: 'superseded', why: run.message };
    case 'suspended':
      return people.length > asked.length
        ? { kind: 'superseded', why: 'the policy asks another question now' }
        : askOn(run, choice);
    case 'chosen':
      return underRules(run, choice);
    default:
      return run satisfies never;
  }
}

/** A model is asked elsewhere, people by an approval; nobody is asked about an action that would be denied anyway. */
function askOn(run: Suspended, choice: Choice): ChoiceResult {
  const { place, digest, question, ordinal } = run;
  if (asksModel(run)) return { kind: 'needs', need: { type: 'model', place, ordinal, digest, question: run.question } };
  if (question.type !== 'human') throw new Error('a question of no known kind');
  const { proposed: action } = question;
  const verdict = authorize(action, choice);
  if (verdict && verdict.verdict !== 'ask') return { kind: 'denied', stages: [], action, verdict };
  const nobody = whyNobodyIsAsked(choice.session, choice.journal, choice.ports.policy);
  if (nobody) return { kind: 'denied', stages: [], action, verdict: deniedUnasked(nobody) };
  const why = verdict?.message ?? choiceMessages.asks(choice.proposal.policy);
  const asked = askedByPolicy(question, choice.session, choice.ports.policy);
  return { kind: 'asking', about: { place, digest, question, why }, asked };
}

const deniedUnasked = (why: NobodyAsked): Decided => ({
  verdict: 'deny',
  reason: why,
  source: why === 'dont_ask' ? 'mode_dispatch' : 'handler_check',
  code: why,
  message: messages.nobodyAsked(why),
});

/**
 * Rules have the last word on the chosen action. A rule that asks accepts the approval that a stage of the policy got from people, unless
 * the rule's severity is high and takes two people.
 */
function underRules(run: Chosen, choice: Choice): ChoiceResult {
  const { session, ports, people } = choice;
  const { action, stages } = run;
  const verdict = action && authorize(action, choice);
  const isApproved =
    action && verdict?.verdict === 'ask' && !isHighSeverity(verdict.severity) && approvedBy(stages, action);
  if (!action || !verdict || isApproved) return { kind: 'chosen', run };
  if (verdict.verdict !== 'ask') return { kind: 'denied', stages, action, verdict };
  const about = ruleQuestion(action, verdict, choice);
  const asked = askedByRule(verdict, session, ports.policy);
  const byRule = people.find(({ place }) => place === RULES_PLACE);
  if (!byRule) return { kind: 'asking', about, asked };
  const isSame = asked.ok && byRule.digest === about.digest && byRule.stagesDigest === asked.stagesDigest;
  const fits = isSame && isImpartial(peopleOf(byRule.by), session, ports.policy);
  if (byRule.result === 'approved' && fits) return { kind: 'chosen', run, byRule };
  return { kind: 'superseded', why: 'what was answered is not what a rule asks now' };
}

function ruleQuestion(action: Action, verdict: Decided, { proposal, ports }: Choice): PeopleQuestion {
  const question: HumanQuestion = {
    type: 'human',
    proposed: action,
    actionSpace: onlyAction(proposal.actionSpace, action),
    snapshot: proposal.snapshot,
    timeoutMs: ports.policy.settings.approvals.timeout,
    timeoutBehavior: 'reject',
    approvers: null,
  };
  const { message: why, severity } = verdict;
  return { place: RULES_PLACE, digest: digestOfQuestion(question), question, why, severity };
}

const authorize = (action: Action, { session, journal, ports, now }: Choice): Decided | undefined =>
  authorizeAction(action, session, journal, ports, now);
