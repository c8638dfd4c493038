/** Has the canary of a deployed gate run once, and reads its report. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import { CANARY_CHECKS } from '../../domain/canary.ts';
import { CountersignError } from '../../domain/errors.ts';

/** Longer than the function itself may take. */
const CANARY_TIMEOUT_MS = 70_000;

const report = z.object({
  passed: z.boolean(),
  checks: z.array(
    z.object({
      expected: z.enum(CANARY_CHECKS),
      result: z.enum(['right', 'stricter', 'wrong', 'failed']),
      got: z.string(),
      proposalId: z.string(),
      ms: z.number(),
    }),
  ),
});
type CanaryRun = z.infer<typeof report>;

/** @throws Error if it may not be invoked, or ended without a report */
export async function invokeCanary(client: LambdaClient, functionName: string): Promise<CanaryRun> {
  const invoke = new InvokeCommand({ FunctionName: functionName, Payload: '{}' });
  const { Payload, FunctionError } = await client.send(invoke, { abortSignal: AbortSignal.timeout(CANARY_TIMEOUT_MS) });
  if (FunctionError)
    throw new CountersignError('canary_failed', 'the function of the canary failed: its log names the fault');
  return report.parse(JSON.parse(Buffer.from(Payload ?? []).toString('utf8')));
}
