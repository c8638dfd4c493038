/** Reads what the gate tells the world, by a queue behind a rule on the account's event bus. */
import {
  DeleteRuleCommand,
  EventBridgeClient,
  PutRuleCommand,
  PutTargetsCommand,
  RemoveTargetsCommand,
} from '@aws-sdk/client-eventbridge';
import {
  CreateQueueCommand,
  DeleteMessageCommand,
  DeleteQueueCommand,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { until } from './until.ts';

interface Told {
  readonly 'detail-type': string;
  readonly detail: Readonly<Record<string, unknown>>;
}

export type EventTap = Awaited<ReturnType<typeof tapEvents>>;

/** From now on; `name` is of the rule and the queue, which `close` takes away. */
export async function tapEvents(name: string) {
  const { root, endpoint } = await e2eGate();
  const bus = new EventBridgeClient(clientConfig(endpoint));
  const { QueueUrl = '' } = await root.sqs.send(new CreateQueueCommand({ QueueName: name }));
  await bus.send(new PutRuleCommand({ Name: name, EventPattern: JSON.stringify({ source: ['countersign'] }) }));
  const Arn = `arn:aws:sqs:us-east-1:000000000000:${name}`;
  await bus.send(new PutTargetsCommand({ Rule: name, Targets: [{ Id: 'queue', Arn }] }));
  const found: Told[] = [];
  const told = async () => {
    for (;;) {
      const receive = new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 });
      const { Messages = [] } = await root.sqs.send(receive);
      if (!Messages.length) return found;
      for (const { Body = '', ReceiptHandle } of Messages) {
        found.push(JSON.parse(Body) as Told);
        await root.sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
      }
    }
  };
  return {
    /** Everything until now. */
    told,
    /** Everything that was told of one proposal, once all of `names` are there. */
    async toldOf(proposalId: string, names: readonly string[]): Promise<Told[]> {
      let its: Told[] = [];
      await until(`the events ${names.join(', ')}`, async () => {
        its = (await told()).filter(({ detail }) => detail['proposalId'] === proposalId);
        return names.every((wanted) => its.some((one) => one['detail-type'] === wanted));
      });
      return its;
    },
    async close(): Promise<void> {
      await bus.send(new RemoveTargetsCommand({ Rule: name, Ids: ['queue'] }));
      await bus.send(new DeleteRuleCommand({ Name: name }));
      await root.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    },
  };
}
