/** Deploys the approval workflow with its log and its alarms. */
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup, type RetentionDays } from 'aws-cdk-lib/aws-logs';
import {
  CustomerManagedEncryptionConfiguration,
  DefinitionBody,
  LogLevel,
  StateMachine,
  StateMachineType,
} from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { alarmAt, ticket } from '../alarm/alarm.ts';
import type { GateTracing } from '../props/props.ts';
import { lintDefinition } from './lint-definition.ts';
import { definition } from './workflow-definition.ts';

/** Actions that end a wait: with a decision, and without one. */
export const ENDS_WAITS: readonly string[] = ['states:SendTaskSuccess', 'states:SendTaskFailure'];

interface ApprovalWorkflowProps {
  readonly requestApproval: IFunction;
  readonly resume: IFunction;
  readonly resumeTimeout: Duration;
  readonly logRetention: RetentionDays;
  /** The workflow's log is removed with the stack. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly tracing: GateTracing;
}

export class ApprovalWorkflow extends Construct {
  readonly stateMachine: StateMachine;
  readonly alarms: AlarmBase[];

  constructor(scope: Construct, id: string, props: ApprovalWorkflowProps) {
    super(scope, id);
    const { requestApproval, resume, resumeTimeout, logRetention, development, encryptionKey, tracing } = props;
    const { partition } = Stack.of(this);
    const body = definition(requestApproval.functionArn, resume.functionArn, resumeTimeout.toSeconds(), partition);
    const problems = lintDefinition(body);
    if (problems.length) throw new Error(`the workflow may not be deployed so:\n${problems.join('\n')}`);
    this.stateMachine = new StateMachine(this, 'StateMachine', {
      definitionBody: DefinitionBody.fromString(JSON.stringify(body)),
      stateMachineType: StateMachineType.STANDARD,
      tracingEnabled: tracing === 'active',
      ...(encryptionKey ? { encryptionConfiguration: new CustomerManagedEncryptionConfiguration(encryptionKey) } : {}),
      logs: {
        destination: new LogGroup(this, 'Log', {
          retention: logRetention,
          removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
          ...(encryptionKey ? { encryptionKey } : {}),
        }),
        // No scheduled tasks: their parameters hold the task token, and only input and output are named as execution data,
        // which is left out. LocalStack, which is checked against recordings of AWS, writes them.
        level: LogLevel.ERROR,
        includeExecutionData: false,
      },
    });
    this.stateMachine.addToRolePolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [requestApproval.functionArn, resume.functionArn],
      }),
    );
    const period = Duration.minutes(5);
    const machine = this.stateMachine;
    const ends = {
      Failed: machine.metricFailed({ period }),
      Aborted: machine.metricAborted({ period }),
      TimedOut: machine.metricTimedOut({ period }),
    };
    this.alarms = [
      ...Object.entries(ends).map(([end, metric]) =>
        alarmAt(
          this,
          `${end}Alarm`,
          metric,
          1,
          ticket(
            'workflow-ends',
            `An approval workflow ended as ${end}; reconcile finishes its approval, up to minutes late`,
            'the executions of the state machine by their end',
          ),
        ),
      ),
      alarmAt(
        this,
        'ThrottledAlarm',
        machine.metricThrottled({ period }),
        1,
        ticket(
          'throttled-workflows',
          'Step Functions refuses transitions: questions and answers are late',
          `the account's quotas of Step Functions`,
        ),
      ),
    ];
  }

  /** Lets a role end waits. A policy apart: the functions of the workflow cannot depend on rights that name it. */
  mayBeEndedBy(role: IRole): void {
    new Policy(this, 'EndsWaits', {
      roles: [role],
      statements: [new PolicyStatement({ actions: [...ENDS_WAITS], resources: [this.stateMachine.stateMachineArn] })],
    });
  }
}
