/** Caches secrets for five minutes, by their names. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { lazy } from '../lazy.ts';
import { noteOperations } from '../telemetry/aws-operations.ts';

const KEEP_MS = 5 * 60_000;

/** The secret is there and holds nothing of use: somebody has to fill it. */
export class SecretError extends Error {
  override readonly name = 'SecretError';
}

/** Whether somebody has to make or fill the secret; otherwise waiting helps, or a right is missing. */
export const isUnfilled = (error: unknown): boolean =>
  error instanceof SecretError ||
  // AWS says the latter of a secret that is marked for deletion.
  (error instanceof Error && /^(?:ResourceNotFound|InvalidRequest)Exception$/.test(error.name));

const client = lazy(() => noteOperations(new SecretsManagerClient(CLIENT_OPTIONS)));

/** The text of a secret. @throws SecretError if it is empty: the endpoint stops. */
export async function fetchSecret(name: string): Promise<string> {
  const { SecretString: text } = await client().send(new GetSecretValueCommand({ SecretId: name }));
  if (!text?.trim()) throw new SecretError('a secret is missing or empty');
  return text;
}

/** Secrets by name, each kept five minutes: a rotated one is in use soon. Callers at once share one fetch; a failed one is forgotten. */
export function cachedSecret(
  clock: Clock,
  fetch: (name: string) => Promise<string> = fetchSecret,
): (name: string) => Promise<string> {
  const cached = new Map<string, { readonly at: number; readonly text: Promise<string> }>();
  return (name) => {
    const known = cached.get(name);
    if (known && clock.now() - known.at < KEEP_MS) return known.text;
    const fetched = { at: clock.now(), text: fetch(name) };
    cached.set(name, fetched);
    fetched.text.catch(() => cached.get(name) === fetched && cached.delete(name));
    return fetched.text;
  };
}
