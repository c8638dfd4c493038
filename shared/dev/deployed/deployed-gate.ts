/**
 * Runs the default stack, or the gate of the user's CDK app, on the local AWS endpoint.
 *
 * Connects the local Slack, writes an env file for each agent, operator and auditor, and tells each decision.
 */
import { randomBytes } from 'node:crypto';
import { type LocalSlack, startLocalSlack } from '../../../test/local/slack/server.ts';
import type { PolicyDocument } from '../../config/document.ts';
import { cardNamesOf } from '../../config/readers/card-names.ts';
import { deployStack, type StackOutputs } from '../aws/deploy-stack.ts';
import { trust } from '../aws/endpoint.ts';
import { startMiniStack } from '../aws/start-ministack.ts';
import { makeEnvFolder } from '../env-files.ts';
import { Stops } from '../stops.ts';
import { workspaceOf } from '../workspace.ts';
import { connectSlack } from './connect-slack.ts';
import { type AppOptions, appOf } from './default-app.ts';
import { filesOf } from './env-files-of.ts';
import { adaptAssembly, type LocalAssembly } from './local-assembly.ts';
import { ADDED } from './local-template.ts';
import { tellDecisions } from './tell-decisions.ts';

export interface DeployedGateOptions extends AppOptions {
  readonly document: PolicyDocument;
  /** The port of Slack's page; 0: any that is free. */
  readonly port: number;
  /** Where the env files go: a folder that this run makes and removes. */
  readonly envFolder: string;
}

export interface DeployedGate {
  readonly page: string;
  readonly endpoint: string;
  /** Env files, as paths in the folder. */
  files(): readonly string[];
  /** Resources that the endpoint does not have: how many of each type. */
  readonly leftOut: readonly string[];
  /** The version of the policy file that the app deploys, which need not be the one that was named. */
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
  const { document, env, port, envFolder, tell, signal } = options;
  const stops = new Stops();
  const secrets = {
    signingSecret: randomBytes(16).toString('hex'),
    botToken: `xoxb-${randomBytes(12).toString('hex')}`,
  };
  try {
    const folder = makeEnvFolder(envFolder);
    stops.add(folder.remove);
    const endpoint = await startMiniStack(env, { onProgress: tell, signal });
    stops.add(() => endpoint.stop());
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
    const app = await appOf(options, (step) => stops.add(step));
    let adapted: LocalAssembly | undefined;
    const deploy = async (): Promise<StackOutputs> =>
      deployStack(endpoint, {
        ...app,
        onProgress: short(tell),
        signal,
        adapt: async (assembly) => {
          adapted = await adaptAssembly(assembly, slackOf);
          tell(`deploying ${adapted.stacks.join(', ')}`);
          return adapted.stacks;
        },
      });
    tell(options.app === undefined ? 'making the default stack' : `running ${options.app}`);
    stops.add(async () => slack?.stop());
    const outputs = await deploy();
    if (!adapted || !slack) throw new Error('nothing was deployed');
    const started = slack;
    const own = outputs[adapted.gateStack] ?? {};
    await connectSlack(endpoint, started, {
      ...{ secrets, secretArn: own[ADDED.slackSecret] ?? '', requestUrl: own[ADDED.slackUrl] ?? '' },
      signingSecretArn: own[ADDED.slackSigningSecret],
    });
    const publish = async (deployed: StackOutputs, { gateStack, actors }: LocalAssembly) => {
      const files = await filesOf(endpoint, deployed, { gateStack, actors });
      folder.write(files);
      return Object.keys(files);
    };
    let files = await publish(outputs, adapted);
    let current = document;
    const names = () => cardNamesOf(current);
    let last: Promise<void> = Promise.resolve();
    stops.add(() => last.catch(() => undefined));
    stops.add(tellDecisions(endpoint, own, { agents: () => Object.keys(current.policy.agents), names }, tell));
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
          current = next;
        })();
        return last;
      },
      stop: () => stops.run(),
    };
  } catch (error) {
    // The reason of the failure is worth more than that of an end.
    await stops.run().catch(() => undefined);
    throw error;
  }
}

/** The CDK tells of each resource; one line for each stack is enough. */
const short = (onProgress: (line: string) => void) => (line: string) => {
  if (/^cdk \w+:.*(?:✅|❌)/.test(line))
    onProgress(line.replace(/^cdk (\w+):\s*/, '$1: ').replace(/\s*(?:✅|❌)\s*/, ' '));
};
