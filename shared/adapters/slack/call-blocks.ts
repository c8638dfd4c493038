/** What one call would do, as people see it on a card: all of it, or its two ends and how much is between them. */
import type { ContextBlock, KnownBlock, RichTextBlock, RichTextBlockElement, RichTextSection } from '@slack/types';
import type { AskedCall, Effect, ToolCall } from '../../contract/index.ts';
import { argumentsOf, labelOf, type Shown, sizeText } from './arguments.ts';
import { shortened, visible } from './text.ts';

/** How much of each text is shown. */
export interface Room {
  /** Characters of one argument. */
  readonly argument: number;
  readonly why: number;
}

/** Lines of an argument from which on their number is said: what follows many of them is easily overlooked. */
const MANY_LINES = 10;
/** Of an argument that is too long, its end is shown too: what matters may be put there. */
const TAIL = 1 / 3;

/** Whether every character of the call has its place within `room`. */
export const fits = (call: ToolCall | undefined, room: Room): boolean =>
  call !== undefined &&
  [...argumentsOf(call).map(({ text }) => text), visible(call.cwd ?? '')].every((text) => text.length <= room.argument);

/** The call in a form that people know: tool, where, arguments, and why they are asked. */
export function callBlocks(asked: AskedCall, call: ToolCall | undefined, room: Room): KnownBlock[] {
  const what: RichTextBlock = {
    type: 'rich_text',
    elements: [headline(asked, call, room), ...(call ? argumentsOf(call) : []).flatMap((one) => argument(one, room))],
  };
  return [what, why(asked, room)];
}

function headline({ toolName }: AskedCall, call: ToolCall | undefined, room: Room): RichTextSection {
  const tool = { type: 'text', text: visible(toolName), style: { bold: true } } as const;
  const place =
    call?.cwd === undefined
      ? [{ type: 'text', text: ' would run' } as const]
      : [
          { type: 'text', text: ' would run in ' } as const,
          { type: 'text', text: shortened(visible(call.cwd), room.argument) || ' ', style: { code: true } } as const,
        ];
  return section([tool, ...place, { type: 'text', text: ' with exactly this:' }]);
}

function argument(shown: Shown, { argument: most }: Room): RichTextBlockElement[] {
  const { name, text, raw, isSaid } = shown;
  const style = isSaid ? { bold: true } : { code: true };
  const label = name === undefined ? [] : [section([{ type: 'text', text: labelOf(shown), style }])];
  if (text.length <= most) {
    const lines = raw.split('\n').length;
    const note = lines < MANY_LINES ? [] : [section([aside(`${lines} lines`)])];
    return [...label, preformatted(text), ...note];
  }
  const points = [...text];
  const tail = Math.floor(most * TAIL);
  const head = most - tail;
  const between = points.length - head - tail;
  return [
    ...label,
    preformatted(points.slice(0, head).join('')),
    section([aside(`Not shown here: ${between} characters between this and the end. In all ${sizeText(raw)}.`)]),
    preformatted(points.slice(-tail).join('')),
  ];
}

const aside = (text: string) => ({ type: 'text', text, style: { italic: true } }) as const;
const section = (elements: RichTextSection['elements']): RichTextSection => ({ type: 'rich_text_section', elements });

export const preformatted = (text: string): RichTextBlockElement => ({
  type: 'rich_text_preformatted',
  elements: [{ type: 'text', text: text || ' ' }],
});

/** The rule and where it comes from, so that the right people can be asked about it. */
function why({ why: words, rule, touches }: AskedCall, room: Room): ContextBlock {
  const named = rule === undefined || words.includes(rule.pattern);
  const source = named ? '' : ` (rule ${visible(rule.pattern)}, ${rule.source})`;
  const text = shortened(`Why you are asked: ${visible(words)}${source}`, room.why);
  const touched = shortened(touchesText(touches), room.why);
  return { type: 'context', elements: [text, touched].map((one) => ({ type: 'plain_text', text: one, emoji: false })) };
}

/** Whether it can be taken back, in the words of what the tool declares. */
const EFFECTS: Readonly<Record<Effect, string>> = {
  Pure: 'changes nothing',
  IdempotentWrite: 'changes something; twice is like once',
  NonIdempotentWrite: 'changes something each time it runs',
  ExternalSideEffects: 'acts outside, and cannot be taken back',
};

/** What it would touch, as far as the gate can see: a help to judge, in no way the whole. */
function touchesText({ effect, paths = [], hosts = [], amounts = [], outside, more }: ImpactView = {}): string {
  const parts = [
    effect ? EFFECTS[effect] : 'what it does to the world is not declared',
    ...paths,
    ...(outside ? ['outside the project root'] : []),
    ...hosts.map((host) => `connects to ${host}`),
    ...amounts,
    ...(more ? [`and ${more} more`] : []),
  ];
  return `What it would touch: ${parts.map(visible).join(' · ')}`;
}

type ImpactView = NonNullable<AskedCall['touches']>;
