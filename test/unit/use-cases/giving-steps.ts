/**
 * Holds the steps of the tests of grants, permits and operators' settings.
 *
 * Steps: a lead and its helper, decisions as agents read them, redemptions.
 */
import type { PolicyDocument } from '../../../shared/config/document.ts';
import type { RedeemAnswer } from '../../../shared/contract/index.ts';
import { bash, type PolicyParts, policyOf, type World } from './world.ts';

/** Redemption wants the tool listed. */
export const LISTED = 'tools: { Bash: { permissions: [Execute] } }\n';

interface FamilyOf {
  readonly owner?: string;
  readonly root?: string;
  readonly helper?: string;
  readonly lead?: string;
}

/** `lead` starts sessions of `helper`, whose calls it answers for. */
export function family(
  { owner = 'olga', root = '/workspace', helper = '', lead = '' }: FamilyOf = {},
  parts: PolicyParts = {},
): PolicyDocument {
  const agents = `  lead: { owner: olga, projectRoot: /workspace${lead} }
  helper: { owner: ${owner}, mode: bubble, parents: [lead], projectRoot: ${root}${helper} }`;
  return policyOf({ more: LISTED, agents, ...parts });
}

/** The session `h` of the helper, started by the lead's `main`. */
export const startHelper = (world: World) =>
  world.send(bash('start', 'git status', { starts: { agentId: 'helper', sessionId: 'h' } }), { agent: 'lead' });

/** Sends a call, and gives its outcome and reason, or `waits`. */
export async function outcomeOf(
  world: World,
  proposal: { readonly proposalId: string },
  agent = 'coder',
): Promise<string> {
  await world.send(proposal, { agent });
  return heard(world, proposal.proposalId, agent);
}

export async function heard(world: World, proposalId: string, agent = 'coder'): Promise<string> {
  const decision = await world.decision(proposalId, agent);
  return decision ? `${decision.outcome} ${decision.reasonCode}` : 'waits';
}

/** `granted`, or the code of the refusal. */
export async function redemptionOf(
  world: World,
  proposalId: string,
  { agent = 'coder', ...more }: { readonly agent?: string; readonly [field: string]: unknown } = {},
): Promise<string> {
  const decision = await world.decided(proposalId, agent);
  const [call] = decision.calls;
  const permitId = call?.permit?.permitId ?? 'none';
  const request = {
    agent,
    proposalId,
    callId: 'call',
    permitId,
    toolName: 'Bash',
    input: { command: 'make x' },
    ...more,
  };
  const answer: RedeemAnswer = await world.gate.agentSide(agent).redeemer.redeem(request as never);
  return answer.granted ? 'granted' : `${answer.error.code} ${answer.permit}`;
}

let operations = 0;

/** Done at once, as `oncall` unless told otherwise. Gives the code of the record, with what the channels are told. */
export async function operateNow(
  world: World,
  operation: Record<string, unknown>,
  operator = 'oncall',
): Promise<string> {
  const whole = { operationId: `operation-${++operations}`, reason: 'a test', agent: 'coder', ...operation };
  world.gate.operateAs(operator, JSON.stringify(whole));
  await world.clock.advance(1);
  const [record] = await world.look.audit.recent('-operations', 1);
  return `${record?.entry.reasonCode} ${world.slack.notices.at(-1) ?? ''}`;
}
