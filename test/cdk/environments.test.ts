/** Checks that synthesis refuses resources elsewhere, an alias, a twin, and one secret twice. */
import { type Environment, Stack } from 'aws-cdk-lib';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { Alias, Key } from 'aws-cdk-lib/aws-kms';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { expect, test } from 'vitest';
import { Countersign, type CountersignProps } from '../../cdk/constructs/countersign.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';

const arn = (service: string, region: string, name: string): string =>
  `arn:aws:${service}:${region}:111122223333:${name}`;
const TWIN = /the gate of the stack Their0 is named same too.*give them two names/;
const BASE: CountersignProps = { policyFile: POLICY, slackAppId: APP_ID };

test('two gates of one name are refused in two stacks as well, where both are in one account and region', () => {
  const gates = (...envs: (Environment | undefined)[]) => {
    const app = newApp();
    for (const [index, env] of envs.entries())
      new Countersign(new Stack(app, `Their${index}`, env ? { env } : {}), 'Gate', { ...BASE, deployment: 'same' });
    const { metadata } = app.node.findChild('Their1').node.findChild('Gate').node;
    return metadata.filter(({ data }) => TWIN.test(String(data)));
  };
  const here = { account: '111122223333', region: 'eu-west-1' };
  expect(() => gates(here, here)).toThrow('another gate of the stack Their0, in the same account and region, is');
  // One app for the same gate of several accounts or regions.
  for (const other of [
    { ...here, region: 'us-east-1' },
    { ...here, account: '999922223333' },
  ])
    expect(gates(here, other)).toEqual([]);
  // The deployment alone tells where they are.
  expect(gates(undefined, undefined)).toHaveLength(1);
  expect(gates(here, { region: here.region })).toHaveLength(1);
});

test('an alias in the place of a key: nothing can be granted by it', () => {
  const byAlias = (stack: Stack) =>
    new Countersign(stack, 'Gate', { ...BASE, encryptionKey: Alias.fromAliasName(stack, 'Alias', 'alias/gate') });
  expect(() => byAlias(new Stack(newApp(), 'Theirs'))).toThrow('encryptionKey: is an alias');
});

test.each<[string, (stack: Stack, region: string) => Partial<CountersignProps>]>([
  ['encryptionKey', (stack, at) => ({ encryptionKey: Key.fromKeyArn(stack, 'Key', arn('kms', at, 'key/abc')) })],
  [
    'slackSecret',
    (stack, at) => ({
      slackSecret: Secret.fromSecretCompleteArn(
        stack,
        'Slack',
        arn('secretsmanager', at, 'secret:s-abcdef'),
      ) as ISecret,
    }),
  ],
  ['eventBus', (stack, at) => ({ eventBus: EventBus.fromEventBusArn(stack, 'Bus', arn('events', at, 'event-bus/b')) })],
  ['alarmTopic', (stack, at) => ({ alarmTopic: Topic.fromTopicArn(stack, 'Topic', arn('sns', at, 'pages')) })],
])('%s of another region, where the stack says which it is in', (prop, propsAt) => {
  const gateIn = (env: Environment, at: string) => () => {
    const stack = new Stack(newApp(), 'Theirs', { env });
    return new Countersign(stack, 'Gate', { ...BASE, ...propsAt(stack, at) });
  };
  const env = { account: '111122223333', region: 'eu-west-1' };
  expect(gateIn(env, 'us-east-1')).toThrow(`${prop}: is in us-east-1, and the gate in eu-west-1`);
  expect(gateIn(env, 'eu-west-1')).not.toThrow();
  expect(gateIn({}, 'us-east-1')).not.toThrow();
});

test.each<[string, (stack: Stack) => ISecret[]]>([
  ['one secret', (stack) => Array<ISecret>(2).fill(new Secret(stack, 'Slack') as ISecret)],
  ['a secret that is imported twice', (stack) => ['A', 'B'].map((id) => Secret.fromSecretNameV2(stack, id, 'slack'))],
  [
    'a name and an ARN of one secret',
    (stack) => [
      Secret.fromSecretNameV2(stack, 'A', 'slack'),
      Secret.fromSecretCompleteArn(stack, 'B', arn('secretsmanager', 'us-east-1', 'secret:slack-abcdef')),
    ],
  ],
])('%s for the token and for what Slack signs with: whoever posts could vote (G47)', (_, secretsIn) => {
  const stack = new Stack(newApp(), 'Theirs');
  const [slackSecret, slackSigningSecret] = secretsIn(stack) as [ISecret, ISecret];
  const gate = () => new Countersign(stack, 'Gate', { ...BASE, slackSecret, slackSigningSecret });
  expect(gate).toThrow(/^slackSigningSecret: is the secret of slackSecret/);
});
