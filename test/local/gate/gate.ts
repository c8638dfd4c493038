/**
 * Runs the whole gate on this machine: an AWS endpoint with the deployed stack and a local Slack.
 *
 * Gives identities to agents and operators.
 */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { bundleFunctions } from '../../../cdk/bundle.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { stateFolderPrefix } from '../../../shared/dev/aws/leftovers.ts';
import { connectSlack } from '../../../shared/dev/deployed/connect-slack.ts';
import { roleKeys } from '../../../shared/dev/deployed/role-environment.ts';
import { Stops } from '../../../shared/dev/stops.ts';
import { workspaceOf } from '../../../shared/dev/workspace.ts';
import {
  childEnvironment,
  deployStack,
  type Endpoint,
  localFunctionUrl,
  startEndpoint,
  trust,
} from '../endpoint/index.ts';
import { type LocalSlack, startLocalSlack } from '../slack/server.ts';
import { deployDirectly } from './direct-deployment.ts';

interface LocalGateOptions {
  readonly policyFile: string;
  readonly stackName?: string;
  /** The command that runs the CDK app. Default: the gate's own. */
  readonly app?: string;
  /** Deploys this release without the CDK's command. Default: with it, as users do. */
  readonly isDirect?: boolean;
  /** The folder of another release, with its functions bundled, that is deployed first. Default: this one. */
  readonly release?: string;
  readonly onProgress?: (line: string) => void;
  readonly signal?: AbortSignal;
  readonly slackPort?: number;
  /** Where models are asked, instead of what the policy file says. */
  readonly llmBaseUrl?: string;
  /** Between two posts in one channel; default: Slack's own second. */
  readonly slackPostIntervalMs?: number;
  /** How long the app may take to answer a click; default: Slack's own three seconds. */
  readonly slackAckTimeoutMs?: number;
}

export interface LocalGate {
  readonly endpoint: Endpoint;
  readonly slack: LocalSlack;
  readonly outputs: GateOutputs;
  readonly appId: string;
  /** Deploys again, with another policy file or one that was deployed before, as it was then; or another release over the one that runs. */
  deploy(policyFile: string, release?: string): Promise<void>;
  /** An environment in which a process is this agent, operator or auditor, and nobody else. */
  environmentOf(role: 'Agent' | 'Operator' | 'Auditor', name?: string): Promise<Record<string, string>>;
  stop(): Promise<void>;
}

/** Names of the stack's outputs, as `cdk deploy` prints them. */
interface GateOutputs extends Readonly<Record<string, string>> {
  readonly Deployment: string;
  readonly ProposalsQueueUrl: string;
  readonly OperatorsQueueUrl: string;
  readonly AuditTable: string;
  readonly ArchiveBucket: string;
  readonly TextBucket: string;
  readonly DigestKeyArn: string;
  readonly ArchiveKeyArn: string;
  readonly StateTable: string;
  readonly CanaryFunction: string;
  readonly StateMachineArn: string;
  readonly SlackRequestUrl: string;
  readonly SlackSecretArn: string;
  /** A release before had one secret. */
  readonly SlackSigningSecretArn?: string;
}

const APP_ID = 'A0COUNTERSIGN';

export async function startLocalGate(options: LocalGateOptions): Promise<LocalGate> {
  const { policyFile, stackName = 'Countersign', app = 'node cdk/app.ts', signal } = options;
  const progress = options.onProgress ?? (() => undefined);
  const stops = new Stops();
  try {
    const bundling = options.release === undefined ? bundleFunctions() : Promise.resolve();
    bundling.catch(() => undefined);
    progress('starting the local AWS endpoint');
    const endpoint = await startEndpoint({ onProgress: progress, ...(signal ? { signal } : {}) });
    stops.add(() => endpoint.stop());
    const policy = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile).policy;
    const secrets = {
      signingSecret: randomBytes(16).toString('hex'),
      botToken: `xoxb-${randomBytes(12).toString('hex')}`,
    };
    const slack = await startLocalSlack({
      ...workspaceOf(policy, APP_ID, secrets),
      port: options.slackPort ?? 0,
      ...(options.slackPostIntervalMs === undefined ? {} : { postIntervalMs: options.slackPostIntervalMs }),
      ...(options.slackAckTimeoutMs === undefined ? {} : { ackTimeoutMs: options.slackAckTimeoutMs }),
      ca: String(trust(endpoint).ca ?? ''),
    });
    stops.add(() => slack.stop());
    progress('bundling the functions');
    await bundling;
    // Where a process that was killed left them, the next run takes them away.
    const assemblies = mkdtempSync(stateFolderPrefix(process.pid));
    stops.add(async () => rmSync(assemblies, { recursive: true, force: true }));
    const made = new Map<string, string>();
    const deploy = async (file: string, release = ''): Promise<GateOutputs> => {
      const key = JSON.stringify([file, release]);
      const assembly = join(assemblies, String(made.size));
      const context = {
        stackName,
        policyFile: file,
        slackAppId: APP_ID,
        slackApiUrl: slack.apiUrl,
        ...(options.llmBaseUrl ? { llmBaseUrl: options.llmBaseUrl } : {}),
        development: 'true',
        ...(endpoint.kind === 'given' ? { accountsAllowed: 'loopback' } : {}),
        // LocalStack's KMS has no Ed25519 keys, and an endpoint that the user brings is LocalStack as a rule.
        ...(endpoint.kind === 'ministack' ? {} : { archiveKey: 'p256' }),
      };
      const what = {
        app: made.get(key) ?? app,
        context,
        assembly,
        onProgress: progress,
        ...(signal ? { signal } : {}),
      };
      const deployed =
        options.isDirect && !release
          ? await deployDirectly(endpoint, { ...what, stack: stackName })
          : (await deployStack(endpoint, { ...what, ...(release ? { cwd: release } : {}), stacks: [stackName] }))[
              stackName
            ];
      if (!made.has(key)) made.set(key, assembly);
      return deployed as unknown as GateOutputs;
    };
    progress('deploying the stack');
    const outputs = await deploy(policyFile, options.release);
    await connectSlack(endpoint, slack, {
      ...{ secretArn: outputs.SlackSecretArn, signingSecretArn: outputs.SlackSigningSecretArn },
      ...{ requestUrl: outputs.SlackRequestUrl, secrets },
    });
    return {
      endpoint,
      slack,
      outputs,
      appId: APP_ID,
      deploy: async (file, release) => {
        await deploy(file, release);
      },
      environmentOf: (role, name = '') => environmentOf(endpoint, outputs, role, name),
      stop: () => stops.run(),
    };
  } catch (error) {
    await stops.run().catch(() => undefined);
    throw error;
  }
}

/** Assumes the role that the stack made for the name, as the agent's own process would on AWS. */
async function environmentOf(
  endpoint: Endpoint,
  outputs: GateOutputs,
  role: 'Agent' | 'Operator' | 'Auditor',
  name: string,
): Promise<Record<string, string>> {
  const arn = outputs[`${role}Role${name.replace(/[^A-Za-z0-9]/g, '')}Arn`];
  if (!arn) throw new Error(`the stack has no role for the ${role.toLowerCase()} ${name}`);
  const keys = await roleKeys(endpoint, arn, name || role);
  return {
    ...Object.fromEntries(
      Object.entries({ ...childEnvironment(endpoint), ...keys }).filter(
        (entry): entry is [string, string] => entry[1] !== undefined,
      ),
    ),
    COUNTERSIGN_DEPLOYMENT: outputs.Deployment,
    COUNTERSIGN_QUEUE_URL: outputs.ProposalsQueueUrl,
    COUNTERSIGN_OPERATORS_QUEUE_URL: outputs.OperatorsQueueUrl,
    COUNTERSIGN_AUDIT_TABLE: outputs.AuditTable,
    COUNTERSIGN_ARCHIVE_BUCKET: outputs.ArchiveBucket,
    COUNTERSIGN_TEXT_BUCKET: outputs.TextBucket,
    COUNTERSIGN_DIGEST_KEY: outputs.DigestKeyArn,
    COUNTERSIGN_ARCHIVE_KEY: outputs.ArchiveKeyArn,
    COUNTERSIGN_STATE_TABLE: outputs.StateTable,
    COUNTERSIGN_CANARY_FUNCTION: outputs.CanaryFunction,
    COUNTERSIGN_SLACK_REQUEST_URL: localFunctionUrl(endpoint, outputs.SlackRequestUrl),
    ...(role === 'Agent' ? { COUNTERSIGN_AGENT: name } : {}),
  };
}
