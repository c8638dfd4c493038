/** Deploys the gate as a stack of its own, with roles for agents and operators without a sender. */
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { Role } from 'aws-cdk-lib/aws-iam';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import {
  AGENT_VARIABLE,
  CLIENT_SETTINGS,
  REDEEMING_SETTINGS,
  STACK_SETTINGS,
} from '../shared/domain/aws/stack-settings.ts';
import { consoleOf } from './console.ts';
import { Countersign, type CountersignProps } from './constructs/countersign.ts';
import { internalsOf } from './constructs/internals.ts';
import { checkStackProps } from './stack-props.ts';
import { checkSize } from './stack-size.ts';
import { checkTrust, idsOf, type RoleKind, type TrustProps, trustOf } from './trust.ts';

/** Settings of `CountersignStack`. */
export interface CountersignStackProps extends StackProps, CountersignProps, TrustProps {
  /** Instead of `alarmTopic`, for a topic that is there already. */
  readonly alarmTopicArn?: string;
  /** Instead of `alarmTopics`, for topics that are there already. */
  readonly alarmTopicArns?: { readonly page: string; readonly ticket: string };
  /** Instead of `eventBus`: a bus of this account by its name, `log` or `none`. */
  readonly eventBusName?: string;
  /** Instead of `archiveRetention`: in days. */
  readonly archiveRetentionDays?: number;
  /** Instead of `archiveCopy`, for a bucket that is there already. */
  readonly archiveCopyArn?: string;
  /**
   * Agents of the stack's own roles that redeem the permits of their tools, so that the guardrails hold for them: `['billing']`.
   * Default: none.
   */
  readonly redeem?: readonly string[];
}

/**
 * The gate as a stack of its own, with a role for each agent and operator of the policy file that names no sender.
 *
 * @example
 * console.log(new CountersignStack(stack, 'Countersign', { policyFile: 'countersign.yaml', slackAppId: 'A0123ABCD' }).gate.deployment);
 */
export class CountersignStack extends Stack {
  readonly gate: Countersign;

  constructor(scope: Construct, id: string, props: CountersignStackProps) {
    checkStackProps(props);
    super(scope, id, props);
    const { archiveCopyArn, eventBusName, deployment = this.stackName } = props;
    const days = props.archiveRetentionDays;
    const archive = days === undefined ? {} : { archiveRetention: Duration.days(days) };
    const copy = archiveCopyArn ? { archiveCopy: Bucket.fromBucketArn(this, 'ArchiveCopy', archiveCopyArn) } : {};
    const bus = eventBusName === undefined ? {} : { eventBus: busOf(this, eventBusName) };
    this.gate = new Countersign(this, 'Gate', {
      ...props,
      ...this.topics(props),
      ...bus,
      ...archive,
      ...copy,
      deployment,
    });
    const { agents, operators } = internalsOf(this.gate).policy.policy;
    const names = { Agent: withoutSenders(agents), Operator: withoutSenders(operators) };
    checkTrust(props, names);
    const { redeem = [] } = props;
    for (const name of redeem)
      if (!names.Agent.includes(name)) throw new Error(`redeem: the stack makes no role for an agent named ${name}`);
    for (const [agent, id] of idsOf(names.Agent)) {
      const role = this.roleFor('Agent', agent, id, props);
      this.gate.grantPropose(role, agent);
      if (redeem.includes(agent)) this.gate.grantRedeem(role);
    }
    for (const [operator, id] of idsOf(names.Operator))
      this.gate.grantOperate(this.roleFor('Operator', operator, id, props), operator);
    this.gate.grantAudit(this.roleFor('Auditor', '', '', props));
    const values = this.outputs();
    for (const [agent, id] of idsOf(Object.keys(agents))) this.environmentOf(agent, id, redeem.includes(agent), values);
    checkSize(this, Object.keys(agents).length);
  }

  private topics({ alarmTopicArn, alarmTopicArns: arns }: CountersignStackProps): Partial<CountersignProps> {
    if (alarmTopicArn && arns) throw new Error('alarmTopicArn: is given beside alarmTopicArns');
    const topic = (name: string, arn: string) => Topic.fromTopicArn(this, `${name}Topic`, arn);
    if (arns) return { alarmTopics: { page: topic('Page', arns.page), ticket: topic('Ticket', arns.ticket) } };
    return alarmTopicArn ? { alarmTopic: topic('Alarm', alarmTopicArn) } : {};
  }

  /** A process that assumes the role acts under this name. */
  private roleFor(kind: RoleKind, name: string, idOfName: string, props: TrustProps): Role {
    const id = `${kind}Role${idOfName}`;
    const role = new Role(this, id, {
      assumedBy: trustOf(this, kind, name, props),
      description: `Acts as the ${kind.toLowerCase()} ${name} of the gate ${this.gate.deployment}`.replace('  ', ' '),
    });
    new CfnOutput(this, `${id}Arn`, { value: role.roleArn });
    return role;
  }

  /** The variables of an agent's client, one a line as `node --env-file` takes them. */
  private environmentOf(agent: string, id: string, redeems: boolean, values: Readonly<Record<string, string>>): void {
    const settings = [...CLIENT_SETTINGS, ...(redeems ? REDEEMING_SETTINGS : [])].map((name) => STACK_SETTINGS[name]);
    const lines = settings.map(({ variable, output }) => `${variable}=${values[output]}`);
    const value = [`${AGENT_VARIABLE}=${agent}`, ...lines].join('\n');
    new CfnOutput(this, `AgentEnvironment${id}`, { value });
  }

  private outputs(): Readonly<Record<string, string>> {
    const { deployment, slackUrl, slackSecret, slackSigningSecret } = this.gate;
    const { queues, tables, record, workflow, functions, inputs, digestKey } = internalsOf(this.gate);
    const values = {
      Deployment: deployment,
      ProposalsQueueUrl: queues.proposals.queueUrl,
      OperatorsQueueUrl: queues.operators.queueUrl,
      ExecutionsQueueUrl: queues.executions.queueUrl,
      OutcomesQueueUrl: queues.outcomes.queueUrl,
      RedeemFunction: functions.redeem.calleeName,
      CanaryFunction: functions.canary.function.functionName,
      AuditTable: tables.audit.tableName,
      ArchiveBucket: record.bucket.bucketName,
      ArchiveKeyArn: record.signingKey.keyArn,
      TextBucket: inputs.bucketName,
      DigestKeyArn: digestKey.secretArn,
      StateTable: tables.state.tableName,
      StateMachineArn: workflow.stateMachine.stateMachineArn,
      SlackRequestUrl: slackUrl.url,
      SlackSecretArn: slackSecret.secretArn,
      SlackSigningSecretArn: slackSigningSecret.secretArn,
    };
    const looked = {
      DashboardUrl: `https://${consoleOf(this.region)}/cloudwatch/home?region=${this.region}#dashboards/dashboard/${this.gate.dashboard.dashboardName}`,
      ...Object.fromEntries(queues.dead.map((queue) => [`${queue.node.id}QueueUrl`, queue.queueUrl])),
    };
    for (const [name, value] of Object.entries({ ...values, ...looked })) new CfnOutput(this, name, { value });
    return values;
  }
}

const withoutSenders = (declared: Readonly<Record<string, { readonly senders: readonly unknown[] }>>): string[] =>
  Object.keys(declared).filter((name) => !declared[name]?.senders.length);

const busOf = (scope: Construct, name: string): IEventBus | 'log' | 'none' =>
  name === 'log' || name === 'none' ? name : EventBus.fromEventBusName(scope, 'EventBus', name);
