/** Lists the models that a policy file asks, each with the access by which it is asked. */
import type { LlmNode, PolicyTree } from '../../policies/tree.ts';
import type { ModelAccess } from '../schema/models.ts';
import type { PolicyFile } from '../schema/policy-file.ts';

type Path = readonly (string | number)[];

export interface ModelUse {
  /** As its provider names it. */
  readonly model: string;
  readonly access: ModelAccess;
  /** The path of the model's name in the policy file. */
  readonly path: Path;
  readonly of: 'classifier' | 'taskAgent' | 'policies';
}

type Sections = Pick<PolicyFile, 'classifier' | 'taskAgent' | 'models' | 'policies'>;

/** Lists the models in use; trees count only where their client is declared. */
export function modelsUsed({ classifier, taskAgent, models, policies }: Sections): ModelUse[] {
  const clients = Object.values(models);
  const [only] = clients.length === 1 ? clients : [];
  const inTrees = Object.entries(policies)
    .flatMap(([name, tree]) => llmNodes(tree, ['policies', name]))
    .flatMap(({ node: { client, model }, path }): ModelUse[] => {
      const access = client === undefined ? only : Object.hasOwn(models, client) ? models[client] : undefined;
      return access ? [{ model, access, path: [...path, 'model'], of: 'policies' }] : [];
    });
  const single = (of: 'classifier' | 'taskAgent', access: (ModelAccess & { readonly model: string }) | undefined) =>
    access ? [{ model: access.model, access, path: [of, 'model', 'model'], of }] : [];
  return [...single('classifier', classifier?.model), ...single('taskAgent', taskAgent.model), ...inTrees];
}

function llmNodes(tree: PolicyTree, path: Path): { readonly node: LlmNode; readonly path: Path }[] {
  switch (tree.type) {
    case 'llm':
      return [{ node: tree, path }];
    case 'human-in-the-loop':
      return llmNodes(tree.delegate, [...path, 'delegate']);
    case 'composite':
      return [...llmNodes(tree.proposer, [...path, 'proposer']), ...llmNodes(tree.approver, [...path, 'approver'])];
    case 'random':
    case 'first-available':
    case 'priority':
      return [];
    default:
      return tree satisfies never;
  }
}
