/** Checks that people's answer to a choice still counts: who they are, how long they saw it. */
import { humanNodes } from '../../../policies/question-places.ts';
import type { PolicyTree } from '../../../policies/tree.ts';
import { isImpartial, peopleOf } from '../calls/question/impartial.ts';
import { choiceMessages } from './choice-answer.ts';
import { askedByPolicy } from './choice-question.ts';
import type { ChoiceResult } from './choice-result.ts';
import type { Choice } from './choose-action.ts';

type HumanNodes = ReturnType<typeof humanNodes>;

/** Ends a choice whose answers no longer count; undefined where the policy may go on with them. */
export function answerProblem(tree: PolicyTree, choice: Choice): ChoiceResult | undefined {
  const nodes = humanNodes(tree);
  if (isSilenceCutShort(nodes, choice))
    return { kind: 'refused', code: 'expired', message: choiceMessages.expired(), outcome: 'expired' };
  const others = askedOfOthers(nodes, choice);
  return others === undefined ? undefined : { kind: 'superseded', why: `${others}: others would be asked now` };
}

/** Finds a yes of people whom the policy would not ask now, and returns its place. Silence is not checked, because nobody gave it. */
function askedOfOthers(nodes: HumanNodes, { people, session, ports }: Choice): string | undefined {
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
 * Silence approves only where the policy says so, and only after people saw the question for as long as the policy says. An agent cannot
 * gain an approval by an early `expiresAt`.
 */
function isSilenceCutShort(nodes: HumanNodes, { people, journal }: Choice): boolean {
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
