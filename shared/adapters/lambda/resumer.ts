/** Has approvals decided by asynchronous calls of a Lambda function. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import type { Resumer } from '../../ports/workflow.ts';

/** `beside`: not by the approval's execution, which waits on until it is told that nothing is left to do. */
export interface ResumeEvent {
  readonly pid: string;
  readonly beside?: true;
}

/** Asynchronous: Lambda tries twice more by itself, and the reconciler comes again in a minute. `client` may ask again: two calls are as one. */
export function lambdaResumer(client: LambdaClient, functionName: string): Resumer {
  return {
    async resume(pid) {
      const Payload = Buffer.from(JSON.stringify({ pid, beside: true } satisfies ResumeEvent));
      const invoke = new InvokeCommand({ FunctionName: functionName, InvocationType: 'Event', Payload });
      await client.send(invoke);
    },
  };
}
