/**
 * Deploys the gate of this worker when its first test needs it.
 *
 * Every file of the worker uses the same one; another worker has its own. The endpoint ends when the process that started it does, however that
 * ends, and the gate with it.
 */
import { fileURLToPath } from 'node:url';
import {
  CloudFormationClient,
  DescribeStackResourcesCommand,
  type StackResource,
} from '@aws-sdk/client-cloudformation';
import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { IAMClient } from '@aws-sdk/client-iam';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { CreateSecretCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { SFNClient } from '@aws-sdk/client-sfn';
import { SQSClient } from '@aws-sdk/client-sqs';
import { clientConfig } from '../local/endpoint/index.ts';
import { type LocalGate, startLocalGate } from '../local/gate/gate.ts';
import { type AnthropicServer, startAnthropicServer } from '../local/models/anthropic.ts';
import { type BedrockServer, startBedrockServer } from '../local/models/bedrock.ts';
import { obedient, obedientOnBedrock } from './harness/model.ts';
import { startModelFront } from './harness/model-front.ts';
import { startToolServer, type ToolServer } from './harness/tool-server.ts';

/** The secret that the policy file names for its models. */
export const MODEL_KEY = 'e2e-model-key';

export const STACK = 'E2e';
export const POLICY = fileURLToPath(new URL('./policy.yaml', import.meta.url));
export const LATER_POLICY = fileURLToPath(new URL('./policy-later.yaml', import.meta.url));

export interface E2eGate extends LocalGate {
  /** The account's root: looks at what nobody else may, and breaks what the tests want broken. */
  readonly root: Root;
  /** The models of agent policies, with the questions that they were asked. */
  readonly model: AnthropicServer;
  /** The models of Bedrock, likewise. */
  readonly bedrock: BedrockServer;
  /** Where tools of the policy file run. */
  readonly tools: ToolServer;
  /** The policy file as it is deployed. */
  readonly policyFile: string;
  /** All that the last deployment made, asked for once: each look for a row, a queue or a function would ask again. */
  resources(): Promise<readonly StackResource[]>;
}

type Root = ReturnType<typeof rootOf>;

/** Modules are loaded anew for each file, the process stays. */
const shared = globalThis as { countersignE2eGate?: Promise<E2eGate> };

export function e2eGate(): Promise<E2eGate> {
  return e2eGateWith(POLICY);
}

/** For programs with a policy of their own, which act through the harness: the first call of a process decides. */
export function e2eGateWith(policy: string): Promise<E2eGate> {
  shared.countersignE2eGate ??= start(policy);
  return shared.countersignE2eGate;
}

async function start(policy: string): Promise<E2eGate> {
  const verbose = process.env['COUNTERSIGN_E2E_PROGRESS'];
  const [model, bedrock] = [await startAnthropicServer(obedient), await startBedrockServer(obedientOnBedrock)];
  const models = await startModelFront({ '/v1/': model.url, '/model/': bedrock.url });
  const tools = await startToolServer();
  const policyFile = tools.withAddress(policy);
  const gate = await startLocalGate({
    policyFile,
    llmBaseUrl: models.url,
    stackName: STACK,
    app: 'node test/e2e/app.ts',
    isDirect: true,
    // Slack's second between two posts is kept where a test is about it: hundreds of cards would wait for it.
    slackPostIntervalMs: 20,
    // A cold start on a busy machine is slower than Slack's patience; what comes of that is tested on the local Slack itself.
    slackAckTimeoutMs: 12_000,
    ...(verbose ? { onProgress: (line: string) => process.stderr.write(`${line}\n`) } : {}),
  });
  const root = rootOf(gate);
  await root.secrets.send(new CreateSecretCommand({ Name: MODEL_KEY, SecretString: 'sk-local' }));
  let described: Promise<readonly StackResource[]> | undefined;
  const describe = async () => {
    const { StackResources = [] } = await root.cloudformation.send(
      new DescribeStackResourcesCommand({ StackName: STACK }),
    );
    return StackResources;
  };
  const resources = async () => {
    described ??= describe();
    try {
      return await described;
    } catch (error) {
      described = undefined;
      throw error;
    }
  };
  const deploy: LocalGate['deploy'] = async (...what) => {
    try {
      await gate.deploy(...what);
    } finally {
      described = undefined;
    }
  };
  return { ...gate, deploy, resources, root, model, bedrock, tools, policyFile };
}

function rootOf({ endpoint }: LocalGate) {
  const config = clientConfig(endpoint);
  return {
    cloudformation: new CloudFormationClient(config),
    dynamodb: new DynamoDBClient(config),
    sqs: new SQSClient(config),
    sfn: new SFNClient(config),
    lambda: new LambdaClient(config),
    secrets: new SecretsManagerClient(config),
    iam: new IAMClient(config),
    logs: new CloudWatchLogsClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
  };
}
