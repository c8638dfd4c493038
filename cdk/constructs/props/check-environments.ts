/** Refuses resources of other regions at synthesis, and an alias instead of a key. */
import { type IResource, Stack, Token } from 'aws-cdk-lib';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { type CountersignProps, topicsOf } from './props.ts';

/** AWS refuses each of them late: at deployment, or with every call of the functions. @throws Error that names the prop. */
export function checkEnvironments(scope: Construct, props: CountersignProps): void {
  const { encryptionKey, slackSecret, slackSigningSecret, eventBus } = props;
  if (encryptionKey && 'aliasName' in encryptionKey)
    throw new Error('encryptionKey: is an alias, by which nothing can be granted: give its key, as by Key.fromKeyArn');
  const { page, ticket } = topicsOf(props) ?? {};
  const topics = props.alarmTopic ? { alarmTopic: page } : { 'alarmTopics.page': page, 'alarmTopics.ticket': ticket };
  const bus = typeof eventBus === 'string' ? undefined : eventBus;
  const region = Stack.of(scope).region;
  const secrets = { slackSecret, slackSigningSecret };
  for (const [prop, resource] of Object.entries({ encryptionKey, ...secrets, eventBus: bus, ...topics }))
    if (resource && areApart((resource as IResource).env.region, region))
      throw new Error(`${prop}: is in ${resource.env.region}, and the gate in ${region}: it has to be beside the gate`);
}

/** Replies to a queue that takes none would be lost one by one. @throws Error that names the queue. */
export function checkReplyQueue(scope: Construct, queue: IQueue): void {
  const region = Stack.of(scope).region;
  if (queue.fifo)
    throw new Error(`replyQueue: ${queue.node.path} is a FIFO queue, and decisions have no order: give a standard one`);
  if (areApart(queue.env.region, region))
    throw new Error(`replyQueue: ${queue.node.path} is in ${queue.env.region}, and the gate in ${region}`);
}

/** Where a stack without an environment is, shows only at deployment. */
const isKnown = (value: string): boolean => !Token.isUnresolved(value);
const areApart = (one: string, other: string): boolean => isKnown(one) && isKnown(other) && one !== other;

/** Whether two stacks have one account and one region for certain. */
export const isSameEnvironment = (one: Stack, other: Stack): boolean =>
  one === other || (isKnown(one.account) && isKnown(one.region) && one.environment === other.environment);

/** Whether they may have, where the deployment alone will tell. */
export const mayBeSameEnvironment = (one: Stack, other: Stack): boolean =>
  !areApart(one.account, other.account) && !areApart(one.region, other.region);
