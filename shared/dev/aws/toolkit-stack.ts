// Creates the stack that the CDK wants in an account, and removes stacks that failed.
import { readFile } from 'node:fs/promises';
import {
  AlreadyExistsException,
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
  waitUntilStackCreateComplete,
  waitUntilStackDeleteComplete,
} from '@aws-sdk/client-cloudformation';
import { type CdkOptions, cdkFile } from './cdk-command.ts';
import { clientConfig, type Endpoint } from './endpoint.ts';
import { EndpointError } from './errors.ts';

const TOOLKIT_STACK = 'CDKToolkit';
const CREATE_TIMEOUT_SECONDS = 120;
const DELETE_TIMEOUT_SECONDS = 60;

/**
 * Creates the stack of `cdk bootstrap` from the same template, once; the command itself takes two seconds of processor time. One whose creation
 * failed is created anew, and one that another process is creating is waited for.
 * @throws EndpointError if it is not created
 */
export async function bootstrap(endpoint: Endpoint, { cwd, project = cwd, signal }: CdkOptions): Promise<void> {
  const status = await removeIfFailed(endpoint, TOOLKIT_STACK);
  if (status !== undefined && status !== 'CREATE_IN_PROGRESS') return;
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
    if (status === undefined) await client.send(new CreateStackCommand(stack), options).catch(unlessAlreadyThere);
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

/** Another process began between the look and the request. */
function unlessAlreadyThere(error: unknown): void {
  if (!(error instanceof AlreadyExistsException)) throw error;
}

/** Deletes a stack whose first deployment failed, which can only be deleted (CloudFormation: ROLLBACK_COMPLETE). Returns the status of one that stays. */
export async function removeIfFailed(endpoint: Endpoint, stack: string): Promise<string | undefined> {
  const status = await stackStatus(endpoint, stack);
  if (status !== 'ROLLBACK_COMPLETE' && status !== 'ROLLBACK_FAILED' && status !== 'CREATE_FAILED') return status;
  const client = new CloudFormationClient(clientConfig(endpoint));
  try {
    await client.send(new DeleteStackCommand({ StackName: stack }));
    await waitUntilStackDeleteComplete(
      { client, maxWaitTime: DELETE_TIMEOUT_SECONDS, minDelay: 1, maxDelay: 1 },
      { StackName: stack },
    );
  } finally {
    client.destroy();
  }
  return undefined;
}

/** Undefined where there is no such stack. */
async function stackStatus(endpoint: Endpoint, stack: string): Promise<string | undefined> {
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
