/**
 * Checks the composition objects: text, options, confirm dialogs.
 *
 * Unknown properties are refused, as Slack does.
 */
import { z } from 'zod';
import { LIMITS } from './limits.ts';

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: z.string().min(1).max(max), emoji: z.boolean().optional() });

export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: z.string().min(1).max(max), verbatim: z.boolean().optional() });

export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

export const id = z.string().min(1).max(LIMITS.id);

export const url = (max: number) =>
  z
    .string()
    .max(max)
    .refine((value) => URL.canParse(value), 'must be a valid URL');

export const style = z.enum(['primary', 'danger']);

export const confirm = z.strictObject({
  title: plainText(LIMITS.confirmTitle).optional(),
  text: anyText(LIMITS.confirmText),
  confirm: plainText(LIMITS.confirmButton).optional(),
  deny: plainText(LIMITS.confirmButton).optional(),
  style: style.optional(),
});

const optionRest = {
  value: z.string().min(1).max(LIMITS.optionValue),
  url: url(LIMITS.optionUrl).optional(),
};

/** Options of menus are plain text throughout. */
export const option = z.strictObject({
  text: plainText(LIMITS.optionText),
  description: plainText(LIMITS.optionDescription).optional(),
  ...optionRest,
});

/** Options of radio buttons and checkboxes may use mrkdwn. */
export const choice = z.strictObject({
  text: anyText(LIMITS.optionText),
  description: anyText(LIMITS.optionDescription).optional(),
  ...optionRest,
});

export const optionGroup = z.strictObject({
  label: plainText(LIMITS.optionGroupLabel),
  options: z.array(option).min(1).max(LIMITS.selectOptions),
});

export const conversationFilter = z.strictObject({
  include: z
    .array(z.enum(['im', 'mpim', 'private', 'public']))
    .min(1)
    .optional(),
  exclude_external_shared_channels: z.boolean().optional(),
  exclude_bot_users: z.boolean().optional(),
});
