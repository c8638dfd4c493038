/** Checks the rich_text block: lists, quotes, preformatted text and what may stand inside them. */
import { z } from 'zod';
import { id } from './objects.ts';

const textStyle = z.strictObject({
  bold: z.boolean().optional(),
  italic: z.boolean().optional(),
  strike: z.boolean().optional(),
  underline: z.boolean().optional(),
  code: z.boolean().optional(),
  highlight: z.boolean().optional(),
});
const styled = { style: textStyle.optional() };
const text = z.strictObject({ type: z.literal('text'), text: z.string().min(1), ...styled });
const link = z.strictObject({
  type: z.literal('link'),
  url: z.string().min(1),
  text: z.string().optional(),
  unsafe: z.boolean().optional(),
  ...styled,
});
const inline = z.discriminatedUnion('type', [
  text,
  link,
  z.strictObject({ type: z.literal('user'), user_id: z.string(), ...styled }),
  z.strictObject({ type: z.literal('channel'), channel_id: z.string(), ...styled }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: z.string(), ...styled }),
  z.strictObject({ type: z.literal('emoji'), name: z.string(), unicode: z.string().optional(), ...styled }),
  z.strictObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), ...styled }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: z.string(),
    url: z.string().optional(),
    fallback: z.string().optional(),
    ...styled,
  }),
]);
const border = { border: z.int().min(0).max(1).optional() };
const section = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

export const richText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: id.optional(),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.strictObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          elements: z.array(section),
          indent: z.int().min(0).max(8).optional(),
          offset: z.int().min(0).optional(),
          ...border,
        }),
        z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(inline), ...border }),
        z.strictObject({
          type: z.literal('rich_text_preformatted'),
          elements: z.array(z.discriminatedUnion('type', [text, link])),
          language: z.string().optional(),
          ...border,
        }),
      ]),
    )
    .min(1),
});
