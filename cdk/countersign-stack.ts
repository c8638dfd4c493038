/** The gate as a stack of its own, with a role for each agent and operator of the policy file that names no sender. */
import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import { EventBus, type IEventBus } from 'aws-cdk-lib/aws-events';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Construct } from 'constructs';
import { Countersign, type CountersignProps } from './constructs/countersign.ts';

export interface CountersignStackProps extends StackProps, CountersignProps {
  /** Instead of `alarmTopic`, for a topic that is there already. */
  readonly alarmTopicArn?: string;
  /** Instead of `eventBus`: a bus of this account by its name, or `log`. */
  readonly eventBusName?: string;
}

export class CountersignStack extends Stack {
  readonly gate: Countersign;

  constructor(scope: Construct, id: string, props: CountersignStackProps) {
    super(scope, id, props);
    const { alarmTopicArn, eventBusName, deployment = this.stackName } = props;
    const topic = alarmTopicArn ? { alarmTopic: Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn) } : {};
    const bus = eventBusName === undefined ? {} : { eventBus: busOf(this, eventBusName) };
    this.gate = new Countersign(this, 'Gate', { ...props, ...topic, ...bus, deployment });
    const { agents, operators } = this.gate.policy.policy;
    for (const [agent, { senders }] of Object.entries(agents)) {
      if (!senders.length) this.gate.grantPropose(this.roleFor('Agent', agent), agent);
    }
    for (const [operator, { senders }] of Object.entries(operators)) {
      if (!senders.length) this.gate.grantOperate(this.roleFor('Operator', operator), operator);
    }
    const auditor = this.roleFor('Auditor', '');
    this.gate.grantAudit(auditor);
    this.outputs();
  }

  /** Whoever in this account may assume it acts under this name: say who in the role's trust policy. */
  private roleFor(kind: 'Agent' | 'Operator' | 'Auditor', name: string): Role {
    const id = `${kind}Role${name.replace(/[^A-Za-z0-9]/g, '')}`;
    const role = new Role(this, id, {
      assumedBy: new AccountRootPrincipal(),
      description: `Acts as the ${kind.toLowerCase()} ${name} of the gate ${this.gate.deployment}`.replace('  ', ' '),
    });
    new CfnOutput(this, `${id}Arn`, { value: role.roleArn });
    return role;
  }

  private outputs(): void {
    const { deployment, queues, tables, workflow, slackUrl, slackSecret } = this.gate;
    const values = {
      Deployment: deployment,
      ProposalsQueueUrl: queues.proposals.queueUrl,
      OperatorsQueueUrl: queues.operators.queueUrl,
      ExecutionsQueueUrl: queues.executions.queueUrl,
      OutcomesQueueUrl: queues.outcomes.queueUrl,
      RedeemFunction: this.gate.functions.redeem.function.functionName,
      RedriveFunction: this.gate.functions.redrive.function.functionName,
      AuditTable: tables.audit.tableName,
      StateTable: tables.state.tableName,
      StateMachineArn: workflow.stateMachine.stateMachineArn,
      SlackRequestUrl: slackUrl.url,
      SlackSecretArn: slackSecret.secretArn,
    };
    for (const [name, value] of Object.entries(values)) new CfnOutput(this, name, { value });
  }
}

const busOf = (scope: Construct, name: string): IEventBus | 'log' =>
  name === 'log' ? name : EventBus.fromEventBusName(scope, 'EventBus', name);
