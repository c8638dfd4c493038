/**
 * `cdk deploy`: the gate with the policy file beside it.
 * Settings come as context: `-c slackAppId=A0123 -c policyFile=…`.
 */
import { App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import { contextOf, STACK_NAME } from './context.ts';
import { CountersignStack } from './countersign-stack.ts';
import { explainFindings } from './nag-findings.ts';

const app = new App();
const stack = new CountersignStack(
  app,
  String(app.node.tryGetContext(STACK_NAME) ?? 'Countersign'),
  contextOf(app.node),
);
Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
explainFindings(stack.gate);
