/** Lists the interactive elements that the local Slack knows, each with its limits. */
import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { choice, confirm, conversationFilter, id, option, optionGroup, plainText, style, url } from './objects.ts';

const actionable = { action_id: id.optional() };
const confirmable = { ...actionable, confirm: confirm.optional() };
const focusable = { focus_on_load: z.boolean().optional() };
const placeholder = { placeholder: plainText(LIMITS.placeholder).optional() };
const manyOf = { max_selected_items: z.int().min(1).optional() };
const menu = { ...confirmable, ...focusable, ...placeholder };
const typed = {
  ...actionable,
  ...focusable,
  ...placeholder,
  dispatch_action_config: z
    .strictObject({
      trigger_actions_on: z
        .array(z.enum(['on_enter_pressed', 'on_character_entered']))
        .min(1)
        .max(2)
        .optional(),
    })
    .optional(),
};

type Chooser = {
  options?: unknown[] | undefined;
  option_groups?: { options: unknown[] }[] | undefined;
  initial_option?: unknown;
  initial_options?: unknown[] | undefined;
};

/** The initial choice must be one of the options, word for word. */
function checkChooser(value: Chooser, context: z.core.$RefinementCtx<unknown>): void {
  const groups = value.option_groups;
  if ((value.options === undefined) === (groups === undefined)) {
    context.addIssue({ code: 'custom', message: 'must define either `options` or `option_groups`', input: value });
  }
  const offered = (value.options ?? groups?.flatMap((group) => group.options) ?? []).map((item) =>
    JSON.stringify(item),
  );
  const initial = value.initial_options ?? (value.initial_option === undefined ? [] : [value.initial_option]);
  if (!initial.every((item) => offered.includes(JSON.stringify(item)))) {
    context.addIssue({ code: 'custom', message: 'initial option must match one of the options', input: value });
  }
}

const menuOptions = {
  options: z.array(option).min(1).max(LIMITS.selectOptions).optional(),
  option_groups: z.array(optionGroup).min(1).max(LIMITS.selectOptions).optional(),
};
const choices = z.array(choice).min(1).max(LIMITS.choiceOptions);

const button = z.strictObject({
  type: z.literal('button'),
  ...confirmable,
  text: plainText(LIMITS.buttonText),
  value: z.string().max(LIMITS.buttonValue).optional(),
  url: url(LIMITS.buttonUrl).optional(),
  style: style.optional(),
  accessibility_label: z.string().max(LIMITS.accessibilityLabel).optional(),
});

const staticSelect = z
  .strictObject({ type: z.literal('static_select'), ...menu, ...menuOptions, initial_option: option.optional() })
  .superRefine(checkChooser);
const multiStaticSelect = z
  .strictObject({
    type: z.literal('multi_static_select'),
    ...menu,
    ...manyOf,
    ...menuOptions,
    initial_options: z.array(option).optional(),
  })
  .superRefine(checkChooser);
const radioButtons = z
  .strictObject({
    type: z.literal('radio_buttons'),
    ...confirmable,
    ...focusable,
    options: choices,
    initial_option: choice.optional(),
  })
  .superRefine(checkChooser);
const checkboxes = z
  .strictObject({
    type: z.literal('checkboxes'),
    ...confirmable,
    ...focusable,
    options: choices,
    initial_options: z.array(choice).min(1).optional(),
  })
  .superRefine(checkChooser);
const overflow = z.strictObject({
  type: z.literal('overflow'),
  ...confirmable,
  options: z.array(option).min(1).max(LIMITS.overflowOptions),
});
const usersSelect = z.strictObject({ type: z.literal('users_select'), ...menu, initial_user: z.string().optional() });
const multiUsersSelect = z.strictObject({
  type: z.literal('multi_users_select'),
  ...menu,
  ...manyOf,
  initial_users: z.array(z.string()).optional(),
});
const conversationsSelect = z.strictObject({
  type: z.literal('conversations_select'),
  ...menu,
  initial_conversation: z.string().optional(),
  default_to_current_conversation: z.boolean().optional(),
  response_url_enabled: z.boolean().optional(),
  filter: conversationFilter.optional(),
});
const channelsSelect = z.strictObject({
  type: z.literal('channels_select'),
  ...menu,
  initial_channel: z.string().optional(),
  response_url_enabled: z.boolean().optional(),
});
const datetimepicker = z.strictObject({
  type: z.literal('datetimepicker'),
  action_id: id.optional(),
  initial_date_time: z.int().min(1_000_000_000).max(9_999_999_999).optional(),
  confirm: confirm.optional(),
  focus_on_load: z.boolean().optional(),
});
const datepicker = z.strictObject({ type: z.literal('datepicker'), ...menu, initial_date: z.iso.date().optional() });
const timepicker = z.strictObject({
  type: z.literal('timepicker'),
  ...menu,
  initial_time: z
    .string()
    .regex(/^\d{2}:\d{2}$/)
    .optional(),
  timezone: z.string().optional(),
});
const inputLength = z.int().max(LIMITS.inputLength);
const plainTextInput = z
  .strictObject({
    type: z.literal('plain_text_input'),
    ...typed,
    initial_value: z.string().optional(),
    multiline: z.boolean().optional(),
    min_length: inputLength.min(0).optional(),
    max_length: inputLength.min(1).optional(),
  })
  .superRefine((value, context) => {
    if ((value.min_length ?? 0) > (value.max_length ?? LIMITS.inputLength)) {
      context.addIssue({ code: 'custom', message: 'min_length must not exceed max_length', input: value });
    }
    if ((value.initial_value?.length ?? 0) > (value.max_length ?? LIMITS.inputLength)) {
      context.addIssue({ code: 'custom', message: 'initial_value must not exceed max_length', input: value });
    }
  });
const numberInput = z.strictObject({
  type: z.literal('number_input'),
  ...typed,
  is_decimal_allowed: z.boolean(),
  initial_value: z.string().optional(),
  min_value: z.string().optional(),
  max_value: z.string().optional(),
});
const emailInput = z.strictObject({
  type: z.literal('email_text_input'),
  ...typed,
  initial_value: z.string().optional(),
});
const urlInput = z.strictObject({ type: z.literal('url_text_input'), ...typed, initial_value: z.string().optional() });

const everywhere = [
  staticSelect,
  multiStaticSelect,
  radioButtons,
  checkboxes,
  usersSelect,
  multiUsersSelect,
  conversationsSelect,
  channelsSelect,
  datepicker,
  timepicker,
] as const;

export const accessory = [button, overflow, ...everywhere] as const;
export const actionElement = z.discriminatedUnion('type', [button, overflow, datetimepicker, ...everywhere]);
export const inputElement = z.discriminatedUnion('type', [
  ...everywhere,
  datetimepicker,
  plainTextInput,
  numberInput,
  emailInput,
  urlInput,
]);
