/**
 * Plays action choices in a gate in memory.
 *
 * Has a policy file with trees, a scripted model, and spaces and snapshots of a small escrow.
 */
import type { MemoryGateOptions } from '../../../shared/adapters/memory/gate-parts.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import type { Action, ActionSpace, AgentSnapshot } from '../../../shared/contract/index.ts';
import type { Ballot } from '../../../shared/domain/approval/approval.ts';
import type { LlmClient } from '../../../shared/ports/llm-client.ts';
import { ScriptedClient, type ScriptedReply } from '../../../shared/testing/scripted-client.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { PEOPLE, type PolicyParts, policyOf, World } from './world.ts';

const HUMAN = '{ type: human-in-the-loop, delegate: { type: first-available }, timeout: 10m }';
const LLM = '{ type: llm, model: m-1 }';

const TREES = `models:
  claude: { provider: anthropic, secret: llm-key, timeout: 10s, price: { input: 3, output: 15 } }
policies:
  first: { type: first-available }
  random: { type: random }
  ranked: { type: priority, priorities: [cancel_order, update_status] }
  model: ${LLM}
  person: ${HUMAN}
  lenient: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 10m, timeoutBehavior: approve }
  risky:
    type: composite
    proposer: ${LLM}
    approver: ${HUMAN}
    requiresApproval: { type: flow-id, flows: [release_escrow, cancel_order] }
  supervised:
    type: composite
    proposer: ${LLM}
    approver: { type: human-in-the-loop, delegate: ${LLM}, timeout: 5m }
    requiresApproval: { type: always }
  twice:
    type: composite
    proposer: ${HUMAN}
    approver: { type: human-in-the-loop, delegate: { type: first-available }, timeout: 10m, approvers: security }
    requiresApproval: { type: always }
  reviewed:
    type: composite
    proposer: ${HUMAN}
    approver: ${LLM}
    requiresApproval: { type: always }
  judged:
    type: composite
    proposer: ${HUMAN}
    approver: { type: human-in-the-loop, delegate: ${LLM}, timeout: 10m }
    requiresApproval: { type: always }
`;

export const choicePolicy = (parts: PolicyParts = {}, change: (trees: string) => string = (trees) => trees) =>
  policyOf({ ...parts, more: change(TREES) });

export const flow = (flow_id: string, more: Partial<Action> = {}): Action => ({ flow_id, persona_id: 'ops', ...more });
export const space = (...flows: readonly string[]): ActionSpace => ({
  persona_id: 'ops',
  actions: flows.map((id) => flow(id)),
  current_verdicts: [],
  blocked_actions: [],
});
export const snapshot: AgentSnapshot = {
  facts: { amount: 120 },
  entity_states: { Order: 'delivered' },
  observed_at: '2026-11-21T09:30:00Z',
};

export const choice = (proposalId: string, policy: string, more: Record<string, unknown> = {}) => ({
  kind: 'action-choice',
  proposalId,
  policy,
  actionSpace: space('update_status', 'release_escrow', 'cancel_order'),
  snapshot,
  ...more,
});

export const picks = (flow_id: string) => JSON.stringify({ action: { flow_id, persona_id: 'ops', reasoning: 'r' } });
export const NONE = '{"action": null, "reasoning": "nothing to do"}';

export interface ChoiceWorld {
  readonly world: World;
  readonly client: ScriptedClient;
}

/** `llm` stands in for the scripted client, for what a script cannot say. */
export function choiceWorld(
  replies: readonly ScriptedReply[] = [],
  document: PolicyDocument = choicePolicy(),
  options: Partial<MemoryGateOptions> & { readonly llm?: LlmClient } = {},
): ChoiceWorld {
  const client = new ScriptedClient(replies);
  const { llm = client, ...rest } = options;
  const later: { after?: World['clock']['after'] } = {};
  const world = new World(document, {
    models: {
      client: (name) => ({
        name: name ?? 'claude',
        timeoutMs: 10_000,
        cost: ({ inputTokens, outputTokens }) => inputTokens * 3 + outputTokens * 15,
        llm,
      }),
      after: (ms, work) => later.after?.(ms, work) ?? (() => undefined),
    },
    ...rest,
  });
  later.after = (ms, work) => world.clock.after(ms, work);
  return { world, client };
}

let requests = 0;

/** A person answers what their card asks. */
export async function say(
  { world }: Pick<ChoiceWorld, 'world'>,
  id: string,
  who: keyof typeof PEOPLE,
  answer: Partial<Ballot> & { choice: Ballot['choice'] },
) {
  const { approval, cards } = await world.row(id);
  const ballot = { questionDigest: approval.question.digest, via: 'slack', reason: 'because', ...answer } as Ballot;
  const from = { card: cards[0] ?? { channel: 'C0APPROVALS', ts: '1.1' }, isOwn: () => true };
  const click = {
    pid: approval.pid,
    person: PEOPLE[who],
    name: who,
    isBot: false,
    ballot,
    requestId: `r${++requests}`,
    from,
  };
  const voted = await vote(click, world.gate.parts);
  await world.rest();
  return voted;
}
