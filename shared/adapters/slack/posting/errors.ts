/** Sorts Slack's refusals of a message: wait, give up, or wait until somebody mends the cause. */
import type { CardProblem } from '../../../ports/stores/approval-store.ts';

/** Slack asks to wait: the message is to be seen again after this many seconds. */
export class SlackBusyError extends Error {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number, options?: ErrorOptions) {
    super(`Slack asks to wait ${retryAfterSeconds} s`, options);
    this.name = 'SlackBusyError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** The agent's other cards come first: the message is to be seen again after this many seconds. */
export class CardInLineError extends Error {
  readonly retryAfterSeconds: number;
  constructor(retryAfterSeconds: number) {
    super(`the card waits in line for ${retryAfterSeconds} s`);
    this.name = 'CardInLineError';
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** Answers of Slack that no waiting mends. */
const FINAL: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_arguments',
  'msg_too_long',
  'msg_blocks_too_long',
  // Answers about a Home or a form.
  'view_too_large',
  'no_text',
  'message_not_found',
  'thread_not_found',
  'cant_update_message',
  'edit_window_closed',
]);

/** The ones among them about the content of a message, and not about its place. */
const OF_CONTENT: ReadonlySet<string> = new Set([
  'invalid_blocks',
  'invalid_blocks_format',
  'invalid_arguments',
  'msg_too_long',
  'msg_blocks_too_long',
]);

/** Slack will never take this: the message is gone, or the card is not one. Trying again would only hold up its channel. */
export class SlackRefusedError extends Error {
  /** Slack's own word, such as `invalid_blocks`. */
  readonly reason: string;
  constructor(reason: string, options?: ErrorOptions) {
    super(`Slack refused the message: ${reason}`, options);
    this.name = 'SlackRefusedError';
    this.reason = reason;
  }

  static isFinal(reason: string): boolean {
    return FINAL.has(reason);
  }
}

/** Whether simpler words in the same place may be taken. */
export const isOfContent = (error: unknown): error is SlackRefusedError =>
  error instanceof SlackRefusedError && OF_CONTENT.has(error.reason);

/** Faults that somebody has to mend, by Slack's own word; the card may wait for it. A fault that every message would meet is `down`. */
const PROBLEMS: ReadonlyMap<string, CardProblem> = new Map([
  ['channel_not_found', 'channel_gone'],
  ['is_archived', 'channel_gone'],
  ['not_in_channel', 'not_in_channel'],
  ['token_revoked', 'token_refused'],
  ['token_expired', 'token_refused'],
  ['invalid_auth', 'token_refused'],
  ['not_authed', 'token_refused'],
  ['account_inactive', 'token_refused'],
  ['missing_scope', 'missing_scope'],
  // The gate's own word: Slack says only that it knows no such channel.
  ['other_workspace', 'other_workspace'],
  ['fatal_error', 'down'],
  ['internal_error', 'down'],
  ['service_unavailable', 'down'],
  ['request_timeout', 'down'],
  ['ratelimited', 'down'],
  ['rate_limited', 'down'],
  ['team_added_to_org', 'down'],
  ['message_limit_exceeded', 'down'],
  ['accesslimited', 'down'],
  ['ekm_access_denied', 'down'],
  ['org_login_required', 'down'],
  ['team_access_not_granted', 'down'],
  ['enterprise_is_restricted', 'down'],
  ['two_factor_setup_required', 'down'],
  ['deprecated_endpoint', 'down'],
  ['method_deprecated', 'down'],
  ['not_allowed_token_type', 'token_refused'],
  ['no_permission', 'missing_scope'],
]);

/** The message cannot be posted now. Without an answer Slack is down; an answer that is not known here is about this message. */
export class SlackProblemError extends Error {
  readonly problem: CardProblem;
  constructor(reason: string | undefined, options?: ErrorOptions) {
    super(`Slack did not take the message: ${reason ?? 'no answer'}`, options);
    this.name = 'SlackProblemError';
    this.problem = reason === undefined ? 'down' : (PROBLEMS.get(reason) ?? 'refused');
  }
}

/** Whether an answer of this word means that Slack takes the token no more. */
export const refusesToken = (word: unknown): boolean =>
  typeof word === 'string' && PROBLEMS.get(word) === 'token_refused';

/** The problem of a fault that every message to this channel meets: nobody there can be told anything. */
export function channelProblemOf(error: unknown): CardProblem | undefined {
  const problem = error instanceof SlackProblemError ? error.problem : undefined;
  return problem === 'channel_gone' || problem === 'not_in_channel' ? problem : undefined;
}

/** Slack's error code, if Slack answered. */
export function slackError(error: unknown): string | undefined {
  const { data } = error instanceof Error ? (error as { data?: { error?: unknown } }) : {};
  return typeof data?.error === 'string' ? data.error : undefined;
}
