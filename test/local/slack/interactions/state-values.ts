/** Builds the state of a form as Slack reports it: `values[block_id][action_id]`. */
import { elementsOf } from '../block-kit/find.ts';
import type { Dict } from '../types.ts';
import { dictOf, isDict, listOf, textOf } from '../values.ts';

/** A person's entry: text, an option's value, an id, several of them, or nothing. */
export type Entered = string | string[] | null;

/** Keys are block ids or action ids; a block id may also hold one entry per action id. */
export type EnteredValues = Record<string, Entered | Record<string, Entered>>;

const STATEFUL: Record<string, string> = {
  plain_text_input: 'value',
  number_input: 'value',
  email_text_input: 'value',
  url_text_input: 'value',
  static_select: 'selected_option',
  radio_buttons: 'selected_option',
  multi_static_select: 'selected_options',
  checkboxes: 'selected_options',
  users_select: 'selected_user',
  multi_users_select: 'selected_users',
  conversations_select: 'selected_conversation',
  channels_select: 'selected_channel',
  datepicker: 'selected_date',
  datetimepicker: 'selected_date_time',
  timepicker: 'selected_time',
};

const INITIAL: Record<string, string> = {
  value: 'initial_value',
  selected_option: 'initial_option',
  selected_options: 'initial_options',
  selected_user: 'initial_user',
  selected_users: 'initial_users',
  selected_conversation: 'initial_conversation',
  selected_channel: 'initial_channel',
  selected_date: 'initial_date',
  selected_date_time: 'initial_date_time',
  selected_time: 'initial_time',
};

/** Elements nobody touched report what they start with. */
export function stateValues(blocks: Dict[], entered: EnteredValues): Record<string, Dict> {
  const values: Record<string, Dict> = {};
  for (const { blockId, element } of elementsOf(blocks)) {
    const type = String(element.type);
    const field = STATEFUL[type];
    if (field === undefined) continue;
    const actionId = String(element.action_id);
    const entry = enteredAt(entered, blockId, actionId);
    const value = entry === undefined ? initialValue(element, field) : chosen(element, field, entry);
    values[blockId] = { ...values[blockId], [actionId]: { type, [field]: value } };
  }
  return values;
}

/** The part of an action that says what was chosen, such as `selected_option`. */
export function chosenIn(element: Dict, entered: Entered): Dict {
  if (element.type === 'overflow') return { selected_option: optionOf(element, String(entered)) };
  const field = STATEFUL[String(element.type)];
  return field === undefined ? {} : { [field]: chosen(element, field, entered) };
}

/** Problems that the form itself reports before anyone can submit, by block id. */
export function incomplete(blocks: Dict[], values: Record<string, Dict>): Record<string, string> {
  const errors: Record<string, string> = {};
  for (const { block, blockId, element } of elementsOf(blocks).filter((found) => found.block.type === 'input')) {
    const { type: _type, ...held } = dictOf(dictOf(values[blockId])[String(element.action_id)]);
    const [value] = Object.values(held);
    const empty = value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);
    if (empty && block.optional !== true) errors[blockId] = 'Please fill in this field.';
    const wrong = empty ? undefined : wrongInput(element, textOf(value));
    if (wrong !== undefined) errors[blockId] = wrong;
  }
  return errors;
}

function wrongInput(element: Dict, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const longest = Number(element.max_length ?? 3_000);
  if (text.length > longest) return `Please enter at most ${longest} characters.`;
  if (text.length < Number(element.min_length ?? 0)) return `Please enter at least ${element.min_length} characters.`;
  if (element.type === 'email_text_input' && !/^\S+@\S+$/.test(text)) return 'Please enter an email address.';
  if (element.type === 'url_text_input' && !URL.canParse(text)) return 'Please enter a link.';
  return element.type === 'number_input' ? wrongNumber(element, text) : undefined;
}

function wrongNumber(element: Dict, text: string): string | undefined {
  const number = Number(text);
  if (Number.isNaN(number)) return 'Please enter a number.';
  if (element.is_decimal_allowed !== true && !Number.isInteger(number)) return 'Please enter a whole number.';
  if (number < Number(element.min_value ?? -Infinity)) return `Please enter ${element.min_value} or more.`;
  return number > Number(element.max_value ?? Infinity) ? `Please enter ${element.max_value} or less.` : undefined;
}

function enteredAt(entered: EnteredValues, blockId: string, actionId: string): Entered | undefined {
  const inBlock = entered[blockId];
  if (isDict(inBlock)) return inBlock[actionId] as Entered | undefined;
  if (inBlock !== undefined) return inBlock as Entered;
  const byAction = entered[actionId];
  return isDict(byAction) ? undefined : (byAction as Entered | undefined);
}

function initialValue(element: Dict, field: string): unknown {
  const initial = element[INITIAL[field] ?? ''];
  return initial ?? (field.endsWith('s') ? [] : null);
}

function chosen(element: Dict, field: string, entered: Entered): unknown {
  const many = Array.isArray(entered) ? entered : entered === null || entered === '' ? [] : [entered];
  if (field === 'selected_options') return many.map((value) => optionOf(element, value));
  if (field.endsWith('s')) return many;
  const one = many[0] ?? null;
  if (field === 'selected_date_time') return one === null ? null : Number(one);
  return field === 'selected_option' && one !== null ? optionOf(element, one) : one;
}

function optionOf(element: Dict, value: string): Dict {
  const options = [
    ...listOf(element.options),
    ...listOf(element.option_groups).flatMap((group) => listOf(group.options)),
  ];
  const option = options.find((one) => one.value === value);
  if (option === undefined) throw new Error(`no option with the value ${JSON.stringify(value)}`);
  return option;
}
