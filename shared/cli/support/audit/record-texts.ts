/** Reads texts that entries of the record name by their digest. */
import { CLIENT_OPTIONS } from '../../../adapters/client-options.ts';
import type { InputStore } from '../../../ports/stores/input-store.ts';

export async function recordTexts(bucket: string): Promise<Pick<InputStore, 'get'>> {
  const [{ S3Client }, { s3InputStore }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('../../../adapters/s3/input-store.ts'),
  ]);
  const forcePathStyle = process.env['AWS_ENDPOINT_URL'] !== undefined;
  return s3InputStore(new S3Client({ ...CLIENT_OPTIONS, forcePathStyle }), bucket);
}

/** The key of the record's digests. @throws Error without the right to read it. */
export async function digestKeyOf(secret: string): Promise<Uint8Array> {
  const { GetSecretValueCommand, SecretsManagerClient } = await import('@aws-sdk/client-secrets-manager');
  const { SecretString } = await new SecretsManagerClient(CLIENT_OPTIONS).send(
    new GetSecretValueCommand({ SecretId: secret }),
  );
  if (!SecretString) throw new Error('the digest key is empty');
  return Buffer.from(SecretString);
}
