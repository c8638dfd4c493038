/** Makes the stack of `countersign dev`: a gate, and a role for each name of its policy file. */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { packageRoot } from './constructs/functions/package-root.ts';

const [policyFile = '', slackAppId = '', project = ''] = process.argv.slice(2);

// The CDK may be installed where this package does not find it.
const within = (folder: string, file: string) => pathToFileURL(join(folder, file)).href;
registerHooks({
  resolve: (specifier, context, next) =>
    /^(?:aws-cdk-lib|constructs)(?:\/|$)/.test(specifier) && context.parentURL?.startsWith(within(packageRoot(), ''))
      ? next(specifier, { ...context, parentURL: within(project, 'app.js') })
      : next(specifier, context),
});
const { App, RemovalPolicy } = await import('aws-cdk-lib');
const { AccountRootPrincipal, Role } = await import('aws-cdk-lib/aws-iam');
const { CountersignStack } = await import('./index.ts');
const { loadPolicy } = await import('../shared/config/index.ts');

const { agents, operators } = loadPolicy(readFileSync(policyFile, 'utf8'), policyFile).policy;
const namesIn = (all: Readonly<Record<string, { readonly senders: readonly unknown[] }>>, haveSenders: boolean) =>
  Object.keys(all).filter((name) => all[name] && all[name].senders.length > 0 === haveSenders);

const stack = new CountersignStack(new App(), 'Countersign', {
  policyFile,
  slackAppId,
  redeem: namesIn(agents, false),
  removalPolicy: RemovalPolicy.DESTROY,
});
// The stack makes no role for those that state a sender, whose roles are in another account than the endpoint's.
const roleOf = (id: string) => new Role(stack, id, { assumedBy: new AccountRootPrincipal() });
for (const [index, agent] of namesIn(agents, true).entries()) {
  const role = roleOf(`AgentOfSenders${index}`);
  stack.gate.grantPropose(role, agent);
  stack.gate.grantRedeem(role);
}
for (const [index, operator] of namesIn(operators, true).entries())
  stack.gate.grantOperate(roleOf(`OperatorOfSenders${index}`), operator);
