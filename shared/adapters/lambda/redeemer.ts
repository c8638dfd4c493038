/** Asks the redeem function. The SDK and the schema of answers are loaded by those who redeem only. */
import type { LambdaClient, LambdaClientConfig } from '@aws-sdk/client-lambda';
import type { RedeemAnswer } from '../../contract/execution.ts';
import { CountersignError } from '../../domain/errors.ts';
import { providerThrottledError } from '../../guardrails/limits/limit-errors.ts';
import type { Redeemer } from '../../ports/agent-side.ts';
import { INVOKE_OPTIONS } from '../client-options.ts';

/** Milliseconds until the next attempt: Lambda states no time. */
const BUSY_MS = 1_000;

/** Refused before it ran: the permit is as it was. */
const busy = (): RedeemAnswer => ({
  granted: false,
  permit: 'usable',
  error: providerThrottledError('redeem', BUSY_MS).toToolError(),
});

/** Longer than the function itself may take: an answer after this does not come. */
const REDEEM_TIMEOUT_MS = 30_000;

/** Creates a redeemer that never repeats a call by itself: a granted permit whose answer is lost is spent. */
export function lambdaRedeemer(
  functionName: string,
  /** Region, credentials and endpoint. Default: as the environment names them. */
  options: LambdaClientConfig = {},
): Redeemer & { close(): void } {
  // One client for the life of the redeemer: a new one pays for a TLS handshake with each redemption.
  let client: LambdaClient | undefined;
  return {
    close: () => client?.destroy(),
    async redeem(request): Promise<RedeemAnswer> {
      const [{ InvokeCommand, LambdaClient: Client }, { redeemAnswer }, { asStored }] = await Promise.all([
        import('@aws-sdk/client-lambda'),
        import('../../contract/execution.ts'),
        import('../../contract/stored.ts'),
      ]);
      client ??= new Client({ ...INVOKE_OPTIONS, ...options });
      const invoke = new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) });
      const answer = await client
        .send(invoke, { abortSignal: AbortSignal.timeout(REDEEM_TIMEOUT_MS) })
        .catch((cause: unknown) => {
          if (cause instanceof Error && cause.name === 'TooManyRequestsException') return undefined;
          throw cause;
        });
      if (!answer) return busy();
      const { Payload, FunctionError } = answer;
      if (FunctionError) throw new CountersignError('redeem_failed', 'the gate could not say whether the call may run');
      return asStored(redeemAnswer).parse(JSON.parse(Buffer.from(Payload ?? []).toString('utf8')));
    },
  };
}
