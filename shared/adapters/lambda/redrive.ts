/** Asks the redrive function to bring dead letters back. */
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import type { z } from 'zod';
import { type RedriveAnswer, redriveAnswer, type redriveRequest } from '../../contract/redrive.ts';
import { CountersignError } from '../../domain/errors.ts';
import { INVOKE_OPTIONS } from '../client-options.ts';

/** Longer than the function itself may take: an answer after this does not come. */
const REDRIVE_TIMEOUT_MS = 90_000;

export function lambdaRedrive(
  functionName: string,
): (request: z.infer<typeof redriveRequest>) => Promise<RedriveAnswer> {
  const client = new LambdaClient(INVOKE_OPTIONS);
  return async (request) => {
    const invoke = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) });
    const { Payload, FunctionError } = await client.send(invoke, {
      abortSignal: AbortSignal.timeout(REDRIVE_TIMEOUT_MS),
    });
    if (FunctionError) throw new CountersignError('redrive_failed', 'the gate could not bring the dead letters back');
    return redriveAnswer.parse(JSON.parse(Buffer.from(Payload ?? []).toString('utf8')));
  };
}
