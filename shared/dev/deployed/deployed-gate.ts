/**
 * Runs the gate of a user's CDK app on the local AWS endpoint, behind the local Slack.
 *
 * Writes an env file for each agent, operator and auditor of the app.
 */
import { randomBytes } from 'node:crypto';
import { type LocalSlack, startLocalSlack } from '../../../test/local/slack/server.ts';
import type { PolicyDocument } from '../../config/document.ts';
import { deployStack, type StackOutputs } from '../aws/deploy-stack.ts';
import { trust } from '../aws/endpoint.ts';
import { startMiniStack } from '../aws/start-ministack.ts';
import { makeEnvFolder } from '../env-files.ts';
import { workspaceOf } from '../workspace.ts';
import { connectSlack } from './connect-slack.ts';
import { filesOf } from './env-files-of.ts';
import { adaptAssembly, type LocalAssembly } from './local-assembly.ts';
import { ADDED } from './local-template.ts';

export interface DeployedGateOptions {
  readonly document: PolicyDocument;
  /** The command that runs the CDK app. */
  readonly app: string;
  /** Where the app runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The port of Slack's page; 0: any that is free. */
  readonly port: number;
  /** Where the env files go: a folder that this run makes and removes. */
  readonly envFolder: string;
  /** Told of each step that takes long. */
  readonly onProgress: (line: string) => void;
  /** Ends a start or a deployment that is under way: abort it before `stop`. */
  readonly signal: AbortSignal;
}

export interface DeployedGate {
  readonly page: string;
  readonly endpoint: string;
  /** Env files, as paths in the folder. */
  files(): readonly string[];
  /** Resources that the endpoint does not have: how many of each type. */
  readonly leftOut: readonly string[];
  /** Of the policy file that the app deploys, which need not be the one that was named. */
  readonly policyVersion: string;
  /** Runs the app again, and deploys what it changed. @throws EndpointError with the CDK's last words */
  redeploy(document: PolicyDocument): Promise<void>;
  /** Ends all of it, and removes the env files. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * @throws EndpointUnavailable if this machine cannot run the endpoint; EndpointError if the app does not synthesise or deploy; Error with
 * the code `EADDRINUSE` if the port is in use. Nothing is left of a start that failed.
 */
export async function startDeployedGate(options: DeployedGateOptions): Promise<DeployedGate> {
  const { document, app, cwd, env, port, envFolder, onProgress, signal } = options;
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  try {
    const folder = makeEnvFolder(envFolder);
    stops.push(folder.remove);
    const endpoint = await startMiniStack(env, { onProgress, signal });
    stops.push(() => endpoint.stop());
    let slack: LocalSlack | undefined;
    let slackAppId = '';
    const slackOf = async (appId: string): Promise<string> => {
      slackAppId = appId;
      slack ??= await startLocalSlack({
        ...workspaceOf(document.policy, appId, secrets),
        port,
        ca: String(trust(endpoint).ca ?? ''),
      });
      return slack.apiUrl;
    };
    let adapted: LocalAssembly | undefined;
    const deploy = async (): Promise<StackOutputs> =>
      deployStack(endpoint, {
        app,
        cwd,
        onProgress: short(onProgress),
        signal,
        adapt: async (assembly) => {
          adapted = await adaptAssembly(assembly, slackOf);
          onProgress(`deploying ${adapted.stacks.join(', ')}`);
          return adapted.stacks;
        },
      });
    onProgress(`running ${app}`);
    stops.push(async () => slack?.stop());
    const outputs = await deploy();
    if (!adapted || !slack) throw new Error('nothing was deployed');
    const started = slack;
    const own = outputs[adapted.gateStack] ?? {};
    await connectSlack(endpoint, started, {
      ...{ secrets, secretArn: own[ADDED.slackSecret] ?? '', requestUrl: own[ADDED.slackUrl] ?? '' },
    });
    const publish = async (deployed: StackOutputs, { gateStack, actors }: LocalAssembly) => {
      const files = await filesOf(endpoint, deployed, { gateStack, actors });
      folder.write(files);
      return Object.keys(files);
    };
    let files = await publish(outputs, adapted);
    let last: Promise<void> = Promise.resolve();
    stops.push(() => last.catch(() => undefined));
    return {
      page: started.url,
      endpoint: endpoint.url,
      files: () => files.map((name) => `${name}.env`),
      leftOut: adapted.leftOut,
      policyVersion: adapted.gate.policyVersion,
      redeploy(next) {
        last = (async () => {
          started.include(workspaceOf(next.policy, slackAppId, secrets));
          const again = await deploy();
          if (adapted) files = await publish(again, adapted);
        })();
        return last;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The CDK tells of each resource; one line for each stack is enough. */
const short = (onProgress: (line: string) => void) => (line: string) => {
  if (/^cdk \w+:.*(?:✅|❌)/.test(line))
    onProgress(line.replace(/^cdk (\w+):\s*/, '$1: ').replace(/\s*(?:✅|❌)\s*/, ' '));
};
