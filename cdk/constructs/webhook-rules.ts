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
import { shareAbove } from './alarm/alarm-math.ts';
import { gateMetric } from './alarm/metrics.ts';
import { allowEvents } from './data/encryption.ts';
import type { CountersignProps } from './props/props.ts';

interface WebhookRulesProps {
  readonly deployment: string;
  readonly webhooks: PolicyFile['webhooks'];
  readonly bus: IEventBus | 'log' | 'none';
  readonly queue: IQueue;
  readonly development: boolean;
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

  constructor(scope: Construct, id: string, { deployment, webhooks, bus, queue, development }: WebhookRulesProps) {
    super(scope, id);
    const named = Object.entries(webhooks);
    if (typeof bus === 'string') {
      if (named.length) throw new Error('eventBus: names no bus, and the webhooks of the policy file are told by one');
      return;
    }
    const { account, region } = Stack.of(this);
    const rules = named.map(([name, { events }]) => {
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
          toQueue(queue, name, RuleTargetInput.fromObject({ webhook: name, event: EventField.fromPath('$.detail') })),
        ],
      });
      this.alarms.push(lostAlarm(name, rule, bus), untakenAlarm(name, rule, deployment, development));
      return rule;
    });
    if (rules.length) allowRules(queue, rules);
  }
}

/** A fair queue: a receiver that hangs keeps its own events waiting, and no other's. */
const toQueue = (queue: IQueue, messageGroupId: string, input: RuleTargetInput): IRuleTarget => {
  const { queueArn: arn } = queue;
  return { bind: () => ({ arn, input, targetResource: queue, sqsParameters: { messageGroupId } }) };
};

/**
 * Lets these rules alone fill the queue. A queue's policy takes ten conditions, so that they share one.
 *
 * For a queue with a key, the CDK's own target lets any rule send, even of other accounts unless a flag of the app forbids it. This
 * queue needs a narrower right, because everything in it goes to receivers under the gate's signature.
 */
function allowRules(queue: IQueue, rules: readonly Rule[]): void {
  queue.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [queue.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': rules.map((rule) => CfnRule.arnForRule(rule)) } },
    }),
  );
  if (queue.encryptionMasterKey) allowEvents(queue.encryptionMasterKey, queue);
}

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

/** The first three tries of an event come within it. */
const HOUR = Duration.hours(1);
const FIRST_TRIES = 3;

/**
 * A receiver that takes nothing for an hour. SQS leaves a message that it has delivered more than three times out of the age of its queue, and
 * it becomes a dead letter after a day.
 */
function untakenAlarm(name: string, rule: Rule, deployment: string, development: boolean): AlarmBase {
  const [failed, sent] = (['WebhooksFailed', 'WebhooksSent'] as const).map((metric) =>
    gateMetric(deployment, metric, Stats.SUM, { webhook: name }, HOUR),
  ) as [Metric, Metric];
  const text = ticket(
    'events-lost',
    `The receiver of the webhook ${name} takes no event`,
    'the log of send-webhooks, filter { $.webhook = * }, which has its answer',
  );
  if (development) return alarmAt(rule, 'UntakenAlarm', failed, FIRST_TRIES, text);
  // One that it took is enough to be more than none in a hundred.
  const untaken = shareAbove([failed], [failed, sent], 0.99, FIRST_TRIES, HOUR);
  return alarmAt(rule, 'UntakenAlarm', untaken, 1, text);
}
