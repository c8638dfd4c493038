/**
 * Logs who reads the record: a CloudTrail trail with the data events of its table and archive.
 *
 * The gate's own reads are left out.
 */
import { ArnFormat, type Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { CfnTrail } from 'aws-cdk-lib/aws-cloudtrail';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

interface RecordReadersProps {
  readonly deployment: string;
  readonly audit: ITable;
  readonly archive: Bucket;
  /** The functions' roles read entries for each decision: that says nothing about people, and would cost more than the decisions. */
  readonly without: readonly IRole[];
  readonly retention: Duration;
  readonly development: boolean;
}

/** The end of the name of the trail. */
export const TRAIL = '-record-readers';

/** CloudTrail adds the folders of accounts and days. */
const PREFIX = 'readers';

export class RecordReaders extends Construct {
  constructor(scope: Construct, id: string, props: RecordReadersProps) {
    super(scope, id);
    const { deployment, audit, archive, without, retention, development } = props;
    const stack = Stack.of(this);
    const bucket = new Bucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      lifecycleRules: [{ expiration: retention }],
      removalPolicy: development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
    });
    const name = `${deployment}${TRAIL}`;
    const trailArn = stack.formatArn({ service: 'cloudtrail', resource: 'trail', resourceName: name });
    const cloudTrail = new ServicePrincipal('cloudtrail.amazonaws.com');
    const ofThisTrail = { StringEquals: { 'aws:SourceArn': trailArn } };
    bucket.addToResourcePolicy(
      new PolicyStatement({
        actions: ['s3:GetBucketAcl'],
        principals: [cloudTrail],
        resources: [bucket.bucketArn],
        conditions: ofThisTrail,
      }),
    );
    bucket.addToResourcePolicy(
      new PolicyStatement({
        actions: ['s3:PutObject'],
        principals: [cloudTrail],
        resources: [bucket.arnForObjects(`${PREFIX}/AWSLogs/${stack.account}/*`)],
        conditions: ofThisTrail,
      }),
    );
    const people = {
      field: 'userIdentity.arn',
      notStartsWith: without.map((role) =>
        stack.formatArn({
          service: 'sts',
          region: '',
          resource: 'assumed-role',
          resourceName: `${role.roleName}/`,
          arnFormat: ArnFormat.SLASH_RESOURCE_NAME,
        }),
      ),
    };
    const readsOf = (
      type: string,
      resource: Pick<CfnTrail.AdvancedFieldSelectorProperty, 'equalTo' | 'startsWith'>,
    ) => ({
      name: `${type} read`,
      fieldSelectors: [
        { field: 'eventCategory', equalTo: ['Data'] },
        { field: 'resources.type', equalTo: [type] },
        { field: 'readOnly', equalTo: ['true'] },
        { field: 'resources.ARN', ...resource },
        people,
      ],
    });
    const trail = new CfnTrail(this, 'Trail', {
      trailName: name,
      isLogging: true,
      s3BucketName: bucket.bucketName,
      s3KeyPrefix: PREFIX,
      // CloudTrail's own digests show whether these files were changed.
      enableLogFileValidation: true,
      advancedEventSelectors: [
        readsOf('AWS::DynamoDB::Table', { equalTo: [audit.tableArn] }),
        readsOf('AWS::S3::Object', { startsWith: [archive.arnForObjects('')] }),
      ],
    });
    trail.node.addDependency(bucket.policy ?? bucket);
  }
}
