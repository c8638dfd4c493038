/**
 * States as users' programs what the public types have to say.
 *
 * Compiled against the packed tarball, and never run.
 */
import {
  type Approved,
  type CallDecision,
  CountersignClient,
  type CountersignClientOptions,
  type GuardrailError,
  isCountersignError,
  isGuardrailError,
  NotApprovedError,
  type Refused,
} from 'countersign';
import { loadPolicy } from 'countersign/config';
import { parseDecision } from 'countersign/contract';
import { gatedServer } from 'countersign/mcp';
import type { PermissionService } from 'countersign/permissions';
import { FirstAvailablePolicy } from 'countersign/policies';
import { type AgentDecision, defineTools, type TaskTools, type ToolResults } from 'countersign/task-agent';
import { gatedTools } from 'countersign/vercel-ai';
import { expectTypeOf } from 'expect-type';
import * as z from 'zod';

interface RefundInput {
  readonly orderId: string;
  readonly amount: number;
}
class Transfer {
  readonly to = 'account';
  readonly amount = 1;
}

// An unset variable of the environment is a value of every option, also under exactOptionalPropertyTypes.
export const options = {
  agent: process.env['COUNTERSIGN_AGENT'],
  queueUrl: process.env['COUNTERSIGN_PROPOSALS_QUEUE_URL'],
} satisfies CountersignClientOptions;
export const client = new CountersignClient(options);

export async function tools() {
  const refund = client.gate('Refund', (input: RefundInput, { signal, idempotencyKey }) => {
    expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
    return `${input.orderId} ${idempotencyKey}`;
  });
  expectTypeOf(refund).returns.resolves.toEqualTypeOf<string>();
  await refund({ orderId: 'o-1', amount: 25 }, { timeout: '5m', signal: undefined, reason: process.env['REASON'] });
  // @ts-expect-error a length of time has a unit
  await refund({ orderId: 'o-1', amount: 25 }, { timeout: '1 hour' });
  // @ts-expect-error the amount is a number
  await refund({ orderId: 'o-1', amount: '25' });

  const transfer = client.gate('Transfer', async (input: Transfer) => input.amount);
  expectTypeOf(transfer).returns.resolves.toEqualTypeOf<number>();
  await transfer(new Transfer());

  const ping = client.gate('Ping', (_input: { readonly host?: string }) => true);
  await ping();

  const pay = client.gate('Pay', (_input: { readonly to: Map<string, number> }) => true);
  // @ts-expect-error JSON holds no Map
  await pay({ to: new Map() });

  const checked = client.gate('Order', z.object({ count: z.number().default(1) }), ({ count }) => count);
  expectTypeOf(checked).returns.resolves.toEqualTypeOf<number>();
  await checked({});

  const output = z.object({ done: z.boolean() });
  expectTypeOf(await client.execute({ tool: 'Run', input: {}, output })).toEqualTypeOf<{ done: boolean }>();
  expectTypeOf(await client.execute({ tool: 'Run', input: {} })).toEqualTypeOf<unknown>();
}

export async function decisions(decision: CallDecision) {
  if (decision.outcome === 'approved') {
    expectTypeOf(decision).toEqualTypeOf<Approved>();
    expectTypeOf(decision.permit.permitId).toEqualTypeOf<string>();
  } else {
    expectTypeOf(decision.message).toEqualTypeOf<string>();
    // @ts-expect-error a refusal has no permit
    decision.permit;
  }
  // @ts-expect-error no outcome is spelled like this
  if (decision.outcome === 'expried') throw new Error('never');
}

export function errors(error: unknown) {
  if (error instanceof NotApprovedError) expectTypeOf(error.code).toEqualTypeOf<Refused['outcome']>();
  if (isCountersignError(error)) expectTypeOf(error.code).toEqualTypeOf<string>();
  if (isGuardrailError(error)) expectTypeOf(error).toExtend<GuardrailError>();
}

export async function permissions(service: PermissionService) {
  const { decision } = await service.check('Read', { file_path: 'a' }, { signal: undefined });
  expectTypeOf(decision).toExtend<string>();
  // @ts-expect-error no decision is spelled like this
  if (decision === 'alow') throw new Error('never');
}

export function taskAgent(decision: AgentDecision, own: TaskTools) {
  if (decision.decision_type === 'ASK_CLARIFICATION')
    expectTypeOf(decision.clarification_question).toEqualTypeOf<string>();
  if (decision.decision_type === 'REQUEST_CONFIRMATION')
    expectTypeOf(decision.pending_action.task_id).toEqualTypeOf<string>();
  expectTypeOf<ToolResults['delete_task']>().toEqualTypeOf<null>();
  // @ts-expect-error the rows are the data themselves
  defineTools({ ...own, list_tasks: () => ({ success: true, data: { tasks: [] } }) });
  return defineTools(own);
}

export function others(server: { registerTool(): void }) {
  const guard = client.guard({ run: 'run-1' });
  const Lookup = { inputSchema: z.object({}), execute: async () => 1 };
  expectTypeOf(gatedTools(guard, { Lookup }).tools).toEqualTypeOf<{ Lookup: typeof Lookup }>();
  expectTypeOf(gatedServer(server, client)).toEqualTypeOf<{ registerTool(): void }>();
  return [loadPolicy('', 'countersign.yaml').policyVersion, parseDecision('{}'), new FirstAvailablePolicy()];
}
