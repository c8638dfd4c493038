/** Calls permission hooks that are Lambda functions, and waits for their answers. */
import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import { HookError } from './http.ts';

export async function invokeHook(
  client: LambdaClient,
  name: string,
  body: string,
  signal: AbortSignal,
): Promise<string> {
  const command = new InvokeCommand({ FunctionName: name, InvocationType: 'RequestResponse', Payload: body });
  const { FunctionError, Payload } = await client.send(command, { abortSignal: signal });
  if (FunctionError !== undefined) throw new HookError('hook_failed', 'the function of the hook failed');
  return Buffer.from(Payload ?? []).toString('utf8');
}
