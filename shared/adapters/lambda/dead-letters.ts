/** Has dead letters brought back by the redrive function, which alone may move them. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { redriveAnswer } from '../../contract/redrive.ts';
import { CountersignError } from '../../domain/errors.ts';
import type { DeadLetters } from '../../ports/dead-letters.ts';

/** The function begins no batch after this. */
const READ_TIMEOUT_MS = 10_000;
/** With a cold start and the last batch; the caller has ten seconds more, to record what was done. */
const REDRIVE_TIMEOUT_MS = 20_000;

/** Rejects if there is no answer in time: what was moved by then is moved, and another try finds the rest. */
export function lambdaDeadLetters(client: LambdaClient, functionName: string): DeadLetters {
  return {
    async redrive(queue, limit) {
      const Payload = Buffer.from(JSON.stringify({ queue, limit, withinMs: READ_TIMEOUT_MS }));
      const { Payload: answer, FunctionError } = await client.send(
        new InvokeCommand({ FunctionName: functionName, Payload }),
        { abortSignal: AbortSignal.timeout(REDRIVE_TIMEOUT_MS) },
      );
      if (FunctionError) throw new CountersignError('redrive_failed', 'the dead letters could not be brought back');
      return redriveAnswer.parse(JSON.parse(Buffer.from(answer ?? []).toString('utf8')));
    },
  };
}
