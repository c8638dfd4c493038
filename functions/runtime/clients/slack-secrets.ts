/** Caches the Slack app's token, and the secrets that its requests are signed with. */
import { UNWRITTEN } from '../../../shared/config/unwritten-secret.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { fetchSecret, SecretError } from './secrets.ts';

const KEEP_MS = 5 * 60_000;
const REFETCH_MS = 60_000;
/** After a fetch that failed. */
const RETRY_MS = 5_000;

export interface SlackToken {
  readonly botToken: string;
}

interface SlackSecrets extends SlackToken {
  /** The current one first, then the pending one of a rotation. */
  readonly signingSecrets: readonly string[];
}

export interface Cached<Value> {
  get(): Promise<Value>;
  /** After a mismatch, or a token that Slack refuses: fetches again, unless that was done within the last minute. True if the value is new. */
  refresh(): Promise<boolean>;
}

export type CachedSecrets = Cached<SlackSecrets>;

type Fetch = (name: string) => Promise<string>;

/** The app's token, for functions that talk to Slack and that Slack does not talk to: with it nobody can vote. */
export const slackToken = (name: string, clock: Clock, fetch: Fetch = fetchSecret): Cached<SlackToken> =>
  cached(clock, async () => {
    const text = await fetch(name);
    return { text, read: () => ({ botToken: tokenIn(text) }) };
  });

/** With what Slack signs its requests with: whoever holds it votes as anyone, so that one function alone reads that secret. */
export const slackSecrets = (
  names: { readonly token: string; readonly signing: string },
  clock: Clock,
  fetch: Fetch = fetchSecret,
): CachedSecrets =>
  cached(clock, async () => {
    const [token, signing] = await Promise.all([fetch(names.token), fetch(names.signing)]);
    return { text: `${signing}\n${token}`, read: () => parse(token, signing) };
  });

function cached<Value>(
  clock: Clock,
  fetch: () => Promise<{ readonly text: string; readonly read: () => Value }>,
): Cached<Value> {
  let cached: { readonly at: number; readonly text: string; readonly secrets: Value } | undefined;
  let tried = Number.NEGATIVE_INFINITY;
  let failure: unknown;
  const load = async () => {
    tried = clock.now();
    try {
      const { text, read } = await fetch();
      // An emptied secret is not used any longer, not even for the rest of its five minutes.
      cached = undefined;
      cached = { at: tried, text, secrets: read() };
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

/** Releases before kept both in one secret: it counts as long as nobody has written the other, be it wrongly. */
function parse(token: string, signing: string): SlackSecrets {
  const own = fieldsOf(signing);
  const isUnwritten = UNWRITTEN in own && !('signingSecret' in own);
  const { signingSecret, pendingSigningSecret } = isUnwritten ? fieldsOf(token) : own;
  if (!isText(signingSecret)) throw new SecretError('the Slack secret has no signingSecret');
  return {
    botToken: tokenIn(token),
    signingSecrets: isText(pendingSigningSecret) ? [signingSecret, pendingSigningSecret] : [signingSecret],
  };
}

function tokenIn(text: string): string {
  const { botToken } = fieldsOf(text);
  if (!isText(botToken)) throw new SecretError('the Slack secret has no botToken');
  return botToken;
}

/** None of a text that is no JSON. */
function fieldsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Blanks alone are no secret: everybody can sign with them. */
const isText = (value: unknown): value is string => typeof value === 'string' && value.trim().length > 0;
