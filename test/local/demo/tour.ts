/** Answers a scene as its people would, by what the card in front of them says: for `--tour`. */
import { elementsOf } from '../slack/block-kit/find.ts';
import type { LocalSlack } from '../slack/server.ts';
import type { StoredView } from '../slack/types.ts';
import { dictOf, isDict, listOf, textOf } from '../slack/values.ts';
import type { Answer } from './scenes.ts';

const LOOK_EACH_MS = 250;
const MAX_WAIT_MS = 60_000;

/** Gives what was pressed. @throws Error if the card never showed it. */
export async function answer(
  slack: LocalSlack,
  channel: string,
  { press, replace }: Answer,
  user: string,
  after: number,
): Promise<string> {
  for (let waited = 0; waited < MAX_WAIT_MS; waited += LOOK_EACH_MS) {
    // A card counts as it was drawn last: after an edit it asks anew.
    const drawn = ({ ts, edited }: { ts: string; edited?: { ts: string } }) => Number(edited?.ts ?? ts) * 1_000;
    const cards = slack.messages(channel).filter((one) => drawn(one) > after && !one.thread_ts);
    const found = cards.flatMap(({ ts, blocks }) => controlsOf(blocks).map((control) => ({ ts, control })));
    const wanted = found.findLast(({ control }) => press.test(control.text));
    if (wanted) {
      const { actionId, value, text } = wanted.control;
      await slack.click({ user, channel, ts: wanted.ts, actionId, ...(value === undefined ? {} : { value }) });
      const form = slack.views(user).at(-1);
      if (form) await fillIn(slack, form, replace);
      return text;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_EACH_MS));
  }
  throw new Error(`no card shows ${press}`);
}

interface Control {
  readonly text: string;
  readonly actionId: string;
  readonly value?: string;
}

/** Buttons, and what is behind a menu of further actions. */
function controlsOf(blocks: StoredView['content'][]): Control[] {
  return elementsOf(blocks).flatMap(({ element }) => {
    const actionId = textOf(element.action_id) ?? '';
    if (element.type === 'overflow')
      return listOf(element.options).map((option) => ({
        text: textOf(dictOf(option.text).text) ?? '',
        actionId,
        value: textOf(option.value) ?? '',
      }));
    return element.type === 'button' ? [{ text: textOf(dictOf(element.text).text) ?? '', actionId }] : [];
  });
}

/** Each field as it stands, with the words replaced; a reason where there is none; the first choice of a list. */
async function fillIn(slack: LocalSlack, form: StoredView, replace: Answer['replace']): Promise<void> {
  const values: Record<string, Record<string, string>> = {};
  for (const block of listOf(form.content.blocks).filter(({ type }) => type === 'input')) {
    const element = dictOf(block.element);
    const blockId = textOf(block.block_id) ?? '';
    const actionId = textOf(element.action_id) ?? '';
    const first = listOf(element.options)[0];
    const initial = textOf(element.initial_value) ?? '';
    if (element.type === 'plain_text_input')
      values[blockId] = { [actionId]: initial ? initial.replace(...(replace ?? ['', ''])) : 'Not like this, please.' };
    else if (isDict(first) && element.initial_option === undefined && block.optional !== true)
      values[blockId] = { [actionId]: textOf(first.value) ?? '' };
  }
  const { errors, warning } = await slack.submitView({ user: form.user, viewId: form.id, values });
  if (errors || warning) throw new Error(`the form was not taken: ${JSON.stringify(errors ?? warning)}`);
}
