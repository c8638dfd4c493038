/** Checks how the redrive function is invoked, and what counts as its answer. */
import type { LambdaClient } from '@aws-sdk/client-lambda';
import { expect, test } from 'vitest';
import { lambdaDeadLetters } from '../../../shared/adapters/lambda/dead-letters.ts';
import { redriveRequest } from '../../../shared/contract/redrive.ts';

type Sent = { readonly input: { readonly FunctionName: string; readonly Payload: Uint8Array } };

function answering(answer: object | string, FunctionError?: string) {
  const sent: Sent[] = [];
  const send = async (command: Sent, options: { readonly abortSignal: AbortSignal }) => {
    expect(options.abortSignal).toBeInstanceOf(AbortSignal);
    sent.push(command);
    return { Payload: Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)), FunctionError };
  };
  return { sent, letters: lambdaDeadLetters({ send } as unknown as LambdaClient, 'redrive-function') };
}

test('asks for so many of one queue, within a time that is shorter than the caller has', async () => {
  const { sent, letters } = answering({ moved: 3, left: ['m4'] });
  expect(await letters.redrive('webhooks', 7)).toEqual({ moved: 3, left: ['m4'] });
  const [{ FunctionName, Payload } = { FunctionName: '', Payload: new Uint8Array() }] = sent.map(({ input }) => input);
  expect(FunctionName).toBe('redrive-function');
  const request = redriveRequest.parse(JSON.parse(Buffer.from(Payload).toString('utf8')));
  expect(request).toEqual({ queue: 'webhooks', limit: 7, withinMs: 10_000 });
});

test.each([
  ['a fault of the function', { errorMessage: 'AKIA-secret' }, 'Unhandled'],
  ['no figures', {}, undefined],
  ['no JSON', 'oops', undefined],
  ['nothing', '', undefined],
])('%s is an error, so that the operation comes again', async (_, answer, fault) => {
  const asked = answering(answer, fault).letters.redrive('cards', 1);
  await expect(asked).rejects.toThrow();
  await asked.catch((error: Error) => expect(error.message).not.toContain('AKIA'));
});
