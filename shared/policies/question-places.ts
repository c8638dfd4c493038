/** Finds where in a tree people are asked: each human policy under its questions' place. */
import { PLACE_OF } from './agent-policy.ts';
import type { HumanNode, PolicyTree } from './tree.ts';

export function humanNodes(tree: PolicyTree, prefix = ''): ReadonlyMap<string, HumanNode> {
  const place = `${prefix}${PLACE_OF[tree.type]}`;
  switch (tree.type) {
    case 'human-in-the-loop':
      return new Map([[place, tree], ...humanNodes(tree.delegate, `${place}.delegate/`)]);
    case 'composite':
      return new Map([
        ...humanNodes(tree.proposer, `${place}.proposer/`),
        ...humanNodes(tree.approver, `${place}.approver/`),
      ]);
    case 'llm':
    case 'random':
    case 'first-available':
    case 'priority':
      return new Map();
    default:
      return tree satisfies never;
  }
}
