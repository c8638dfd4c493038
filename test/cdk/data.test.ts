/** Checks what the stack stores: its tables and logs, and what stays when the stack goes. */
import { describe, expect, inject, test } from 'vitest';
import { FUNCTIONS } from '../../cdk/constructs/functions/function-names.ts';
import { LOOK_ATTRIBUTES, LOOK_INDEX } from '../../shared/adapters/dynamodb/reconcile-index.ts';
import { UNWRITTEN } from '../../shared/config/unwritten-secret.ts';
import { DEFINITIONS, NAMES } from '../simulation/tables/definitions.ts';
import { all, one, type TemplateJson } from './support/template.ts';

const production = JSON.parse(inject('production')) as TemplateJson;
const development = JSON.parse(inject('development')) as TemplateJson;

const KEEPS = ['AWS::DynamoDB::Table', 'AWS::S3::Bucket', 'AWS::Logs::LogGroup'];
const SIX_MONTHS = 180;

describe('tables', () => {
  test.each(['State', 'Audit'])('%s: on demand, recoverable, encrypted', (name) => {
    expect(one(production, 'AWS::DynamoDB::Table', `GateTables${name}`).properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true },
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
    });
  });

  test('A23b state has its indexes, the newest for what is looked at,, and forgets by ttl', () => {
    const { properties } = one<{ GlobalSecondaryIndexes: { IndexName: string; Projection: object }[] }>(
      production,
      'AWS::DynamoDB::Table',
      'GateTablesState',
    );
    expect(properties.GlobalSecondaryIndexes.map(({ IndexName }) => IndexName)).toEqual(['byLook', 'byDue', 'generic']);
    expect(properties.GlobalSecondaryIndexes[0]).toMatchObject({
      IndexName: LOOK_INDEX,
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: [...LOOK_ATTRIBUTES] },
    });
    expect(properties).toMatchObject({ TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } });
  });

  test.each(DEFINITIONS)('the simulator plays $TableName with the indexes of the stack', (definition) => {
    const { TableName, GlobalSecondaryIndexes } = definition;
    const id = `GateTables${TableName === NAMES.state ? 'State' : 'Audit'}`;
    expect(one(production, 'AWS::DynamoDB::Table', id).properties).toMatchObject({ GlobalSecondaryIndexes });
  });

  test('A25 AU-016 audit has its indexes and a stream of both images, and forgets by ttl when the retention is over', () => {
    const { properties } = one(production, 'AWS::DynamoDB::Table', 'GateTablesAudit');
    expect(properties).toMatchObject({
      GlobalSecondaryIndexes: [{ IndexName: 'byAgent' }, { IndexName: 'byFacet' }],
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
    });
    expect(properties).toMatchObject({ TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true } });
  });
});

describe('what is kept', () => {
  const kept = (template: TemplateJson) => KEEPS.flatMap((type) => all(template, type));

  test('stays when the stack goes; tables cannot be deleted at all', () => {
    expect(new Set(kept(production).map(({ deletionPolicy }) => deletionPolicy))).toEqual(new Set(['Retain']));
    const tables = all<{ DeletionProtectionEnabled?: boolean }>(production, 'AWS::DynamoDB::Table');
    expect(tables.map(({ properties }) => properties.DeletionProtectionEnabled)).toEqual([true, true]);
  });

  test('goes with the stack in development, and leaves nothing behind', () => {
    expect(new Set(kept(development).map(({ deletionPolicy }) => deletionPolicy))).toEqual(new Set(['Delete']));
    const tables = all<{ DeletionProtectionEnabled?: boolean }>(development, 'AWS::DynamoDB::Table');
    expect(tables.map(({ properties }) => properties.DeletionProtectionEnabled ?? false)).toEqual([false, false]);
  });

  test('G38 every log is kept for six months', () => {
    const groups = all<{ RetentionInDays: number }>(production, 'AWS::Logs::LogGroup');
    expect(groups).toHaveLength(1 + FUNCTIONS.length);
    expect(Math.min(...groups.map(({ properties }) => properties.RetentionInDays))).toBeGreaterThanOrEqual(SIX_MONTHS);
  });
});

describe('inputs and secrets', () => {
  test('the bucket is encrypted, closed to the public and to plain HTTP', () => {
    const buckets = all(production, 'AWS::S3::Bucket');
    expect(buckets).toHaveLength(2);
    for (const { properties } of buckets)
      expect(properties).toMatchObject({
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
        BucketEncryption: { ServerSideEncryptionConfiguration: [{}] },
      });
    const policies = all(production, 'AWS::S3::BucketPolicy');
    expect(policies).toHaveLength(2);
    for (const policy of policies) expect(JSON.stringify(policy)).toContain('"aws:SecureTransport":"false"');
  });

  test.each([
    ['production', production, 400],
    ['development', development, 7],
  ])('G38 texts that entries name are stored as long as the entries, in %s', (_, template, inputDays) => {
    const rules = all<{ LifecycleConfiguration?: { Rules: { Prefix: string; ExpirationInDays: number }[] } }>(
      template,
      'AWS::S3::Bucket',
    ).flatMap(({ properties }) => properties.LifecycleConfiguration?.Rules ?? []);
    expect(rules).toEqual([
      expect.objectContaining({ Prefix: 'input/', ExpirationInDays: inputDays }),
      expect.objectContaining({ Prefix: 'record/', ExpirationInDays: 402 }),
      expect.objectContaining({ Prefix: 'shown/', ExpirationInDays: 402 }),
    ]);
  });

  test('A25 objects of the archived record are locked for 400 days in production, and not in development', () => {
    const locks = (of: TemplateJson) =>
      all<{ ObjectLockConfiguration?: unknown; VersioningConfiguration?: unknown }>(of, 'AWS::S3::Bucket')
        .filter(({ id }) => id.startsWith('GateRecord'))
        .map(({ properties }) => properties);
    expect(locks(production)).toMatchObject([
      {
        ObjectLockEnabled: true,
        ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'COMPLIANCE', Days: 400 } } },
        VersioningConfiguration: { Status: 'Enabled' },
      },
    ]);
    expect(locks(development)[0]).not.toHaveProperty('ObjectLockConfiguration');
  });

  test('A25 one role signs seals, and the key that does outlives the stack as the digest key does', () => {
    const { id, properties } = one<{ KeySpec: string; KeyUsage: string; KeyPolicy: unknown }>(
      production,
      'AWS::KMS::Key',
      'GateRecordSigningKey',
    );
    expect(properties).toMatchObject({ KeySpec: 'ECC_NIST_EDWARDS25519', KeyUsage: 'SIGN_VERIFY' });
    expect(JSON.stringify(properties.KeyPolicy)).toContain(
      '"ArnNotEquals":{"aws:PrincipalArn":{"Fn::GetAtt":["GateSealRole',
    );
    expect(production.Resources[id]).toMatchObject({ DeletionPolicy: 'Retain' });
    const digestKey = one(production, 'AWS::SecretsManager::Secret', 'GateDigestKey').id;
    expect(production.Resources[digestKey]).toMatchObject({ DeletionPolicy: 'Retain' });
  });

  test('G42 secrets are generated by the service; no text of one stands in the template', () => {
    const secrets = all<Record<string, unknown>>(production, 'AWS::SecretsManager::Secret');
    expect(secrets).toHaveLength(3);
    for (const { properties } of secrets) expect(properties).not.toHaveProperty('SecretString');
  });

  test('what Slack signs with is marked as unwritten, so that a gate of the release before goes on with its joint secret', () => {
    expect(one(production, 'AWS::SecretsManager::Secret', 'GateSlackSigningSecret').properties).toMatchObject({
      GenerateSecretString: { SecretStringTemplate: '{}', GenerateStringKey: UNWRITTEN },
    });
  });
});
