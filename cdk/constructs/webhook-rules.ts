/** Chooses the bus of events, and routes them to webhooks: a rule of it for each, into one queue. */
import { EventBus, EventField, type IEventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { PolicyFile } from '../../shared/config/schema/policy-file.ts';
import type { CountersignProps } from './props/props.ts';

export interface WebhookRulesProps {
  readonly deployment: string;
  readonly webhooks: PolicyFile['webhooks'];
  readonly bus: IEventBus | 'log' | 'none';
  readonly queue: IQueue;
}

/** Webhooks need a bus; nobody else is known to listen. */
export function eventBusOf(
  scope: Construct,
  given: CountersignProps['eventBus'],
  { webhooks }: Pick<PolicyFile, 'webhooks'>,
): IEventBus | 'log' | 'none' {
  if (given !== undefined) return given;
  return Object.keys(webhooks).length ? EventBus.fromEventBusName(scope, 'DefaultBus', 'default') : 'none';
}

/** The bus selects what each webhook is told, so that nothing is queued in vain, and each has retries of its own. */
export class WebhookRules extends Construct {
  constructor(scope: Construct, id: string, { deployment, webhooks, bus, queue }: WebhookRulesProps) {
    super(scope, id);
    const named = Object.entries(webhooks);
    if (typeof bus === 'string') {
      if (named.length) throw new Error('eventBus: names no bus, and the webhooks of the policy file are told by one');
      return;
    }
    for (const [name, { events }] of named)
      new Rule(this, name, {
        eventBus: bus,
        description: `Events for the webhook ${name} of ${deployment}`,
        eventPattern: {
          source: ['countersign'],
          detail: { deployment: [deployment] },
          ...(events ? { detailType: events } : {}),
        },
        targets: [
          new SqsQueue(queue, {
            message: RuleTargetInput.fromObject({ webhook: name, event: EventField.fromPath('$.detail') }),
          }),
        ],
      });
  }
}
