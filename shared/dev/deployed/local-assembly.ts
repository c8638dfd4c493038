/** Changes the templates of a CDK assembly for the local endpoint, and names the stacks to deploy. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACCOUNT, REGION } from '../aws/endpoint.ts';
import { EndpointError } from '../aws/errors.ts';
import type { Actor } from './actor-roles.ts';
import { type FoundGate, localTemplate } from './local-template.ts';
import type { Template } from './template.ts';

/** An actor, with the stack whose outputs tell of its role. */
interface ActorOfStack extends Actor {
  readonly stack: string;
}

export interface LocalAssembly {
  readonly gate: FoundGate;
  readonly gateStack: string;
  readonly actors: readonly ActorOfStack[];
  readonly leftOut: readonly string[];
  /** Ids by which the CDK's command line knows the stacks. */
  readonly stacks: readonly string[];
}

interface Artifact {
  readonly type: string;
  readonly displayName?: string;
  /** `aws://111122223333/eu-west-1`; `unknown-account` and `unknown-region` where the stack states none. */
  readonly environment?: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly stackName?: string;
    readonly directoryName?: string;
  };
}

interface StackFile {
  readonly id: string;
  readonly name: string;
  readonly file: string;
  readonly environment: string;
}

/**
 * @param slackApiUrl of the local Slack, by the app's id at Slack
 * @throws EndpointError unless the app has one gate, and its stacks are where the endpoint is
 */
export async function adaptAssembly(
  assembly: string,
  slackApiUrl: (slackAppId: string) => Promise<string>,
): Promise<LocalAssembly> {
  const read = stacksIn(assembly).map((stack) => ({ ...stack, text: templateIn(stack.file) }));
  const withGate = read.flatMap((stack) => {
    const { gate } = localTemplate(stack.text, '');
    return gate ? [{ stack, gate }] : [];
  });
  const [first, ...others] = withGate;
  if (!first) throw new EndpointError('no stack of the app holds a Countersign construct');
  if (others.length)
    throw new EndpointError(
      `the app has several gates (${withGate.map(({ stack }) => stack.id).join(', ')}): give an app that has one`,
    );
  const url = await slackApiUrl(first.gate.slackAppId);
  const changed = read.flatMap((stack) => {
    const local = localTemplate(stack.text, url);
    return local.gate || local.actors.length ? [{ stack, local }] : [];
  });
  for (const { stack } of changed) refuseElsewhere(stack);
  for (const { stack, local } of changed) writeFileSync(stack.file, JSON.stringify(local.template));
  return {
    gate: first.gate,
    gateStack: first.stack.name,
    actors: changed.flatMap(({ stack, local }) => local.actors.map((actor) => ({ ...actor, stack: stack.name }))),
    leftOut: [...new Set(changed.flatMap(({ local }) => local.leftOut))],
    stacks: changed.map(({ stack }) => stack.id),
  };
}

/** The CDK would find no bootstrap there, and ask for one: with the credentials of an account. @throws EndpointError */
function refuseElsewhere({ id, environment }: StackFile): void {
  const [, account, region] = /^aws:\/\/([^/]+)\/(.+)$/.exec(environment) ?? [];
  const refuse = (what: string, variable: string, here: string): never => {
    throw new EndpointError(`the stack ${id} names the ${what}: take it from ${variable}, which is ${here} here`);
  };
  if (account && account !== ACCOUNT && account !== 'unknown-account')
    refuse(`account ${account}`, 'CDK_DEFAULT_ACCOUNT', ACCOUNT);
  if (region && region !== REGION && region !== 'unknown-region')
    refuse(`region ${region}`, 'CDK_DEFAULT_REGION', REGION);
}

/** A stack may be empty. */
const templateIn = (file: string): Template =>
  ({ Resources: {}, ...JSON.parse(readFileSync(file, 'utf8')) }) as Template;

/** Stacks of stages are in assemblies of their own. */
function stacksIn(folder: string): readonly StackFile[] {
  const { artifacts = {} } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8')) as {
    readonly artifacts?: Readonly<Record<string, Artifact>>;
  };
  return Object.entries(artifacts).flatMap(([id, { type, displayName = id, environment = '', properties = {} }]) => {
    const { templateFile, stackName = id, directoryName } = properties;
    if (type === 'cdk:cloud-assembly' && directoryName) return stacksIn(join(folder, directoryName));
    if (type !== 'aws:cloudformation:stack' || !templateFile) return [];
    return [{ id: displayName, name: stackName, file: join(folder, templateFile), environment }];
  });
}
