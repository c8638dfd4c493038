/**
 * Declares the CDK app of the demo: the gate, and agents that redeem permits and report runs.
 *
 * The gate is as it is deployed anywhere.
 */
import { Role } from 'aws-cdk-lib/aws-iam';
import { contextOf } from '../../../cdk/context.ts';
import { CountersignStack } from '../../../cdk/countersign-stack.ts';
import { leanApp } from '../gate/lean-app.ts';

const app = leanApp();
const stack = new CountersignStack(app, String(app.node.tryGetContext('stackName')), contextOf(app.node));
for (const child of stack.node.children)
  if (child instanceof Role && child.node.id.startsWith('AgentRole')) stack.gate.grantRedeem(child);
