/** Builds the archive of the record: a bucket of locked objects, and the key that signs seals. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { type AlarmBase, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import { AnyPrincipal, Effect, type IRole, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import {
  BlockPublicAccess,
  Bucket,
  BucketEncryption,
  type IBucket,
  ObjectLockRetention,
  type ReplicationRule,
  ReplicationTimeValue,
} from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { ArchiveKey } from '../../../shared/domain/archive/seal-key.ts';
import { alarmAt, ticket } from '../alarm/alarm.ts';

export const ARCHIVE_LOCKS = ['compliance', 'governance', 'none'] as const;
/** The lock that keeps objects from deletion: `compliance` yields to nobody, `governance` to a right of its own, `none` locks nothing. */
export type ArchiveLock = (typeof ARCHIVE_LOCKS)[number];

interface RecordArchiveProps {
  /** The bucket and the key go with the stack, and nothing is locked. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly lock: ArchiveLock;
  readonly key: ArchiveKey;
  readonly retention: Duration;
  /** S3 copies each object there. */
  readonly copy?: IBucket | undefined;
}

/** At least six months (G38). */
export const MIN_RETENTION = Duration.days(183);
/** S3 takes no longer lock. */
export const MAX_RETENTION = Duration.days(36_500);
export const RETENTION = Duration.days(400);

const KEY_SPEC = {
  ed25519: KeySpec.ECC_NIST_EDWARDS25519,
  p256: KeySpec.ECC_NIST_P256,
} as const satisfies Record<ArchiveKey, KeySpec>;

export class RecordArchive extends Construct {
  readonly bucket: Bucket;
  readonly signingKey: Key;
  /** Where S3 copies each object. */
  readonly copy: IBucket | undefined;
  readonly alarms: AlarmBase[];

  constructor(scope: Construct, id: string, props: RecordArchiveProps) {
    super(scope, id);
    const { development, encryptionKey, lock, key, retention, copy } = props;
    this.copy = copy;
    const copier = copy && new Role(this, 'Copier', { assumedBy: new ServicePrincipal('s3.amazonaws.com') });
    const removalPolicy = development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      ...(encryptionKey ? { encryptionKey, bucketKeyEnabled: true } : {}),
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      versioned: true,
      ...(lock === 'none' ? {} : { objectLockDefaultRetention: retentionOf(lock, retention) }),
      ...(copy && copier ? { replicationRole: copier, replicationRules: [copyingTo(copy, encryptionKey)] } : {}),
      removalPolicy,
    });
    if (copy && copier) this.#allowCopies(copier, copy, encryptionKey);
    this.alarms = copy ? [this.#copyAlarm(copy)] : [];
    this.signingKey = new Key(this, 'SigningKey', {
      description: 'Signs seals of the archived record; its public key verifies them',
      keySpec: KEY_SPEC[key],
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
  }

  /** Locks are copied, too, so that nobody can delete there what nobody can delete here. */
  #allowCopies(copier: Role, copy: IBucket, encryptionKey: IKey | undefined): void {
    this.bucket.grantReplicationPermission(copier, {
      ...(encryptionKey ? { sourceDecryptionKey: encryptionKey } : {}),
      destinations: [{ bucket: copy, ...(copy.encryptionKey ? { encryptionKey: copy.encryptionKey } : {}) }],
    });
    copier.addToPolicy(
      new PolicyStatement({
        actions: ['s3:GetObjectRetention', 's3:GetObjectLegalHold'],
        resources: [this.bucket.arnForObjects('*')],
      }),
    );
  }

  /** S3 tells no function of an object that it could not copy: the copy would go on lacking it. */
  #copyAlarm({ bucketName }: IBucket): AlarmBase {
    const failed = new Metric({
      namespace: 'AWS/S3',
      metricName: 'OperationsFailedReplication',
      dimensionsMap: { SourceBucket: this.bucket.bucketName, DestinationBucket: bucketName, RuleId: COPY_RULE },
      statistic: Stats.SUM,
      period: Duration.minutes(5),
    });
    const text = ticket(
      'record-is-not-copied',
      'S3 could not copy objects of the archived record: the second bucket lacks them',
      'the policies of the second bucket and of its key, which have to let the role Copier write',
    );
    return alarmAt(this, 'CopyAlarm', failed, 1, text);
  }

  /** The key refuses every other principal, even one whose own policy allows it to sign. */
  signsOnlyFor(role: IRole): void {
    this.signingKey.addToResourcePolicy(
      new PolicyStatement({
        sid: 'OnlySealSigns',
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['kms:Sign'],
        resources: ['*'],
        conditions: { ArnNotEquals: { 'aws:PrincipalArn': role.roleArn } },
      }),
    );
  }
}

const retentionOf = (lock: 'compliance' | 'governance', retention: Duration): ObjectLockRetention =>
  lock === 'compliance' ? ObjectLockRetention.compliance(retention) : ObjectLockRetention.governance(retention);

const COPY_RULE = 'Copy';

/** Removals are not copied: the copy keeps what somebody could remove here. */
const copyingTo = (destination: IBucket, encryptionKey: IKey | undefined): ReplicationRule => ({
  id: COPY_RULE,
  destination,
  deleteMarkerReplication: false,
  // Without a time of its own, which would be billed: the figures of what failed.
  metrics: ReplicationTimeValue.FIFTEEN_MINUTES,
  ...(encryptionKey ? { sseKmsEncryptedObjects: true } : {}),
  ...(destination.encryptionKey ? { kmsKey: destination.encryptionKey } : {}),
});
