/** The stack that the end-to-end tests deploy: the gate's own, and an agent that takes its decisions from a queue of its own. */
import { App, CfnOutput } from 'aws-cdk-lib';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { contextOf } from '../../cdk/context.ts';
import { CountersignStack } from '../../cdk/countersign-stack.ts';

const app = new App();
const stack = new CountersignStack(app, String(app.node.tryGetContext('stackName')), contextOf(app.node));
const replies = new Queue(stack, 'Replies', { enforceSSL: true });
const listener = new Role(stack, 'Listener', { assumedBy: new AccountRootPrincipal() });
stack.gate.grantPropose(listener, 'replier', { replyQueue: replies });
replies.grantConsumeMessages(listener);
new CfnOutput(stack, 'AgentRolelistenerArn', { value: listener.roleArn });
new CfnOutput(stack, 'RepliesQueueUrl', { value: replies.queueUrl });
