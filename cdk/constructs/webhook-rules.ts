/** Chooses the bus of events, and routes them to webhooks: a rule of it for each, into one queue. */
import { Duration, Stack } from 'aws-cdk-lib';
import { type AlarmBase, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import {
  CfnRule,
  EventBus,
  EventField,
  type IEventBus,
  type IRuleTarget,
  Rule,
  RuleTargetInput,
} from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { PolicyFile } from '../../shared/config/schema/policy-file.ts';
import { alarmAt, ticket } from './alarm/alarm.ts';
import { allowEvents } from './data/encryption.ts';
import type { CountersignProps } from './props/props.ts';

export interface WebhookRulesProps {
  readonly deployment: string;
  readonly webhooks: PolicyFile['webhooks'];
  readonly bus: IEventBus | 'log' | 'none';
  readonly queue: IQueue;
}

const DEFAULT_BUS = 'default';

/** Webhooks need a bus; nobody else is known to listen. */
export function eventBusOf(
  scope: Construct,
  given: CountersignProps['eventBus'],
  { webhooks }: Pick<PolicyFile, 'webhooks'>,
): IEventBus | 'log' | 'none' {
  if (given !== undefined) return given;
  return Object.keys(webhooks).length ? EventBus.fromEventBusName(scope, 'DefaultBus', DEFAULT_BUS) : 'none';
}

/** The bus selects what each webhook is told, so that nothing is queued in vain, and each has retries of its own. */
export class WebhookRules extends Construct {
  readonly alarms: AlarmBase[] = [];

  constructor(scope: Construct, id: string, { deployment, webhooks, bus, queue }: WebhookRulesProps) {
    super(scope, id);
    const named = Object.entries(webhooks);
    if (typeof bus === 'string') {
      if (named.length) throw new Error('eventBus: names no bus, and the webhooks of the policy file are told by one');
      return;
    }
    const { account, region } = Stack.of(this);
    for (const [name, { events }] of named) {
      const rule = new Rule(this, name, {
        eventBus: bus,
        description: `Events for the webhook ${name} of ${deployment}`,
        eventPattern: {
          source: ['countersign'],
          // A bus may take events of other accounts and regions, whose gate may have this one's name.
          account: [account],
          region: [region],
          detail: { deployment: [deployment] },
          ...(events ? { detailType: events } : {}),
        },
        targets: [
          toQueue(queue, RuleTargetInput.fromObject({ webhook: name, event: EventField.fromPath('$.detail') })),
        ],
      });
      this.alarms.push(lostAlarm(name, rule, bus));
    }
  }
}

/**
 * The queue, for this rule alone.
 *
 * With a key the CDK's own target lets any rule send, of any account unless a flag of the app narrows it: whatever is in this queue goes to
 * receivers under the gate's signature.
 */
const toQueue = (queue: IQueue, input: RuleTargetInput): IRuleTarget => ({
  bind: (rule) => {
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { ArnEquals: { 'aws:SourceArn': CfnRule.arnForRule(rule) } },
      }),
    );
    if (queue.encryptionMasterKey) allowEvents(queue.encryptionMasterKey, queue);
    return { arn: queue.queueArn, input, targetResource: queue };
  },
});

/**
 * A key or a policy that refuses EventBridge: it tries for a day, and drops the event. No function of the gate learns of it.
 *
 * The alarm stands below its rule, where no other webhook's name can meet it.
 */
function lostAlarm(name: string, rule: Rule, { eventBusName }: IEventBus): AlarmBase {
  const metric = new Metric({
    namespace: 'AWS/Events',
    metricName: 'FailedInvocations',
    // Series of the default bus name the rule alone.
    dimensionsMap: {
      ...(eventBusName === DEFAULT_BUS ? {} : { EventBusName: eventBusName }),
      RuleName: rule.ruleName,
    },
    statistic: Stats.SUM,
    period: Duration.minutes(5),
  });
  const text = ticket(
    'events-lost',
    `EventBridge could not put events for the webhook ${name} in their queue: its receiver misses them`,
    'the policies of the queue and of its key, which have to let events.amazonaws.com send',
  );
  return alarmAt(rule, 'LostAlarm', metric, 1, text);
}
