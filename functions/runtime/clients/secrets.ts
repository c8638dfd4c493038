/** Caches secrets for five minutes; one that does not fit is fetched again at most once a minute. */
import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { CLIENT_OPTIONS } from '../../../shared/adapters/client-options.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { lazy } from '../lazy.ts';
import { noteOperations } from '../telemetry/aws-operations.ts';

const KEEP_MS = 5 * 60_000;
const REFETCH_MS = 60_000;
/** After a fetch that failed. */
const RETRY_MS = 5_000;

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

export interface SlackSecrets {
  readonly botToken: string;
  /** The current one first, then the pending one of a rotation. */
  readonly signingSecrets: readonly string[];
}

export interface CachedSecrets {
  get(): Promise<SlackSecrets>;
  /** After a mismatch: fetches again, unless that was done within the last minute. True if the secrets are new. */
  refresh(): Promise<boolean>;
}

export function slackSecrets(
  name: string,
  clock: Clock,
  fetch: (name: string) => Promise<string> = fetchSecret,
): CachedSecrets {
  let cached: { readonly at: number; readonly text: string; readonly secrets: SlackSecrets } | undefined;
  let tried = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  const load = async () => {
    tried = clock.now();
    try {
      const text = await fetch(name);
      // An emptied secret is not used any longer, not even for the rest of its five minutes.
      cached = undefined;
      cached = { at: tried, text, secrets: parse(text) };
      failure = undefined;
      return cached;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  return {
    async get() {
      if (cached && clock.now() - cached.at < KEEP_MS) return cached.secrets;
      // Anybody may call the endpoint: a missing secret is not looked for with each request.
      if (failure && clock.now() - tried < RETRY_MS) throw failure;
      return (await load()).secrets;
    },
    async refresh() {
      if (clock.now() - tried < REFETCH_MS) return false;
      const before = cached?.text;
      // A request that nobody may have signed changes nothing by a fault of ours: the secrets at hand stay.
      return load().then(
        ({ text }) => text !== before,
        () => false,
      );
    },
  };
}

function parse(text: string): SlackSecrets {
  const { signingSecret, pendingSigningSecret, botToken } = objectOf(text);
  if (!isText(signingSecret)) throw new SecretError('the Slack secret has no signingSecret');
  if (!isText(botToken)) throw new SecretError('the Slack secret has no botToken');
  return {
    botToken,
    signingSecrets: isText(pendingSigningSecret) ? [signingSecret, pendingSigningSecret] : [signingSecret],
  };
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    value = undefined;
  }
  if (typeof value !== 'object' || value === null)
    throw new SecretError('the Slack secret is not JSON with signingSecret and botToken');
  return value as Record<string, unknown>;
}

/** Blanks alone are no secret: everybody can sign with them. */
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim().length > 0;
