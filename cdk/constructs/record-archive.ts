/** Creates the archive of the record: a bucket with locked objects, and the key that signs seals. */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';

/** Says who may shorten the time for which objects cannot be deleted: nobody, or holders of a right of its own. `none`: there is no such time. */
export type ArchiveLock = 'compliance' | 'governance' | 'none';

export interface RecordArchiveProps {
  /** The bucket and the key go with the stack, and nothing is locked. */
  readonly development: boolean;
  readonly encryptionKey: IKey | undefined;
  readonly lock: ArchiveLock;
  readonly retention: Duration;
}

/** At least six months (G38). */
export const MIN_RETENTION = Duration.days(183);
export const RETENTION = Duration.days(400);

export class RecordArchive extends Construct {
  readonly bucket: Bucket;
  readonly signingKey: Key;

  constructor(scope: Construct, id: string, { development, encryptionKey, lock, retention }: RecordArchiveProps) {
    super(scope, id);
    const removalPolicy = development ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.bucket = new Bucket(this, 'Bucket', {
      encryption: encryptionKey ? BucketEncryption.KMS : BucketEncryption.S3_MANAGED,
      ...(encryptionKey ? { encryptionKey, bucketKeyEnabled: true } : {}),
      enforceSSL: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      versioned: true,
      ...(lock === 'none' ? {} : { objectLockDefaultRetention: retentionOf(lock, retention) }),
      removalPolicy,
    });
    this.signingKey = new Key(this, 'SigningKey', {
      description: 'Signs seals of the archived record; its public key verifies them',
      keySpec: KeySpec.ECC_NIST_EDWARDS25519,
      keyUsage: KeyUsage.SIGN_VERIFY,
      removalPolicy,
    });
  }

  /** Refuses every other signer here, also one whom its own policy allows to sign. */
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
