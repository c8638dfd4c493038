/** Action choices: the policy that the proposal names picks an action of its space, or none; what rules say of the action counts too. */
import type { Action, HumanAnswer } from '../../contract/index.ts';
import type { ActionChoiceProposal } from '../../contract/proposal.ts';
import { FLOW_TOOL } from '../../permissions/model/tools.ts';
import type { Decided } from '../../permissions/model/types.ts';
import { asksModel } from '../../policies/deliberate.ts';
import { type Chosen, runPolicy, type Suspended } from '../../policies/durable.ts';
import { digestOfQuestion, type HumanQuestion } from '../../policies/journal.ts';
import { humanNodes } from '../../policies/places.ts';
import { onlyAction } from '../../policies/space.ts';
import type { PolicyTree } from '../../policies/tree.ts';
import type { PlannedQuestion } from './approval-plan.ts';
import { authorizeAction } from './authorize-action.ts';
import type { KernelPorts } from './authorize-call.ts';
import { answerOfChoice, approvedBy, choiceMessages, deniedFlow, endedByPeople } from './choice-answer.ts';
import {
  answersInOrder,
  askedByPolicy,
  askedByRule,
  type PeopleQuestion,
  peopleIn,
  questionOfChoice,
} from './choice-question.ts';
import { isImpartial, peopleOf } from './impartial.ts';
import { messages } from './messages.ts';
import { type Run, refused } from './run.ts';
import { type Journal, pauseFor, type Session } from './session.ts';

/** Where a rule on the flow asks, after the policy chose. */
const RULES_PLACE = 'rules/human';

export async function decideChoice(
  proposal: ActionChoiceProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<Run> {
  const tree = policyOf(proposal.policy, session, ports);
  if ('kind' in tree) return tree;
  const people = peopleIn(journal.entries);
  if (people.some(({ result }) => result === 'cancelled'))
    return refused('cancelled', messages.cancelled(), 'cancelled');
  const pause = pauseFor(session.control, session.agent, FLOW_TOOL, now);
  // The brake stops a choice before a model or a person is asked.
  if (pause?.effect === 'deny') return refused('paused', choiceMessages.paused(pause.reason), 'denied');
  const choice: Choice = { proposal, session, journal, ports, now, people };
  if (silenceCutShort(tree, choice)) return refused('expired', choiceMessages.expired(), 'expired');
  const othersAsked = askedOfOthers(tree, choice);
  if (othersAsked) return superseded(proposal.policy, `${othersAsked}: others would be asked now`, people);
  try {
    return await runTree(tree, choice);
  } catch (error) {
    // What a policy throws is never a choice.
    const why = error instanceof Error ? error.message : 'unknown';
    return refused('policy_failed', choiceMessages.policyFailed(proposal.policy, why));
  }
}

interface Choice {
  readonly proposal: ActionChoiceProposal;
  readonly session: Session;
  readonly journal: Journal;
  readonly ports: KernelPorts;
  readonly now: number;
  /** What people answered, in order. */
  readonly people: readonly HumanAnswer[];
}

function policyOf(name: string, { settings }: Session, { policy }: KernelPorts): PolicyTree | Run {
  const { policies } = policy.settings;
  const { policies: only } = settings;
  const tree = Object.hasOwn(policies, name) ? policies[name] : undefined;
  if (!tree) return refused('unknown_policy', choiceMessages.unknownPolicy(name, only ?? Object.keys(policies)));
  if (only && !only.includes(name)) return refused('policy_not_allowed', choiceMessages.policyNotAllowed(name, only));
  return tree;
}

async function runTree(tree: PolicyTree, choice: Choice): Promise<Run> {
  const { proposal, session, journal, people } = choice;
  const asked = people.filter(({ place }) => place !== RULES_PLACE);
  const answers = answersInOrder(journal.entries, asked, proposal);
  const run = await runPolicy(tree, proposal.actionSpace, proposal.snapshot, { pid: session.pid, answers });
  switch (run.status) {
    case 'refused':
      return refused(run.fault.code, `actionSpace.${run.fault.message}`);
    case 'superseded':
      return superseded(proposal.policy, run.message, people);
    case 'suspended':
      return people.length > asked.length
        ? superseded(proposal.policy, 'the policy asks another question now', people)
        : askOn(run, choice);
    case 'chosen':
      return conclude(run, choice);
    default:
      return run satisfies never;
  }
}

/** A model is asked elsewhere, people by an approval; nobody is asked about an action that would be denied anyway. */
function askOn(run: Suspended, choice: Choice): Run {
  const { place, digest, question, ordinal } = run;
  if (asksModel(run))
    return { kind: 'needs', needs: [{ type: 'model', place, ordinal, digest, question: run.question }] };
  if (question.type !== 'human') throw new Error('a question of no known kind');
  const verdict = authorizeCall(question.proposed, choice);
  if (verdict && verdict.verdict !== 'ask') return deniedFlow(choice.proposal.policy, [], question.proposed, verdict);
  const why = verdict?.message ?? choiceMessages.asks(choice.proposal.policy);
  const asked = askedByPolicy(question, choice.session, choice.ports.policy);
  return askPeople({ place, digest, question, why }, asked, choice);
}

function askPeople(about: PeopleQuestion, asked: PlannedQuestion, { proposal }: Choice): Run {
  if (!asked.ok) return refused(asked.code, asked.message);
  return { kind: 'suspended', question: questionOfChoice(about, asked, proposal), calls: [] };
}

/**
 * Rules have the last word on what was chosen. One that asks is content with a person who said so already, except where it takes two
 * people.
 */
function conclude(run: Chosen, choice: Choice): Run {
  const { proposal, people } = choice;
  const { action, stages } = run;
  const verdict = action && authorizeCall(action, choice);
  const said = action && verdict?.verdict === 'ask' && !isHigh(verdict.severity) && approvedBy(stages, action);
  if (!action || !verdict || said) return answerOfChoice(proposal.policy, run, people);
  if (verdict.verdict !== 'ask') return deniedFlow(proposal.policy, stages, action, verdict);
  const about = ruleQuestion(action, verdict, choice);
  const asked = askedByRule(verdict, choice.session, choice.ports.policy);
  const answer = people.find(({ place }) => place === RULES_PLACE);
  if (!answer) return askPeople(about, asked, choice);
  const isSame = asked.ok && answer.digest === about.digest && answer.stagesDigest === asked.stagesDigest;
  const fits = isSame && isImpartial(peopleOf(answer.by), choice.session, choice.ports.policy);
  if (answer.result === 'approved' && fits) return answerOfChoice(proposal.policy, run, people, answer);
  return superseded(proposal.policy, 'what was answered is not what a rule asks now', people);
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

const isHigh = (severity: string | undefined): boolean => severity === 'high' || severity === 'critical';

const authorizeCall = (action: Action, { session, journal, ports, now }: Choice): Decided | undefined =>
  authorizeAction(action, session, journal, ports, now);

/** A person's no stays a no, and their silence silence, whatever the policy asks now; an approval counts for nothing else. */
function superseded(policy: string, why: string, people: readonly HumanAnswer[]): Run {
  const last = people.at(-1);
  return (
    (last && endedByPeople(policy, last, [])) ?? refused('superseded', choiceMessages.superseded(why), 'superseded')
  );
}

/** The place of a person's yes that was given by others than would be asked now; what nobody said is bound to nobody. */
function askedOfOthers(tree: PolicyTree, { people, session, ports }: Choice): string | undefined {
  const nodes = humanNodes(tree);
  return people.find((answer) => {
    const node = nodes.get(answer.place);
    if (!node || (answer.result !== 'approved' && answer.result !== 'substituted')) return false;
    const { approvers = null, timeout: timeoutMs } = node;
    const asked = askedByPolicy({ approvers, timeoutMs }, session, ports.policy);
    if (!asked.ok || asked.stagesDigest !== answer.stagesDigest) return true;
    return !isImpartial(peopleOf(answer.by), session, ports.policy);
  })?.place;
}

/**
 * Silence approves only where the policy says so, and only if people were shown the question for as long as it says: an agent that states an
 * early end does not get its way by it.
 */
function silenceCutShort(tree: PolicyTree, { people, journal }: Choice): boolean {
  const nodes = humanNodes(tree);
  let since = journal.startedAt;
  for (const { place, at, result, timeoutApproves } of people) {
    const node = nodes.get(place);
    const waited = Date.parse(at) - since;
    since = Date.parse(at);
    const approves = result === 'expired' && node?.timeoutBehavior === 'approve';
    if (approves && (!timeoutApproves || waited < node.timeout)) return true;
  }
  return false;
}
