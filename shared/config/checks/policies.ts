/** Finds names that the trees of agent policies use and nothing declares, and waits that are too long. */
import { identifier } from '../../contract/primitives.ts';
import { unseenIn } from '../../domain/text/invisible-characters.ts';
import type { HumanNode, LlmNode, PolicyTree, PredicateNode } from '../../policies/tree.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { type PolicyProblem, undeclared } from '../schema/problems.ts';

type Path = readonly (string | number)[];

/** Names that the trees use, of groups and of clients of models; waits that could never be as long as they say; what agents may name. */
export function policyProblems(file: PolicyFile): PolicyProblem[] {
  const trees = Object.entries(file.policies).flatMap(([policy, tree]) => inTree(tree, ['policies', policy], file));
  const named = Object.entries(file.agents).flatMap(([agent, { policies: only = [] }]) =>
    only.flatMap((policy, index) => undeclared(file, 'policies', policy, ['agents', agent, 'policies', index])),
  );
  return [...trees, ...named];
}

function inTree(tree: PolicyTree, path: Path, file: PolicyFile): PolicyProblem[] {
  switch (tree.type) {
    case 'llm':
      return clientOf(tree, [...path, 'client'], file);
    case 'human-in-the-loop':
      return [...peopleOf(tree, path, file), ...inTree(tree.delegate, [...path, 'delegate'], file)];
    case 'composite':
      return [
        ...inTree(tree.proposer, [...path, 'proposer'], file),
        ...inTree(tree.approver, [...path, 'approver'], file),
        ...inPredicate(tree.requiresApproval, [...path, 'requiresApproval']),
      ];
    case 'priority':
      return tree.priorities.flatMap((flow, index) => flowProblems(flow, [...path, 'priorities', index]));
    case 'random':
    case 'first-available':
      return [];
    default:
      return tree satisfies never;
  }
}

/** A predicate that speaks of nothing would never ask the approver. */
function inPredicate(predicate: PredicateNode, path: Path): PolicyProblem[] {
  if (predicate.type === 'flow-id')
    return predicate.flows.flatMap((flow, index) => flowProblems(flow, [...path, 'flows', index]));
  if (predicate.type !== 'entity-state') return [];
  return predicate.rules.flatMap((pair, index) =>
    pair.flatMap((word, at) =>
      word === word.trim() && unseenIn(word) === undefined && !word.includes('\n')
        ? []
        : [
            {
              path: [...path, 'rules', index, at],
              message: 'holds a character that nobody sees, or a blank at an end',
            },
          ],
    ),
  );
}

/** Flows of proposals are identifiers: any other name is the name of none. */
const flowProblems = (flow: string, path: Path): PolicyProblem[] =>
  identifier.safeParse(flow).success
    ? []
    : [{ path, message: 'is the name of no flow, which may hold only A-Z a-z 0-9 . _ : -' }];

/** Without a name the only client that is declared is meant. */
function clientOf({ client }: LlmNode, path: Path, file: PolicyFile): PolicyProblem[] {
  if (client !== undefined) return undeclared(file, 'models', client, path);
  const declared = Object.keys(file.models);
  if (declared.length === 1) return [];
  const which = declared.length ? `, one of ${declared.join(', ')}` : ', and none is declared under models';
  return [{ path, message: `needs a client${which}` }];
}

function peopleOf({ approvers, timeout, timeoutBehavior }: HumanNode, path: Path, file: PolicyFile): PolicyProblem[] {
  const problems = approvers === undefined ? [] : undeclared(file, 'approvers', approvers, [...path, 'approvers']);
  const fallback =
    file.approvals.approvers !== undefined || Object.values(file.agents).some((agent) => agent.approvers !== undefined);
  if (approvers === undefined && !fallback)
    problems.push({
      path: [...path, 'approvers'],
      message: 'asks nobody: name a group here or in approvals.approvers',
    });
  if (timeout <= 0) problems.push({ path: [...path, 'timeout'], message: 'must be at least 1s' });
  if (timeout > file.approvals.timeout)
    problems.push({ path: [...path, 'timeout'], message: 'is longer than approvals.timeout, which ends every wait' });
  // The wait for people begins with the proposal, and a policy's own time with its question: later, by what the queue and the judging take.
  else if (timeoutBehavior === 'approve' && timeout === file.approvals.timeout)
    problems.push({
      path: [...path, 'timeout'],
      message: 'has to be shorter than approvals.timeout, which would end the wait before no answer counts as a yes',
    });
  return problems;
}
