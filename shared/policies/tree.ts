/** Declares policies as data: the form of countersign.yaml, by the names of the contract. */
import ms from 'ms';
import * as z from 'zod';
import { identifier, text } from '../contract/primitives.ts';
import { CountersignError } from '../domain/errors.ts';
import { section } from '../domain/section.ts';
import { DEFAULT_MAX_RETRIES } from './llm.ts';

const MAX_TREE_DEPTH = 16;
/** Anchors of YAML can make a small file a huge tree. */
const MAX_TREE_NODES = 256;

const flowId = text(128).min(1, 'must not be empty');

const NO_DURATION = 'must be a duration like 90s, 3m, 1h or 7d';

/** Milliseconds, or a text such as `90s`, `3m`, `1h`, `7d`. */
const duration = z.union(
  [
    z.int().positive(),
    z
      .string()
      .regex(/^\d{1,5} ?(s|m|h|d)$/, NO_DURATION)
      .transform((value) => ms(value as ms.StringValue)),
  ],
  { error: NO_DURATION },
);

const predicateNode = z.discriminatedUnion('type', [
  section({
    type: z.literal('flow-id'),
    flows: z.array(flowId).min(1, 'needs at least one flow').describe('Flows that need the approver.'),
  }),
  section({
    type: z.literal('entity-state'),
    rules: z
      .array(z.tuple([flowId, z.string()]))
      .min(1, 'needs at least one pair of entity and state')
      .describe('Pairs of entity and state: while one holds, everything needs the approver.'),
  }),
  section({ type: z.literal('always') }),
  section({ type: z.literal('never') }),
]);
/** A predicate as a policy file has it. */
export type PredicateNode = z.infer<typeof predicateNode>;

const llmNode = section({
  type: z.literal('llm'),
  model: text(200).min(1, 'must name a model').describe('As its provider names it.'),
  client: identifier.optional().describe('Which of the declared clients is asked; absent: the default one.'),
  systemPrompt: text(20_000).default('').describe('Instead of the built-in prompt; empty: the built-in one.'),
  maxRetries: z
    .int()
    .min(0)
    .max(10)
    .default(DEFAULT_MAX_RETRIES)
    .describe('Corrections after an answer that names no action.'),
});
/** An `llm` policy as data. */
export type LlmNode = z.infer<typeof llmNode>;

const humanSettings = {
  timeout: duration.describe('How long people have: 90s, 15m, 1h.'),
  timeoutBehavior: z
    .enum(['reject', 'approve'])
    .default('reject')
    .describe(
      'What no answer in time counts as. `approve` needs a `timeout` shorter than `approvals.timeout`, best by a minute.',
    ),
  approvers: identifier.optional().describe('The group that is asked; absent: the default one.'),
};
const humanNode = section({
  type: z.literal('human-in-the-loop'),
  get delegate(): z.ZodType<PolicyTree> {
    return node;
  },
  ...humanSettings,
});
/** A `human-in-the-loop` policy as data. */
export type HumanNode = z.infer<z.ZodObject<typeof humanSettings>> & {
  readonly type: 'human-in-the-loop';
  readonly delegate: PolicyTree;
};

const compositeNode = section({
  type: z.literal('composite'),
  get proposer(): z.ZodType<PolicyTree> {
    return node;
  },
  get approver(): z.ZodType<PolicyTree> {
    return node;
  },
  requiresApproval: predicateNode.describe('Which proposals the approver is asked about.'),
});
/** A `composite` policy as data. */
export interface CompositeNode {
  readonly type: 'composite';
  readonly proposer: PolicyTree;
  readonly approver: PolicyTree;
  readonly requiresApproval: PredicateNode;
}

/** A policy as data, as the policy file writes it. */
export type PolicyTree =
  | { readonly type: 'random' }
  | { readonly type: 'first-available' }
  | { readonly type: 'priority'; readonly priorities: readonly string[] }
  | HumanNode
  | LlmNode
  | CompositeNode;

const node: z.ZodType<PolicyTree> = z.discriminatedUnion('type', [
  section({ type: z.literal('random') }),
  section({ type: z.literal('first-available') }),
  section({
    type: z.literal('priority'),
    priorities: z.array(flowId).describe('Flows, the most wanted first.'),
  }),
  humanNode,
  llmNode,
  compositeNode,
]);

/** Checks and fills in a tree from a file. Size is checked first, so that no depth of nesting reaches the parser. */
export const policyTree = z.preprocess((value, context) => {
  const problem = sizeProblem(value);
  if (problem === undefined) return value;
  context.addIssue({ code: 'custom', message: problem });
  return z.NEVER;
}, node);

/** Refuses a tree, with the place of the problem in `path`. */
export class PolicyTreeError extends CountersignError {
  readonly path: string;
  constructor(path: string, problem: string) {
    super('invalid_policy_tree', path ? `${path}: ${problem}` : problem);
    this.path = path;
  }
}

/** Throws a `PolicyTreeError` that names the first problem and where it is. */
export function parsePolicyTree(value: unknown): PolicyTree {
  const parsed = policyTree.safeParse(value);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = (issue?.path ?? [])
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('');
  throw new PolicyTreeError(path.replace(/^\./, ''), issue?.message ?? 'is not a policy');
}

function sizeProblem(root: unknown): string | undefined {
  let level: readonly unknown[] = [root];
  let nodes = 1;
  for (let depth = 1; level.length > 0; depth += 1) {
    if (depth > MAX_TREE_DEPTH) return `is deeper than ${MAX_TREE_DEPTH} policies`;
    level = level.flatMap(childrenOf);
    nodes += level.length;
    if (nodes > MAX_TREE_NODES) return `has more than ${MAX_TREE_NODES} policies`;
  }
  return undefined;
}

const childrenOf = (value: unknown): readonly unknown[] =>
  typeof value === 'object' && value !== null
    ? ['delegate', 'proposer', 'approver']
        .filter((key) => Object.hasOwn(value, key))
        .map((key) => Reflect.get(value, key))
    : [];
