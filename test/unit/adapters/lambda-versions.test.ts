/** Checks which versions of functions take the calls, and that a refusal stands for none of them. */
import { type LambdaClient, ResourceNotFoundException } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { versionsOf } from '../../../shared/adapters/lambda/versions.ts';

const refusal = Object.assign(new Error('not authorized to perform: lambda:GetAlias'), {
  name: 'AccessDeniedException',
});
const missing = new ResourceNotFoundException({ $metadata: {}, Message: 'none', message: 'none' });

/** Functions are called as the gate calls them; each answer for an alias is this error. */
const clientWith = (onAlias: Error): LambdaClient => {
  const send = async ({ input }: { readonly input: { readonly FunctionName: string; readonly Name?: string } }) => {
    if (input.Name !== undefined) throw onAlias;
    return { Environment: { Variables: { GATE_FUNCTION: input.FunctionName, COUNTERSIGN_VERSION: '0.1.0' } } };
  };
  return { send } as unknown as LambdaClient;
};

test('only an alias that is not there makes the newest code of an entrance the one that runs', async () => {
  expect(await versionsOf(clientWith(missing), ['evaluate'])).toMatchObject([{ name: 'evaluate', version: '0.1.0' }]);
  await expect(versionsOf(clientWith(refusal), ['evaluate'])).rejects.toThrow('lambda:GetAlias');
});

test('nobody asks for the alias of a function that can have none', async () => {
  expect(await versionsOf(clientWith(refusal), ['reconcile'])).toMatchObject([{ name: 'reconcile' }]);
});
