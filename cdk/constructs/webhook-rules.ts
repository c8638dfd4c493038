/** Routes events to the webhooks of the policy file: a rule of the bus for each, into one queue. */
import { EventField, type IEventBus, Rule, RuleTargetInput } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { PolicyFile } from '../../shared/config/schema/policy-file.ts';

export interface WebhookRulesProps {
  readonly deployment: string;
  readonly webhooks: PolicyFile['webhooks'];
  readonly bus: IEventBus | undefined;
  readonly queue: IQueue;
}

/** The bus selects what each webhook is told, so that nothing is queued in vain, and each has retries of its own. */
export class WebhookRules extends Construct {
  constructor(scope: Construct, id: string, { deployment, webhooks, bus, queue }: WebhookRulesProps) {
    super(scope, id);
    const named = Object.entries(webhooks);
    if (!bus) {
      if (named.length) throw new Error("eventBus: 'log' tells no webhook of anything, and the policy file names some");
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
