/** Reads texts that entries of the record name by their digest. */
import { CLIENT_OPTIONS } from '../../../adapters/client-options.ts';
import { InputGoneError, type InputStore, type TextKind } from '../../../ports/stores/input-store.ts';
import type { NamedTexts } from '../../../use-cases/archive/compare-texts.ts';

export async function recordTexts(bucket: string): Promise<Pick<InputStore, 'get'>> {
  const [{ S3Client }, { s3InputStore }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('../../../adapters/s3/input-store.ts'),
  ]);
  const forcePathStyle = process.env['AWS_ENDPOINT_URL'] !== undefined;
  return s3InputStore(new S3Client({ ...CLIENT_OPTIONS, forcePathStyle }), bucket);
}

/** For an auditor, who may not list the bucket, S3 calls a text that is gone forbidden. A text that the role may not read is no finding. */
export async function namedTexts(bucket: string): Promise<NamedTexts> {
  const [texts, { textsNamedBy }] = await Promise.all([
    recordTexts(bucket),
    import('../../../adapters/dynamodb/audit/named-texts.ts'),
  ]);
  return {
    namedBy: (item) => textsNamedBy(item).map(({ kind, digest }) => `${kind}/${digest}`),
    async find(name) {
      const [kind, digest = ''] = name.split('/');
      try {
        await texts.get(digest, kind as TextKind);
        return 'there';
      } catch (error) {
        if (isMissing(error)) return 'missing';
        if (error instanceof InputGoneError) return 'changed';
        // The gate writes no text so that auditors cannot read it.
        if (isOf(error, 'AccessDenied') && /perform: kms:Decrypt\b/.test(error.message)) return 'locked';
        if (isOf(error, 'InvalidRequest', 'InvalidObjectState')) return 'changed';
        throw error;
      }
    },
  };
}

/** Whether the bucket has no such text; one that is not what its digest says is there. */
export const isMissing = (error: unknown): boolean =>
  error instanceof InputGoneError ? error.cause !== undefined : isForbiddenAsMissing(error);

/** S3 names the right that a role lacks: to list, where the object is not there; to read or to decrypt, where nothing can be told of it. */
const isForbiddenAsMissing = (error: unknown): boolean =>
  isOf(error, 'AccessDenied') && !/perform: (?!s3:ListBucket\b)/.test(error.message);

/** S3 answers `InvalidRequest` for an object under a key that its writer alone has, and `InvalidObjectState` for one in cold storage. */
const isOf = (error: unknown, ...names: readonly string[]): error is Error =>
  error instanceof Error && names.includes(error.name);

/** The key of the record's digests. @throws Error without the right to read it. */
export async function digestKeyOf(secret: string): Promise<Uint8Array> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { SecretString } = await new SecretsManagerClient(CLIENT_OPTIONS).send(
    new GetSecretValueCommand({ SecretId: secret }),
  );
  if (!SecretString) throw new Error('the digest key is empty');
  return Buffer.from(SecretString);
}
