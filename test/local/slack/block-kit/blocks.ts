/**
 * Lists the blocks, and which of them each surface takes.
 *
 * A block that is not listed is refused as Slack refuses unknown ones.
 */
import { z } from 'zod';
import { accessory, actionElement, inputElement } from './elements.ts';
import { LIMITS } from './limits.ts';
import { anyText, id, mrkdwn, plainText, url } from './objects.ts';
import { richText } from './rich-text.ts';

const common = { block_id: id.optional() };

const picture = {
  image_url: url(LIMITS.imageUrl).optional(),
  slack_file: z.strictObject({ id: z.string().optional(), url: z.string().optional() }).optional(),
  alt_text: z.string().min(1).max(LIMITS.altText),
};
const onePicture = (value: { image_url?: string | undefined; slack_file?: unknown }) =>
  (value.image_url === undefined) !== (value.slack_file === undefined);
const needsPicture = 'must define either `image_url` or `slack_file`';
const imageElement = z.strictObject({ type: z.literal('image'), ...picture }).refine(onePicture, needsPicture);

const section = z
  .strictObject({
    type: z.literal('section'),
    ...common,
    text: anyText(LIMITS.text).optional(),
    fields: z.array(anyText(LIMITS.sectionFieldText)).min(1).max(LIMITS.sectionFields).optional(),
    accessory: z.discriminatedUnion('type', [...accessory, imageElement]).optional(),
    expand: z.boolean().optional(),
  })
  .refine((value) => value.text !== undefined || value.fields !== undefined, 'must define either `text` or `fields`');

const header = z.strictObject({ type: z.literal('header'), ...common, text: plainText(LIMITS.headerText) });
const divider = z.strictObject({ type: z.literal('divider'), ...common });
const image = z
  .strictObject({ type: z.literal('image'), ...common, ...picture, title: plainText(LIMITS.imageTitle).optional() })
  .refine(onePicture, needsPicture);
const context = z.strictObject({
  type: z.literal('context'),
  ...common,
  elements: z
    .array(z.discriminatedUnion('type', [plainText(LIMITS.text), mrkdwn(LIMITS.text), imageElement]))
    .min(1)
    .max(LIMITS.contextElements),
});
const actions = z.strictObject({
  type: z.literal('actions'),
  ...common,
  elements: z.array(actionElement).min(1).max(LIMITS.actionsElements),
});
const input = z.strictObject({
  type: z.literal('input'),
  ...common,
  label: plainText(LIMITS.inputLabel),
  hint: plainText(LIMITS.inputHint).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: inputElement,
});
const markdown = z.strictObject({
  type: z.literal('markdown'),
  ...common,
  text: z.string().min(1).max(LIMITS.markdownText),
});
const cell = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('raw_text'), text: z.string() }),
  z.strictObject({ type: z.literal('raw_number'), value: z.number(), text: z.string() }),
  richText,
]);
const table = z.strictObject({
  type: z.literal('table'),
  ...common,
  rows: z.array(z.array(cell).min(1).max(LIMITS.tableColumns)).min(1).max(LIMITS.tableRows),
  column_settings: z
    .array(
      z.strictObject({ align: z.enum(['left', 'center', 'right']).optional(), is_wrapped: z.boolean().optional() }),
    )
    .max(LIMITS.tableColumns)
    .optional(),
});

const shared = [section, header, divider, image, context, actions, input, richText] as const;

export const messageBlocks = z
  .array(z.discriminatedUnion('type', [...shared, markdown, table]))
  .max(LIMITS.messageBlocks);

export const viewBlocks = z.array(z.discriminatedUnion('type', [...shared])).max(LIMITS.viewBlocks);
