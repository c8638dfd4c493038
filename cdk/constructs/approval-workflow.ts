/** Defines the approval workflow: it waits on a task token, then the gate decides again. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { AlarmBase } from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
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
import { alarmAt, ticket } from './alarm.ts';
import { lintDefinition } from './lint-definition.ts';
import type { GateTracing } from './props.ts';

export interface ApprovalWorkflowProps {
  readonly requestApproval: IFunction;
  readonly resume: IFunction;
  readonly resumeTimeout: Duration;
  readonly logRetention: RetentionDays;
  /** The workflow's log is removed with the stack. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly tracing: GateTracing;
}

/** Faults of the service or of a dependency; more than this and the execution fails, which raises an alarm and leaves the row to `reconcile`. */
const RETRY = { ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2, MaxDelaySeconds: 60 };
/** Answers that a function gives by throwing: they are not tried again. */
const ANSWERS = ['AlreadyDecided', 'StillWaiting', 'States.Timeout', 'States.HeartbeatTimeout'];

/** Two transitions for one human answer. The input is `{pid, expiresAt}` and every state passes it on unchanged. */
export function definition(
  requestApprovalArn: string,
  resumeArn: string,
  resumeTimeoutSeconds: number,
): Record<string, unknown> {
  return {
    Comment: 'Waits for people to answer one approval; the row decides, this is the timer.',
    QueryLanguage: 'JSONata',
    StartAt: 'RequestApproval',
    States: {
      RequestApproval: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke.waitForTaskToken',
        Arguments: {
          FunctionName: requestApprovalArn,
          Payload: {
            pid: '{% $states.input.pid %}',
            token: '{% $states.context.Task.Token %}',
            enteredAt: '{% $states.context.State.EnteredTime %}',
            retryCount: '{% $states.context.State.RetryCount %}',
          },
        },
        // Never before `expiresAt`: rounded up, one second more, and at least one.
        TimeoutSeconds:
          '{% $max([1, $ceil(($toMillis($states.input.expiresAt) - $toMillis($states.context.State.EnteredTime)) / 1000) + 1]) %}',
        Output: '{% $states.input %}',
        Retry: [{ ErrorEquals: ANSWERS, MaxAttempts: 0 }, RETRY],
        Catch: [{ ErrorEquals: ['AlreadyDecided', 'States.Timeout'], Output: '{% $states.input %}', Next: 'Resume' }],
        Next: 'Resume',
      },
      Resume: {
        Type: 'Task',
        Resource: 'arn:aws:states:::lambda:invoke',
        Arguments: { FunctionName: resumeArn, Payload: { pid: '{% $states.input.pid %}' } },
        TimeoutSeconds: resumeTimeoutSeconds,
        Output: '{% $states.result.Payload %}',
        Retry: [{ ErrorEquals: ANSWERS, MaxAttempts: 0 }, RETRY],
        Catch: [{ ErrorEquals: ['StillWaiting'], Output: '{% $states.input %}', Next: 'RequestApproval' }],
        End: true,
      },
    },
  };
}

export class ApprovalWorkflow extends Construct {
  readonly stateMachine: StateMachine;
  readonly alarms: AlarmBase[];

  constructor(scope: Construct, id: string, props: ApprovalWorkflowProps) {
    super(scope, id);
    const { requestApproval, resume, resumeTimeout, logRetention, development, encryptionKey, tracing } = props;
    const body = definition(requestApproval.functionArn, resume.functionArn, resumeTimeout.toSeconds());
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
}
