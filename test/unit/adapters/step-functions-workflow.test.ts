/** Checks how the workflow's adapter reads the answers to a task token. */
import { InvalidToken, type SFNClient, TaskDoesNotExist, TaskTimedOut } from '@aws-sdk/client-sfn';
import { expect, test } from 'vitest';
import { stepFunctionsWorkflow } from '../../../shared/adapters/step-functions/workflow.ts';

const said = { $metadata: {}, message: 'no' };

async function complete(answer: Error | undefined): Promise<{ readonly got: unknown; readonly heard: string[] }> {
  const send = async () => {
    if (answer) throw answer;
  };
  const heard: string[] = [];
  const workflow = stepFunctionsWorkflow({ send } as unknown as SFNClient, 'arn', ({ name }) => void heard.push(name));
  const got = await workflow.completeWait('token').catch((error: unknown) => error);
  return { got, heard };
}

test.each<[string, Error | undefined, string, string[]]>([
  ['nothing against it', undefined, 'woken', []],
  ['that it was answered', new TaskTimedOut(said), 'gone', []],
  ['that its task is gone', new TaskDoesNotExist(said), 'gone', []],
  ['that it never gave such a token', new InvalidToken(said), 'gone', ['InvalidToken']],
])('Step Functions says %s', async (_, answer, got, heard) => {
  expect(await complete(answer)).toEqual({ got, heard });
});

test.each([
  [undefined, { taskToken: 'token', error: 'AlreadyDecided' }],
  ['answered', { taskToken: 'token', error: 'AlreadyDecided' }],
  ['decided', { taskToken: 'token', output: '{"decided":true}' }],
] as const)('a wait that ends as %s says whether anything is left to decide', async (as, said) => {
  const inputs: unknown[] = [];
  const send = async ({ input }: { readonly input: unknown }) => void inputs.push(input);
  await stepFunctionsWorkflow({ send } as unknown as SFNClient, 'arn').completeWait('token', as);
  expect(inputs).toEqual([said]);
});

test('any other error is the caller’s to handle', async () => {
  const down = new Error('no network');
  expect(await complete(down)).toEqual({ got: down, heard: [] });
});
