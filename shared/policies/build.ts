/** Builds policies from a tree, with the ways to people, models and chance, by place. */
import type { LlmClient } from '../ports/llm-client.ts';
import { type AgentPolicy, PLACE_OF } from './agent-policy.ts';
import type { ApprovalChannel } from './approval-channel.ts';
import { CompositePolicy } from './composite.ts';
import { FirstAvailablePolicy } from './first-available.ts';
import { HumanInTheLoopPolicy } from './human-in-the-loop.ts';
import { LlmPolicy } from './llm.ts';
import { AlwaysApprove } from './predicates/always.ts';
import type { ApprovalPredicate } from './predicates/approval-predicate.ts';
import { EntityStatePredicate } from './predicates/entity-state.ts';
import { FlowIdPredicate } from './predicates/flow-id.ts';
import { NeverApprove } from './predicates/never.ts';
import { PriorityPolicy } from './priority.ts';
import { type Random, RandomPolicy } from './random.ts';
import {
  type HumanNode,
  type LlmNode,
  type PolicyTree,
  PolicyTreeError,
  type PredicateNode,
  parsePolicyTree,
} from './tree.ts';

/** `place` is the path of the policy that asks, as in `composite.approver/human`. `undefined`: there is none. */
export interface PolicyPorts {
  channel(place: string, settings: HumanNode): ApprovalChannel | undefined;
  client(place: string, settings: LlmNode): LlmClient | undefined;
  random(place: string): Random;
}

/** Throws a `PolicyTreeError` for a tree that is not sound, or one that asks somebody whom the ports do not know. */
export function buildPolicy(tree: unknown, ports: PolicyPorts): AgentPolicy {
  return build(parsePolicyTree(tree), ports, '');
}

function build(tree: PolicyTree, ports: PolicyPorts, prefix: string): AgentPolicy {
  const place = `${prefix}${PLACE_OF[tree.type]}`;
  switch (tree.type) {
    case 'random':
      return new RandomPolicy(ports.random(place));
    case 'first-available':
      return new FirstAvailablePolicy();
    case 'priority':
      return new PriorityPolicy(tree.priorities);
    case 'llm': {
      const client = ports.client(place, tree);
      if (!client) throw new PolicyTreeError(place, `there is no client ${tree.client ?? 'for models'}`);
      const { model, systemPrompt, maxRetries } = tree;
      return new LlmPolicy(client, model, { systemPrompt, maxRetries });
    }
    case 'human-in-the-loop': {
      const channel = ports.channel(place, tree);
      if (!channel) throw new PolicyTreeError(place, 'there is nobody to ask');
      const delegate = build(tree.delegate, ports, `${place}.delegate/`);
      return new HumanInTheLoopPolicy(delegate, channel, tree.timeout, tree.timeoutBehavior);
    }
    case 'composite':
      return new CompositePolicy(
        build(tree.proposer, ports, `${place}.proposer/`),
        build(tree.approver, ports, `${place}.approver/`),
        buildPredicate(tree.requiresApproval),
      );
    default: {
      const unknown: never = tree;
      throw new PolicyTreeError(prefix, `unknown policy ${JSON.stringify(unknown)}`);
    }
  }
}

function buildPredicate(predicate: PredicateNode): ApprovalPredicate {
  switch (predicate.type) {
    case 'flow-id':
      return new FlowIdPredicate(predicate.flows);
    case 'entity-state':
      return new EntityStatePredicate(predicate.rules);
    case 'always':
      return new AlwaysApprove();
    case 'never':
      return new NeverApprove();
    default: {
      const unknown: never = predicate;
      throw new PolicyTreeError('requiresApproval', `unknown predicate ${JSON.stringify(unknown)}`);
    }
  }
}
