/**
 * Declares the stack that the end-to-end tests deploy.
 *
 * Holds the gate, and an agent that takes its decisions from a queue of its own.
 */
import { CfnOutput } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Code, Function as LambdaFunction, Runtime } from 'aws-cdk-lib/aws-lambda';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { contextOf } from '../../cdk/context.ts';
import { CountersignStack } from '../../cdk/countersign-stack.ts';
import { leanApp } from '../local/gate/lean-app.ts';

const app = leanApp();
const stack = new CountersignStack(app, String(app.node.tryGetContext('stackName')), {
  ...contextOf(app.node),
  // This agent runs its tools under the gate's own permits.
  redeem: ['coder'],
});
const replies = new Queue(stack, 'Replies', { enforceSSL: true });
const listener = new Role(stack, 'Listener', { assumedBy: new AccountRootPrincipal() });
stack.gate.grantPropose(listener, 'replier', { replyQueue: replies });
replies.grantConsumeMessages(listener);
new CfnOutput(stack, 'AgentRolelistenerArn', { value: listener.roleArn });
new CfnOutput(stack, 'RepliesQueueUrl', { value: replies.queueUrl });

/** A permission hook (R4-156) that does what the command says; of one with a secret it says whether it was told it (D54). */
const HOOK = `
exports.handler = async ({ tool_input: { command = '' } = {}, cwd, cwd_outside_project = false }) => {
  if (command.includes('hook-told'))
    return { decision: 'deny', reason: [command.includes('hunter2') ? 'told it' : 'not told', cwd, cwd_outside_project].join(' ') };
  if (command.includes('hook-throws')) throw new Error('the hook fails');
  if (command.includes('hook-junk')) return { decision: 'yes' };
  if (command.includes('hook-denies')) return { decision: 'deny', reason: 'not on this machine' };
  return command.includes('hook-allows') ? { decision: 'allow', reason: 'known job' } : {};
};`;
new LambdaFunction(stack, 'Hook', {
  functionName: 'countersign-e2e-hook',
  runtime: Runtime.NODEJS_24_X,
  handler: 'index.handler',
  code: Code.fromInline(HOOK),
});
