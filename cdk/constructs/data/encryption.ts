/** Grants the rights that one `encryptionKey` needs: for AWS services, senders and readers. */
import { Stack, Token } from 'aws-cdk-lib';
import {
  ArnPrincipal,
  Effect,
  type IGrantable,
  type IRole,
  PolicyStatement,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';

/** CloudWatch Logs encrypts by itself, for log groups of this account only. An imported key's owner has to say the same. */
export function allowLogs(key: IKey, scope: Construct): void {
  const { region, partition, account } = Stack.of(scope);
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'CloudWatchLogs',
      effect: Effect.ALLOW,
      principals: [new ServicePrincipal(`logs.${region}.amazonaws.com`)],
      actions: ['kms:Encrypt', 'kms:Decrypt', 'kms:ReEncrypt*', 'kms:GenerateDataKey*', 'kms:DescribeKey'],
      resources: ['*'],
      conditions: {
        ArnLike: { 'kms:EncryptionContext:aws:logs:arn': `arn:${partition}:logs:${region}:${account}:log-group:*` },
      },
    }),
  );
}

/** EventBridge encrypts what it sends to a queue, for rules of this account only: a key that named the rules would need them, and they need it. */
export function allowEvents(key: IKey, scope: Construct): void {
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'EventBridge',
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
      resources: ['*'],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
}

/** CloudWatch cannot send an alarm to a topic with a key of its own unless that key's policy lets it. The owner of an imported key has to add this. */
export const allowAlarms = (key: IKey): unknown =>
  key.addToResourcePolicy(
    new PolicyStatement({
      sid: 'CloudWatchAlarms',
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
      resources: ['*'],
    }),
  );

/**
 * To a queue in another stack. By the key's own policy where it is made beside the queue: that stack needs the gate's anyway. Any other key is
 * named by the roles: were it to name them, stacks that many others build on would need the gate.
 */
export function allowSenders(key: IKey, queue: IQueue, roles: readonly IRole[]): void {
  if (Stack.of(key) !== Stack.of(queue) || !Token.isUnresolved(key.keyArn)) {
    for (const role of roles) allowThrough(key, role, 'sqs');
    return;
  }
  key.addToResourcePolicy(
    new PolicyStatement({
      principals: roles.map(({ roleArn }) => new ArnPrincipal(roleArn)),
      actions: [...ASKS.sqs],
      resources: ['*'],
      conditions: { StringEquals: { 'kms:ViaService': `sqs.${Stack.of(key).region}.amazonaws.com` } },
    }),
  );
}

/** Actions that a service needs on the key, in the name of whoever calls it. */
const ASKS = {
  dynamodb: ['kms:Decrypt', 'kms:DescribeKey'],
  lambda: ['kms:Decrypt', 'kms:DescribeKey'],
  s3: ['kms:Decrypt', 'kms:DescribeKey'],
  secretsmanager: ['kms:Decrypt'],
  sqs: ['kms:GenerateDataKey', 'kms:Decrypt'],
} as const;

/** Lets somebody use the key, and only through this service: it opens nothing that they may not read anyway. */
export function allowThrough(key: IKey | undefined, grantee: IGrantable, service: keyof typeof ASKS): void {
  if (!key) return;
  const { grantPrincipal } = grantee;
  const { region } = Stack.of('node' in grantPrincipal ? (grantPrincipal as IRole) : key);
  grantPrincipal.addToPrincipalPolicy(
    new PolicyStatement({
      effect: Effect.ALLOW,
      actions: [...ASKS[service]],
      resources: [key.keyArn],
      conditions: { StringEquals: { 'kms:ViaService': `${service}.${region}.amazonaws.com` } },
    }),
  );
}
