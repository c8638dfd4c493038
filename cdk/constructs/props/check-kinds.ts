/** Refuses properties of another kind than their types say, for apps that no compiler checks. */
import { type Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import type { CountersignProps } from './props.ts';

const SECRET = 'Secret.fromSecretCompleteArn(…)';
const TOPIC = 'Topic.fromTopicArn(…)';
const FLAGS = ['canary', 'logReaders'] as const satisfies (keyof CountersignProps)[];

const TEXTS = [
  'policyFile',
  'deployment',
  'slackAppId',
  'slackApiUrl',
  'llmBaseUrl',
] as const satisfies (keyof CountersignProps)[];

/** Checks the kinds for an app without types: the text 'false' would turn a flag on, and an ARN is no resource. @throws Error that names the prop. */
export function checkKinds(props: CountersignProps): void {
  if (typeof props !== 'object' || props === null)
    throw new Error('props: are missing: give at least policyFile and slackAppId');
  checkTexts(props, TEXTS);
  for (const flag of FLAGS) if (!isFlag(props[flag])) throw new Error(`${flag}: must be true or false`);
  const { slackSecret, slackSigningSecret, encryptionKey, archiveCopy, eventBus, alarmTopic, alarmTopics } = props;
  const resources: readonly (readonly [prop: string, given: unknown, example: string])[] = [
    ['slackSecret', slackSecret, SECRET],
    ['slackSigningSecret', slackSigningSecret, SECRET],
    ['encryptionKey', encryptionKey, 'Key.fromKeyArn(…)'],
    ['archiveCopy', archiveCopy, 'Bucket.fromBucketArn(…)'],
    ['eventBus', typeof eventBus === 'string' ? undefined : eventBus, 'EventBus.fromEventBusName(…)'],
    ['alarmTopic', alarmTopic, TOPIC],
    // Each of two topics is stated.
    ['alarmTopics.page', alarmTopics && (alarmTopics.page ?? null), TOPIC],
    ['alarmTopics.ticket', alarmTopics && (alarmTopics.ticket ?? null), TOPIC],
  ];
  for (const [prop, given, example] of resources)
    if (given !== undefined && !Construct.isConstruct(given))
      throw new Error(`${prop}: must be a resource, such as ${example}`);
  const { removalPolicy, archiveRetention, logRetention } = props;
  if (removalPolicy !== undefined && removalPolicy !== RemovalPolicy.DESTROY && removalPolicy !== RemovalPolicy.RETAIN)
    throw new Error('removalPolicy: must be RemovalPolicy.RETAIN or RemovalPolicy.DESTROY');
  // Not by its class, of which an app may have two copies.
  if (archiveRetention !== undefined && typeof (archiveRetention as Duration | null)?.toDays !== 'function')
    throw new Error('archiveRetention: must be a Duration, such as Duration.days(400)');
  // A text is not less than six months either.
  if (logRetention !== undefined && typeof logRetention !== 'number')
    throw new Error('logRetention: must be one of RetentionDays, such as RetentionDays.ONE_YEAR');
}

const isFlag = (given: unknown): boolean => given === undefined || typeof given === 'boolean';

/** @throws Error that names the first of the props that is stated, and no text. */
export function checkTexts<Props extends object>(props: Props, names: readonly (keyof Props & string)[]): void {
  for (const name of names)
    if (props[name] !== undefined && typeof props[name] !== 'string') throw new Error(`${name}: must be a text`);
}
