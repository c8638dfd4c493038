/** Checks the gate's construct in a stack of somebody else: two gates, own secrets, copies, topics. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { Annotations, Match } from 'aws-cdk-lib/assertions';
import { AccountRootPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { Key } from 'aws-cdk-lib/aws-kms';
import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { type ISecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { describe, expect, test } from 'vitest';
import { Countersign, type CountersignProps } from '../../cdk/constructs/countersign.ts';
import { FUNCTIONS } from '../../cdk/constructs/functions/function-names.ts';
import { newApp } from './support/new-app.ts';
import { APP_ID, POLICY } from './support/run-app.ts';
import { rightsOf } from './support/statements.ts';
import { all, one, type TemplateJson, target } from './support/template.ts';

interface Selector {
  readonly Field: string;
  readonly Equals?: readonly unknown[];
  readonly NotStartsWith?: readonly unknown[];
}

const KEY_ARN = 'arn:aws:kms:us-east-1:111122223333:key/11111111-2222-3333-4444-555555555555';
const BASE: CountersignProps = { policyFile: POLICY, slackAppId: APP_ID };

function build(fill: (stack: Stack) => unknown): TemplateJson {
  const app = newApp();
  fill(new Stack(app, 'Theirs'));
  return app.synth().getStackByName('Theirs').template as TemplateJson;
}

describe('in a stack of somebody else', () => {
  test('two gates stand side by side, each with senders of its own', () => {
    const names: string[] = [];
    const template = build((stack) => {
      for (const id of ['One', 'Two']) {
        const gate = new Countersign(stack, id, BASE);
        gate.grantPropose(new Role(stack, `${id}Agent`, { assumedBy: new AccountRootPrincipal() }), 'billing');
        names.push(gate.deployment);
      }
    });
    expect(new Set(names).size).toBe(2);
    for (const name of names) expect(name).toMatch(/^[A-Za-z][A-Za-z0-9-]{0,60}$/);
    const parameters = all<{ Name: string }>(template, 'AWS::SSM::Parameter').map(({ properties }) => properties.Name);
    const senders = parameters.filter((name) => name.includes('/senders/') && !name.includes('/-canary/'));
    expect(senders.map((name) => name.split('/')[1]).sort()).toEqual([...names].sort());
    expect(all(template, 'AWS::Lambda::Function')).toHaveLength(2 * FUNCTIONS.length);
  });

  test('two under one name are refused: they would know each other’s senders', () => {
    const twins = (stack: Stack) =>
      ['One', 'Two'].map((id) => new Countersign(stack, id, { ...BASE, deployment: 'same' }));
    expect(() => build(twins)).toThrow('another gate of this stack is named same too');
  });

  test.each<[string, Partial<CountersignProps>, RegExp]>([
    ['aws-gate', {}, /^deployment: aws-gate begins with aws or ssm/],
    ['SSMgate', {}, /^deployment: SSMgate begins with aws or ssm/],
    ['a gate', {}, /^deployment: a gate must be letters/],
    ['a--b', { logReaders: true }, /^deployment: a--b has two of/],
    ['a.', { logReaders: true }, /^deployment: a\. has two of . _ - in a row, or one at its end/],
    ['d'.repeat(114), { logReaders: true }, /has more than 113 characters/],
  ])('a deployment %j with %j is refused, and not only by AWS', (deployment, props, message) => {
    expect(() => build((stack) => new Countersign(stack, 'Gate', { ...BASE, ...props, deployment }))).toThrow(message);
  });

  test('a name made of the path is looked at, too; so is the longest alarm', () => {
    expect(() => new Countersign(new Stack(newApp(), 'AwsTeam'), 'Gate', BASE)).toThrow(/begins with aws or ssm/);
    const agent = 'b'.repeat(128);
    const policyFile = join(mkdtempSync(join(tmpdir(), 'policy-')), 'countersign.yaml');
    writeFileSync(policyFile, readFileSync(POLICY, 'utf8').replaceAll('billing', agent));
    const long = (stack: Stack) => {
      const gate = new Countersign(stack, 'Gate', { ...BASE, policyFile, deployment: 'd'.repeat(128) });
      const role = new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() });
      gate.grantPropose(role, agent, { replyQueue: new Queue(stack, 'Replies') });
    };
    expect(() => build(long)).toThrow(/shorten the name of the deployment or of the agent/);
  });

  test('a secret of one’s own is used in place of a new one', () => {
    const template = build((stack) => {
      const mine = (id: string) => new Secret(stack, id) as ISecret;
      new Countersign(stack, 'Gate', { ...BASE, slackSecret: mine('Mine'), slackSigningSecret: mine('Signs') });
    });
    expect(
      all(template, 'AWS::SecretsManager::Secret')
        .map(({ id }) => id.slice(0, 4))
        .sort(),
    ).toEqual(['Gate', 'Mine', 'Sign']);
    expect(rightsOf(template, 'GateSlackRole')).toContain('secretsmanager:GetSecretValue Mine');
    expect(rightsOf(template, 'GateSlackRole')).toContain('secretsmanager:GetSecretValue Signs');
    for (const other of ['GateSlackOutRole', 'GateConverseRole'])
      expect(rightsOf(template, other).join()).not.toContain('Signs');
  });

  test.each<[string, (keys: Stack) => Partial<CountersignProps>]>([
    ['key', (keys) => ({ encryptionKey: new Key(keys, 'Key') })],
    [
      'secret with a key of its own',
      (keys) => ({ slackSecret: new Secret(keys, 'Slack', { encryptionKey: new Key(keys, 'Key') }) as ISecret }),
    ],
  ])('a %s of another stack does not need the gate’s stack', (_, props) => {
    const template = build((stack) => {
      const keys = new Stack(stack.node.root as App, 'Keys');
      new Countersign(stack, 'Gate', { ...BASE, ...props(keys) });
    });
    expect(rightsOf(template, 'GateSlackRole').join()).toContain('kms:Decrypt');
  });

  const READERS = { slackSecret: ['Slack', 'SlackOut', 'Converse'], slackSigningSecret: ['Slack'] };
  test.each(Object.entries(READERS))('the imported key of a %s is for its readers', (prop, readers) => {
    const secretCompleteArn = 'arn:aws:secretsmanager:us-east-1:111122223333:secret:slack-abcdef';
    const template = build((stack) => {
      const encryptionKey = Key.fromKeyArn(stack, 'Key', KEY_ARN);
      const secret = Secret.fromSecretAttributes(stack, 'Slack', { secretCompleteArn, encryptionKey }) as ISecret;
      new Countersign(stack, 'Gate', { ...BASE, [prop]: secret });
    });
    const decrypts = (name: string) => rightsOf(template, `Gate${name}Role`).includes(`kms:Decrypt ${KEY_ARN}`);
    expect(['Slack', 'SlackOut', 'Converse', 'Evaluate'].filter(decrypts)).toEqual(readers);
    expect(JSON.stringify(all(template, 'AWS::IAM::Policy'))).toMatch(/kms:ViaService.{0,40}secretsmanager\./);
  });

  test('A25 the archived record is copied to a second bucket, with its locks and without removals', () => {
    const template = build((stack) => {
      const archiveCopy = Bucket.fromBucketArn(stack, 'Copy', 'arn:aws:s3:::copy-of-the-record');
      return new Countersign(stack, 'Gate', { ...BASE, archiveCopy });
    });
    const { properties } = one<{ ReplicationConfiguration: object }>(template, 'AWS::S3::Bucket', 'GateRecordBucket');
    expect(properties.ReplicationConfiguration).toMatchObject({
      Rules: [
        {
          Id: 'Copy',
          Status: 'Enabled',
          DeleteMarkerReplication: { Status: 'Disabled' },
          Destination: { Bucket: 'arn:aws:s3:::copy-of-the-record', Metrics: { Status: 'Enabled' } },
        },
      ],
    });
    const alarms = all<{ MetricName?: string; Dimensions?: readonly { Name: string; Value: unknown }[] }>(
      template,
      'AWS::CloudWatch::Alarm',
    ).filter((alarm) => alarm.properties.MetricName === 'OperationsFailedReplication');
    expect(alarms.map((alarm) => alarm.properties.Dimensions?.map(({ Name }) => Name))).toEqual([
      ['DestinationBucket', 'RuleId', 'SourceBucket'],
    ]);
    expect(rightsOf(template, 'GateRecordCopier')).toEqual(
      expect.arrayContaining([
        's3:GetObjectVersionForReplication GateRecordBucket/*',
        's3:GetObjectRetention GateRecordBucket/*',
        's3:GetObjectLegalHold GateRecordBucket/*',
        's3:ReplicateObject arn:aws:s3:::copy-of-the-record/*',
      ]),
    );
  });

  test('A25 seals are signed with a P-256 key where the region has no Ed25519 keys', () => {
    const template = build((stack) => new Countersign(stack, 'Gate', { ...BASE, archiveKey: 'p256' }));
    expect(one(template, 'AWS::KMS::Key', 'GateRecordSigningKey').properties).toMatchObject({
      KeySpec: 'ECC_NIST_P256',
      KeyUsage: 'SIGN_VERIFY',
    });
  });

  test('A26 a copy of an encrypted archive needs a key of its own', () => {
    const keyed = (stack: Stack) => {
      const archiveCopy = Bucket.fromBucketArn(stack, 'Copy', 'arn:aws:s3:::copy-of-the-record');
      return new Countersign(stack, 'Gate', { ...BASE, encryptionKey: new Key(stack, 'Key'), archiveCopy });
    };
    expect(() => build(keyed)).toThrow('archiveCopy: needs an encryptionKey of its own');
  });

  test('reads of the record by people are logged on demand, and those of the functions are not', () => {
    const template = build((stack) => new Countersign(stack, 'Gate', { ...BASE, logReaders: true }));
    const { properties } = one<{ AdvancedEventSelectors: readonly { FieldSelectors: readonly Selector[] }[] }>(
      template,
      'AWS::CloudTrail::Trail',
      'GateReadersTrail',
    );
    expect(properties).toMatchObject({ IsLogging: true, EnableLogFileValidation: true });
    const fields = properties.AdvancedEventSelectors.map(({ FieldSelectors }) =>
      Object.fromEntries(FieldSelectors.map(({ Field, ...rest }) => [Field, rest])),
    );
    expect(fields).toMatchObject([
      { 'resources.type': { Equals: ['AWS::DynamoDB::Table'] }, readOnly: { Equals: ['true'] } },
      { 'resources.type': { Equals: ['AWS::S3::Object'] }, readOnly: { Equals: ['true'] } },
    ]);
    expect(target(fields[0]?.['resources.ARN']?.Equals?.[0])).toMatch(/^GateTablesAudit/);
    for (const each of fields) expect(each['userIdentity.arn']?.NotStartsWith).toHaveLength(FUNCTIONS.length);
    const plain = build((stack) => new Countersign(stack, 'Gate', BASE));
    expect(all(plain, 'AWS::CloudTrail::Trail')).toEqual([]);
  });

  const alarmsIn = <Properties>(template: TemplateJson) =>
    ['Alarm', 'CompositeAlarm'].flatMap((type) => all<Properties>(template, `AWS::CloudWatch::${type}`));

  test('a topic is told of every page and every ticket', () => {
    const template = build(
      (stack) => new Countersign(stack, 'Gate', { ...BASE, alarmTopic: new Topic(stack, 'Page') }),
    );
    const alarms = alarmsIn<{ AlarmName: string; AlarmActions?: unknown[] }>(template);
    expect(alarms.length).toBeGreaterThan(20);
    for (const { properties } of alarms.filter(({ properties }) => !properties.AlarmName.includes('/cause/')))
      expect(properties.AlarmActions?.map(target)[0]).toMatch(/^Page/);
  });

  test('two topics share the alarms: a page tells also of its end', () => {
    const template = build((stack) => {
      const alarmTopics = { page: new Topic(stack, 'Page'), ticket: new Topic(stack, 'Ticket') };
      return new Countersign(stack, 'Gate', { ...BASE, alarmTopics });
    });
    interface Told {
      readonly AlarmName: string;
      readonly AlarmActions?: unknown[];
      readonly OKActions?: unknown[];
    }
    const alarms = alarmsIn<Told>(template).map(({ properties }) => properties);
    for (const { AlarmName, AlarmActions = [], OKActions = [] } of alarms) {
      const isPage = AlarmName.includes('/page/');
      const told = AlarmName.includes('/cause/') ? [] : [isPage ? 'Page' : 'Tick'];
      expect(AlarmActions.map((topic) => target(topic).slice(0, 4))).toEqual(told);
      expect(OKActions).toHaveLength(isPage ? 1 : 0);
    }
    const pages = alarms.filter(({ AlarmName }) => AlarmName.includes('/page/'));
    expect(pages.length).toBeGreaterThan(5);
    expect(pages.length).toBeLessThan(10);
  });

  test('a topic with a key is told, too: CloudWatch may use the key', () => {
    const template = build((stack) => {
      const masterKey = new Key(stack, 'Key');
      const alarmTopics = {
        page: new Topic(stack, 'Page', { masterKey }),
        ticket: new Topic(stack, 'Ticket', { masterKey }),
      };
      return new Countersign(stack, 'Gate', { ...BASE, alarmTopics });
    });
    const key = all<{ KeyPolicy: { Statement: object[] } }>(template, 'AWS::KMS::Key').find(({ id }) =>
      id.startsWith('Key'),
    );
    expect(key?.properties.KeyPolicy.Statement.filter((one) => JSON.stringify(one).includes('cloudwatch'))).toEqual([
      {
        Sid: 'CloudWatchAlarms',
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
        Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        Resource: '*',
      },
    ]);
  });

  test('one topic beside the two is refused', () => {
    const both = (stack: Stack) => {
      const topic = new Topic(stack, 'Page');
      return new Countersign(stack, 'Gate', {
        ...BASE,
        alarmTopic: topic,
        alarmTopics: { page: topic, ticket: topic },
      });
    };
    expect(() => build(both)).toThrow('alarmTopic: is given beside alarmTopics');
  });

  test('synthesis warns of alarms that nobody is told of', () => {
    const warnings = (props: object) => {
      const stack = new Stack(newApp(), 'S');
      new Countersign(stack, 'Gate', { ...BASE, ...props });
      return Annotations.fromStack(stack).findWarning('*', Match.stringLikeRegexp('nobody is told of \\d+ alarms'));
    };
    expect(warnings({})).toHaveLength(1);
    expect(warnings({ removalPolicy: RemovalPolicy.DESTROY })).toHaveLength(0);
  });

  test('an account without concurrency to spare may leave it unreserved', () => {
    const template = build((stack) => new Countersign(stack, 'Gate', { ...BASE, slackConcurrency: 'unreserved' }));
    expect(JSON.stringify(all(template, 'AWS::Lambda::Function'))).not.toContain('ReservedConcurrentExecutions');
  });
});

describe('A26 one key', () => {
  const template = build((stack) => {
    const gate = new Countersign(stack, 'Gate', { ...BASE, encryptionKey: new Key(stack, 'Key') });
    gate.grantPropose(new Role(stack, 'Agent', { assumedBy: new AccountRootPrincipal() }), 'billing');
    gate.grantAudit(new Role(stack, 'Auditor', { assumedBy: new AccountRootPrincipal() }));
  });
  const key = all(template, 'AWS::KMS::Key')[0];

  test.each([
    ['AWS::DynamoDB::Table', 2],
    ['AWS::SQS::Queue', 16],
    ['AWS::S3::Bucket', 2],
    ['AWS::SecretsManager::Secret', 3],
    ['AWS::Logs::LogGroup', 1 + FUNCTIONS.length],
    ['AWS::Lambda::Function', FUNCTIONS.length],
    ['AWS::StepFunctions::StateMachine', 1],
  ])('encrypts each %s', (type, count) => {
    const found = all(template, type);
    expect(found).toHaveLength(count);
    for (const { id, properties } of found) expect(JSON.stringify(properties), id).toContain(`"${key?.id}","Arn"`);
  });

  test('CloudWatch Logs may use it, for this account’s log groups', () => {
    expect(JSON.stringify(key?.properties)).toContain('kms:EncryptionContext:aws:logs:arn');
  });

  test('an agent may use it through SQS and DynamoDB only, an auditor through what it reads only', () => {
    const of = (role: string) =>
      rightsOf(template, role).filter((right) => right.startsWith('kms:') && right.endsWith(' Key'));
    expect(of('Agent')).toEqual(['kms:Decrypt Key', 'kms:DescribeKey Key', 'kms:GenerateDataKey Key']);
    expect(of('Auditor')).toEqual(['kms:Decrypt Key', 'kms:DescribeKey Key']);
    expect(JSON.stringify(all(template, 'AWS::IAM::Policy'))).toContain('kms:ViaService');
    // The versions of functions stand in their environment.
    expect(JSON.stringify(all(template, 'AWS::IAM::Policy'))).toMatch(/kms:ViaService.{0,40}lambda\./);
  });
});

describe('refused at synthesis, by name', () => {
  const refused = (more: Partial<CountersignProps>) => () =>
    new Countersign(new Stack(newApp(), 'Theirs'), 'Gate', { ...BASE, ...more });

  test.each(['', 'C0NOTANAPP', 'a0lower'])('slackAppId that is none: %j', (slackAppId) => {
    expect(refused({ slackAppId })).toThrow('slackAppId:');
  });

  test.each([
    'http://slack.example/api/',
    'https://slack.example/api',
    'not a url/',
    'ftp://127.0.0.1/',
    'http://127.0.0.1.example/',
  ])('slackApiUrl %s', (slackApiUrl) => {
    expect(refused({ slackApiUrl })).toThrow('slackApiUrl:');
  });

  test.each([
    'https://slack.example/api/',
    'http://127.0.0.1:3000/api/',
    'http://localhost:3000/api/',
    'http://[::1]:1/',
  ])('slackApiUrl %s is taken', (slackApiUrl) => {
    expect(refused({ slackApiUrl })).not.toThrow();
  });

  test.each([
    ['slackConcurrency', 0],
    ['slackConcurrency', Number.NaN],
    ['slackConcurrency', 2.5],
    ['archiveLock', 'complaince'],
    ['archiveKey', 'p265'],
    ['eventBus', 'default'],
    ['deployment', ''],
    ['deployment', 'two words'],
    ['policyFile', 'no-such.yaml'],
    ['policyFile', import.meta.dirname],
    ['policyFile', undefined],
    ['policyFile', 5],
    ['deployment', 5],
    ['slackAppId', [APP_ID]],
    ['slackApiUrl', new URL('https://slack.com/api/')],
    ['llmBaseUrl', 5],
    ['canary', 'false'],
    ['logReaders', 'false'],
    ['removalPolicy', 'DESTROY'],
    ['removalPolicy', RemovalPolicy.SNAPSHOT],
    ['archiveRetention', 400],
    ['archiveRetention', null],
    ['logRetention', 'ONE_YEAR'],
    ['logRetention', Duration.days(400)],
    ['accountsAllowed', 'false'],
    ['eventBus', {}],
    ['eventBus', true],
    ['encryptionKey', KEY_ARN],
    ['slackSecret', 'slack'],
    ['slackSigningSecret', 'slack'],
    ['archiveCopy', 'arn:aws:s3:::copy'],
    ['alarmTopic', 'arn:aws:sns:eu-west-1:111122223333:oncall'],
  ] as const)('%s %j, also from JavaScript', (prop, value) => {
    expect(refused({ [prop]: value } as Partial<CountersignProps>)).toThrow(`${prop}: `);
  });

  test('two topics of which one is none', () => {
    const page = new Topic(new Stack(newApp(), 'Elsewhere'), 'Page');
    expect(refused({ alarmTopics: { page } as never })).toThrow('alarmTopics.ticket: must be a resource');
  });

  test('logs of less than six months, outside development (G38)', () => {
    expect(refused({ logRetention: RetentionDays.ONE_MONTH })).toThrow('logRetention:');
    expect(refused({ logRetention: RetentionDays.ONE_MONTH, removalPolicy: RemovalPolicy.DESTROY })).not.toThrow();
    expect(refused({ logRetention: RetentionDays.INFINITE })).not.toThrow();
    for (const days of [182, 36_501])
      expect(refused({ archiveRetention: Duration.days(days) })).toThrow('archiveRetention: at');
    for (const part of [Duration.hours(10_000), Duration.days(0)])
      for (const removalPolicy of [RemovalPolicy.RETAIN, RemovalPolicy.DESTROY] as const)
        expect(refused({ archiveRetention: part, removalPolicy })).toThrow('archiveRetention: must be a whole number');
  });
});
