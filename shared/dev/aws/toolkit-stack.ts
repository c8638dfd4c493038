// Creates the stack that the CDK wants in an account before it deploys anything there.
import { readFile } from 'node:fs/promises';
import {
  CloudFormationClient,
  CreateStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
} from '@aws-sdk/client-cloudformation';
import { type CdkOptions, cdkFile } from './cdk-command.ts';
import { clientConfig, type Endpoint } from './endpoint.ts';
import { EndpointError } from './errors.ts';

const TOOLKIT_STACK = 'CDKToolkit';
const CREATE_TIMEOUT_SECONDS = 120;

/**
 * Creates the stack of `cdk bootstrap` from the same template, once; the command itself takes two seconds of processor time.
 * @throws EndpointError if it is not created
 */
export async function bootstrap(endpoint: Endpoint, { cwd, project = cwd, signal }: CdkOptions): Promise<void> {
  if (await stackStatus(endpoint, TOOLKIT_STACK)) return;
  const template = cdkFile('lib/api/bootstrap/bootstrap-template.yaml', project);
  const client = new CloudFormationClient(clientConfig(endpoint));
  const options = signal ? { abortSignal: signal } : {};
  try {
    const stack = {
      StackName: TOOLKIT_STACK,
      TemplateBody: await readFile(template, 'utf8'),
      Capabilities: ['CAPABILITY_NAMED_IAM' as const],
      // The command's own choice; all else has a default.
      Parameters: [{ ParameterKey: 'FileAssetsBucketKmsKeyId', ParameterValue: 'AWS_MANAGED_KEY' }],
    };
    await client.send(new CreateStackCommand(stack), options);
    await waitUntilStackCreateComplete(
      { client, maxWaitTime: CREATE_TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1, ...options },
      { StackName: TOOLKIT_STACK },
    );
  } catch (error) {
    signal?.throwIfAborted();
    throw new EndpointError(`the stack ${TOOLKIT_STACK} was not created: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    client.destroy();
  }
}

/** Undefined where there is no such stack. */
export async function stackStatus(endpoint: Endpoint, stack: string): Promise<string | undefined> {
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    const { Stacks } = await client.send(new DescribeStacksCommand({ StackName: stack }));
    return Stacks?.[0]?.StackStatus;
  } catch (error) {
    if (error instanceof Error && /does not exist/.test(error.message)) return undefined;
    throw error;
  } finally {
    client.destroy();
  }
}
