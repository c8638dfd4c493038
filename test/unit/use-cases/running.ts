/**
 * Builds a world for tests of redeeming and running: agents with an approval, and tools.
 *
 * The tools are obedient.
 */
import type { Decision, RedeemAnswer, RedeemRequest } from '../../../shared/contract/index.ts';
import type { Attempt, GuardedTool } from '../../../shared/guardrails/settings/call.ts';
import { policyOf, type World } from './world.ts';

export const TOOLS = `tools:
  Search: { permissions: [Network], effect: Pure }
  Save: { permissions: [Write], effect: IdempotentWrite }
  Refund: { permissions: [Sensitive] }
`;

export const guarded = (guardrails = '{}', more = '') =>
  policyOf({ allow: ['Search', 'Save', 'Refund'], more: `${TOOLS}${more}guardrails: ${guardrails}\n` });

interface ScriptedTools {
  readonly tools: readonly GuardedTool[];
  readonly calls: Attempt[];
  behave: (attempt: Attempt) => Promise<unknown>;
}

/** Each answers `{ done: <the input> }` until told otherwise. */
export function scriptedTools(...names: readonly string[]): ScriptedTools {
  const calls: Attempt[] = [];
  const scripted: ScriptedTools = {
    calls,
    behave: async ({ input }) => ({ done: input }),
    tools: names.map((name) => ({
      name,
      origin: 'local',
      execute: (attempt: Attempt) => {
        calls.push(attempt);
        return scripted.behave(attempt);
      },
    })),
  };
  return scripted;
}

interface CallOf {
  readonly proposalId: string;
  readonly toolName: string;
  readonly input: Record<string, unknown>;
}

/** Proposes a call that the rules allow, and gives what is needed to run it. */
export async function approvedCall(
  world: World,
  { proposalId = 'p1', toolName = 'Refund', input = { order: 7 } }: Partial<CallOf> = {},
  agent = 'coder',
): Promise<RedeemRequest & { readonly decision: Decision }> {
  await world.send({ kind: 'tool-call', proposalId, toolName, input }, { agent });
  const decision = await world.decided(proposalId, agent);
  const [call] = decision.calls;
  if (!call?.permit) throw new Error(`not approved: ${decision.message}`);
  return { agent, proposalId, callId: call.id, permitId: call.permit.permitId, toolName, input, decision };
}

export const redeemed = (
  world: World,
  { decision: _, ...request }: RedeemRequest & { readonly decision?: Decision },
): Promise<RedeemAnswer> => world.gate.agentSide(request.agent).redeemer.redeem(request);

/** Sends one execution request, and lets everything happen that needs no time. */
export async function requestRun(
  world: World,
  { decision: _, agent, ...request }: RedeemRequest & { readonly decision?: Decision },
  requestId = 'r1',
  more: Record<string, unknown> = {},
): Promise<void> {
  const { executions } = world.gate.agentSide(agent);
  await executions.publish(JSON.stringify({ ...request, requestId, ...more }), agent);
  await world.rest();
}

export const resultOf = (world: World, proposalId = 'p1', requestId = 'r1', agent = 'coder') =>
  world.gate.agentSide(agent).results.read(agent, world.pid(proposalId, agent), requestId);

export async function report(
  world: World,
  { proposalId, callId, permitId, decision }: RedeemRequest & { readonly decision: Decision },
  more: Record<string, unknown> = {},
  agent = 'coder',
): Promise<void> {
  const outcome = {
    proposalId,
    callId,
    permitId,
    actionDigest: decision.calls[0]?.actionDigest,
    status: 'succeeded',
    startedAt: '2026-11-21T09:00:00.000Z',
    durationMs: 5,
    ...more,
  };
  await world.gate.agentSide(agent).outcomes.publish(JSON.stringify(outcome), agent);
  await world.rest();
}
