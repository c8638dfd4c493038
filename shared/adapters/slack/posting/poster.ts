/** Posts and updates cards through Slack's Web API; throws an error for each kind of failure. */
import { ErrorCode, WebClient } from '@slack/web-api';
import { isShownIn } from '../../../domain/approval/approval.ts';
import type { Card } from '../../../ports/stores/approval-store.ts';
import type { RenderedCard } from '../cards/card.ts';
import type { ThreadNote } from '../cards/thread-notes.ts';
import { dateOf, line, markup, words } from '../elements/blocks.ts';
import { inText, utcDay, visible } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import { clientOptions, type OnTokenRefused } from './client-options.ts';
import { isOfContent, SlackBusyError, SlackProblemError, SlackRefusedError, slackError } from './errors.ts';

export interface SlackPoster {
  /** `refused`: Slack did not take the card, and its plain words stand there. */
  post(channel: string, card: RenderedCard): Promise<Posted>;
  /**
   * False if the message is gone, cannot be changed any more, or is that of an app that the gate had before: its buttons answer nobody. @throws
   * SlackRefusedError where its plain words stand there now.
   */
  update(at: Card, card: RenderedCard): Promise<boolean>;
  /** Into the thread of a card. */
  reply(at: Card, note: ThreadNote): Promise<void>;
  announce(channel: string, text: string): Promise<void>;
  /** To one person, in their conversation with the app, with a link to the card. */
  message(user: string, text: string, card: Card | undefined): Promise<void>;
}

type Posted = Card & { readonly refused?: SlackRefusedError | undefined };

const LOST: ReadonlySet<string> = new Set(['message_not_found', 'cant_update_message', 'edit_window_closed']);
const PLAIN = { unfurl_links: false, unfurl_media: false } as const;

export function slackPoster(
  token: string,
  slackApiUrl: string | undefined,
  onTokenRefused?: OnTokenRefused,
): SlackPoster {
  const client = new WebClient(token, clientOptions(slackApiUrl, onTokenRefused));
  /** Undefined if Slack does not say: the message is worth sending without. */
  const linkTo = async ({ channel, ts }: Card): Promise<string | undefined> => {
    const found = await client.chat.getPermalink({ channel, message_ts: ts }).catch(() => undefined);
    return found?.permalink;
  };
  return {
    async post(channel, card) {
      const { sent, refused } = await orPlain(card, (content) =>
        client.chat.postMessage({ channel, ...content, ...PLAIN }),
      );
      if (!sent.ts || !sent.channel) throw new Error('Slack answered without naming the message');
      return { channel: sent.channel, ts: sent.ts, ...(refused ? { refused } : {}) };
    },
    async update({ channel, ts }, card) {
      try {
        const { refused } = await orPlain(card, (content) => client.chat.update({ channel, ts, ...content }));
        if (refused) throw refused;
        return true;
      } catch (error) {
        if (error instanceof SlackRefusedError && LOST.has(error.reason)) return false;
        throw error;
      }
    },
    async reply({ channel, ts }, { text, blocks, loudIn = [] }) {
      const thread = { channel, thread_ts: ts, text, blocks: [...blocks], ...PLAIN };
      const isLoud = loudIn.some((one) => isShownIn(one, [channel]));
      await heeding(() => client.chat.postMessage(isLoud ? { ...thread, reply_broadcast: true } : thread));
    },
    async announce(channel, text) {
      const block = { type: 'rich_text' as const, elements: [words(withDates(visible(text)))] };
      const plain = { text: inText(visible(text).split(INSTANT).map(inUtc).join('')), mrkdwn: false, blocks: [block] };
      await heeding(() => client.chat.postMessage({ channel, ...plain, ...PLAIN }));
    },
    async message(user, text, card) {
      const link = card && (await linkTo(card));
      const blocks = [line(text), ...(link === undefined ? [] : [markup(`<${link}|${CARD.open}>`)])];
      await heeding(() => client.chat.postMessage({ channel: user, text: inText(text), blocks, ...PLAIN }));
    },
  };
}

type Content = Pick<RenderedCard, 'text' | 'blocks'>;

/** Buttons that answer nothing any more would stay where Slack refuses a card: its plain words take their place. */
async function orPlain<Sent>(
  { text, blocks, plain }: RenderedCard,
  send: (content: Content) => Promise<Sent>,
): Promise<{ readonly sent: Sent; readonly refused?: SlackRefusedError }> {
  try {
    return { sent: await heeding(() => send({ text, blocks })) };
  } catch (error) {
    if (!isOfContent(error)) throw error;
    try {
      return { sent: await heeding(() => send(plain)), refused: error };
    } catch (second) {
      throw isOfContent(second) ? error : second;
    }
  }
}

const INSTANT = /(\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d+)?)?Z)/;

/** A notification knows no date fields. */
const inUtc = (part: string): string => (isInstant(part) ? utcDay(part) : part);

const isInstant = (part: string): boolean => INSTANT.test(part) && !Number.isNaN(Date.parse(part));

/** Text as it is, with every instant in the reader's own time zone. */
const withDates = (text: string) =>
  text
    .split(INSTANT)
    .filter(Boolean)
    .map((part) => (isInstant(part) ? dateOf(part) : plainText(part)));

const plainText = (text: string) => ({ type: 'text', text }) as const;

/** A call with its failures told apart. */
export async function heeding<Result>(call: () => Promise<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    if (isRateLimited(error)) throw new SlackBusyError(error.retryAfter, { cause: error });
    const reason = slackError(error);
    if (reason === undefined && !isNoAnswer(error)) throw error;
    throw reason !== undefined && SlackRefusedError.isFinal(reason)
      ? new SlackRefusedError(reason, { cause: error })
      : new SlackProblemError(reason, { cause: error });
  }
}

const isRateLimited = (error: unknown): error is { readonly retryAfter: number } =>
  error instanceof Error && 'code' in error && error.code === ErrorCode.RateLimitedError;

/** Slack could not be reached, or is ill: every other message would meet this too. Any other fault is one of this message. */
function isNoAnswer(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (code === ErrorCode.HTTPError) return statusCode === 429 || Number(statusCode) >= 500;
  // The client has no class of its own for a 429 that does not tell how long to wait.
  return code === ErrorCode.RequestError || error.message.startsWith('Retry header');
}
