/** What one call would do, as people see it on a card: everything of it, one to one, and nothing of it taking effect (D33, G22). */
import type { ContextBlock, RichTextBlock, RichTextSection } from '@slack/types';
import type { AskedCall, ToolCall } from '../../contract/index.ts';
import { shortened, visible, visibleJson } from './text.ts';

/** How much of each text is shown. */
export interface Room {
  /** Characters of one argument. */
  readonly argument: number;
  readonly why: number;
}

/** A part of the arguments with its name, or all of them as JSON. */
interface Shown {
  readonly name?: string;
  readonly text: string;
}

const MOST_NAMED = 4;
const PLAIN_NAME = /^[A-Za-z0-9_.-]{1,40}$/;

/** Whether every character of the call has its place within `room`. */
export const fits = (call: ToolCall | undefined, room: Room): boolean =>
  call !== undefined &&
  [...argumentsOf(call).map(({ text }) => text), visible(call.cwd ?? '')].every((text) => text.length <= room.argument);

export function callBlocks(asked: AskedCall, call: ToolCall | undefined, room: Room): [RichTextBlock, ContextBlock] {
  return [
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            { type: 'text', text: visible(asked.toolName), style: { bold: true } },
            ...(call?.cwd === undefined
              ? [{ type: 'text', text: ' would run' } as const]
              : ([
                  { type: 'text', text: ' would run in ' },
                  { type: 'text', text: shortened(visible(call.cwd), room.argument) || ' ', style: { code: true } },
                ] as const)),
            { type: 'text', text: ' with exactly this:' },
          ],
        },
        ...(call ? argumentsOf(call) : []).flatMap(({ name, text }) => [
          ...(name === undefined ? [] : [label(name)]),
          {
            type: 'rich_text_preformatted' as const,
            elements: [{ type: 'text' as const, text: shortened(text, room.argument) || ' ' }],
          },
        ]),
      ],
    },
    {
      type: 'context',
      elements: [
        { type: 'plain_text', text: shortened(`Why you are asked: ${visible(asked.why)}`, room.why), emoji: false },
      ],
    },
  ];
}

const label = (name: string): RichTextSection => ({
  type: 'rich_text_section',
  elements: [{ type: 'text', text: name, style: { code: true } }],
});

/** A few named texts are shown as the texts they are; anything else as JSON, where a number cannot pass for a text. */
function argumentsOf({ input }: ToolCall): Shown[] {
  const named = Object.entries((input ?? {}) as Record<string, unknown>);
  const texts = named.flatMap(([name, value]) =>
    PLAIN_NAME.test(name) && typeof value === 'string' && value.trim() !== '' ? [{ name, text: visible(value) }] : [],
  );
  const plain = named.length > 0 && named.length <= MOST_NAMED && texts.length === named.length;
  return plain ? texts : [{ text: visibleJson(input) }];
}
