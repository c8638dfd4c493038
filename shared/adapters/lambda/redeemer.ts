/** Asks the redeem function (A19). The SDK is loaded by those who redeem only. */
import { type RedeemAnswer, redeemAnswer } from '../../contract/execution.ts';
import { CountersignError } from '../../domain/errors.ts';
import { rateLimitedError } from '../../guardrails/errors.ts';
import type { Redeemer } from '../../ports/agent-side.ts';

/** Refused before it ran: the permit is as it was. */
const busy = () => rateLimitedError({ scope: 'provider', throttlingScope: 'redeem' });

/** It does not repeat a call by itself: a permit that was granted and not heard of is spent. */
export function lambdaRedeemer(functionName: string): Redeemer {
  return {
    async redeem(request): Promise<RedeemAnswer> {
      const { InvokeCommand, LambdaClient } = await import('@aws-sdk/client-lambda');
      const client = new LambdaClient({ maxAttempts: 1 });
      const invoke = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) });
      const { Payload, FunctionError } = await client.send(invoke).catch((cause: unknown) => {
        throw cause instanceof Error && cause.name === 'TooManyRequestsException' ? busy() : cause;
      });
      if (FunctionError) throw new CountersignError('redeem_failed', 'the gate could not say whether the call may run');
      return redeemAnswer.parse(JSON.parse(Buffer.from(Payload ?? []).toString('utf8')));
    },
  };
}
