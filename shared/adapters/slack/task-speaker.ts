/** Posts the task agent's replies in Slack; no mention, link or format in a task takes effect. */
import type { ActionsBlock, KnownBlock, SectionBlock } from '@slack/types';
import { WebClient } from '@slack/web-api';
import type { MessageSender, Reply } from '../../ports/conversation.ts';
import { inText, shortened, visible } from './elements/text.ts';
import { clientOptions, type OnTokenRefused } from './posting/client-options.ts';
import { heeding } from './posting/poster.ts';
import { TASK } from './texts/task.ts';

export const TASK_ACTIONS = { yes: 'countersign_task_yes', no: 'countersign_task_no' } as const;

/** The value of a button: the message whose answer the button is under, and its conversation. */
export interface TaskButtonValue {
  readonly asks: string;
  readonly conversation: string;
}

/** Slack's limits: 3,000 characters a text object, about 13,200 in all blocks together. */
const MAX_PIECE = 2_900;
const MAX_TEXT = 11_000;

function renderReply({ text, question }: Reply): { readonly text: string; readonly blocks: KnownBlock[] } {
  const shown = shortened(visible(text), MAX_TEXT) || ' ';
  const blocks: KnownBlock[] = piecesOf(shown).map(
    (piece): SectionBlock => ({ type: 'section', text: { type: 'plain_text', text: piece, emoji: false } }),
  );
  return { text: shortened(inText(shown), MAX_PIECE), blocks: question ? [...blocks, buttons(question)] : blocks };
}

/** Cut at ends of lines where there are any. */
function piecesOf(text: string): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > MAX_PIECE) {
    const lineEnd = rest.lastIndexOf('\n', MAX_PIECE);
    const end = lineEnd > 0 ? lineEnd : wholeCharacters(rest, MAX_PIECE);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(lineEnd > 0 ? end + 1 : end);
  }
  return [...pieces, rest].filter((piece) => piece !== '');
}

const wholeCharacters = (text: string, end: number): number =>
  (text.codePointAt(end - 1) ?? 0) > 0xffff ? end - 1 : end;

function buttons({ asks, conversation }: NonNullable<Reply['question']>): ActionsBlock {
  const value = JSON.stringify({ asks, conversation } satisfies TaskButtonValue);
  const button = (text: string, action_id: string, style?: 'danger') =>
    ({
      type: 'button',
      text: { type: 'plain_text', text, emoji: false },
      action_id,
      value,
      ...(style ? { style } : {}),
    }) as const;
  return {
    type: 'actions',
    block_id: 'countersign_task',
    elements: [button(TASK.deleteIt, TASK_ACTIONS.yes, 'danger'), button(TASK.keepIt, TASK_ACTIONS.no)],
  };
}

export function slackSpeaker(
  token: string,
  slackApiUrl: string | undefined,
  onTokenRefused?: OnTokenRefused,
): MessageSender {
  const client = new WebClient(token, clientOptions(slackApiUrl, onTokenRefused));
  return {
    async send({ channel, thread }, reply) {
      const sent = await heeding(() =>
        client.chat.postMessage({
          channel,
          ...renderReply(reply),
          ...(thread ? { thread_ts: thread } : {}),
          unfurl_links: false,
          unfurl_media: false,
        }),
      );
      if (!sent.ts || !sent.channel) throw new Error('Slack answered without naming the message');
      return { channel: sent.channel, ts: sent.ts };
    },
    async change({ channel, ts }, reply) {
      await heeding(() => client.chat.update({ channel, ts, ...renderReply(reply) }));
    },
    async whisper(channel, user, text) {
      await heeding(() => client.chat.postEphemeral({ channel, user, text: inText(text) }));
    },
  };
}
