import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Resumer } from '../../ports/workflow.ts';

/** Asynchronous: Lambda tries twice more by itself, and the reconciler comes again in a minute. */
export function lambdaResumer(client: LambdaClient, functionName: string): Resumer {
  return {
    async resume(pid) {
      const Payload = Buffer.from(JSON.stringify({ pid }));
      await client.send(new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload }));
    },
  };
}
