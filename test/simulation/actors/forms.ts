/** Lets people open forms on cards, fill them in and send them: late, twice, or for somebody else. */
import type { RenderedCard } from '../../../shared/adapters/slack/cards/card.ts';
import {
  ANSWER,
  argumentField,
  type Field,
  INPUT,
  PERSON,
  REASON,
  SCOPE,
} from '../../../shared/adapters/slack/cards/modals.ts';
import { ACTIONS, readButton } from '../../../shared/adapters/slack/elements/actions.ts';
import type { Vote } from '../model/history.ts';
import { type Fill, type FormName, inputOf } from '../model/plan.ts';
import { PEOPLE } from '../model/policies.ts';
import { numbersOn, type SeenButton } from '../world/slack.ts';
import { APP, OTHER_APP, payloadBytes, personIn } from '../world/slack-requests.ts';
import type { ShownView } from '../world/slack-side.ts';
import type { World } from '../world/world.ts';

/** Somebody tries again so long after nothing came of it. */
const RETRY_AFTER_MS = 4_000;
const TRIES = 3;

const CHOICES = { reject: 'reject', edit: 'edit', session: 'approve', respond: 'respond', pass: 'pass' } as const;

export async function fill(step: Fill, world: World): Promise<void> {
  const { endpoint, history, slack } = world;
  const agent = history.sent.find(({ id }) => id === step.id)?.agent;
  if (!endpoint || agent === undefined) return;
  const pid = world.pid(agent, step.id);
  for (let look = 0; look < 12 && !slack.buttonOf(pid, false); look++) await world.sleep(20_000);
  const button = slack.buttonOf(pid, step.isStale === true);
  if (!button) return;
  const opened = await open(step, button, world);
  if (!opened) return;
  await world.sleep(step.later);
  for (const later of step.again) world.clock.after(later, () => void sendOnce(step, button, opened, world));
  for (let tries = 0; tries < TRIES; tries++) {
    if ((await sendOnce(step, button, opened, world)) === 200) return;
    await world.sleep(RETRY_AFTER_MS);
  }
}

/** Clicks until a form appears, or somebody says why there is none. */
async function open(step: Fill, button: SeenButton, world: World): Promise<ShownView | undefined> {
  const { endpoint, history, clock, ids, tell } = world;
  const clicked = elementOf(button.drawn, step.form);
  if (!endpoint || !clicked) return undefined;
  const { id, who, form } = step;
  for (let tries = 0; tries < TRIES; tries++) {
    const trigger = ids.next();
    const { ts, channel } = button.card;
    const body = {
      ...{ type: 'block_actions', api_app_id: APP, ...personIn(who), ...endpoint.slack.press(who, trigger) },
      ...{ channel: { id: channel }, container: { type: 'message', message_ts: ts, channel_id: channel } },
      ...{ message: { ts, app_id: APP, blocks: button.drawn.blocks }, actions: [clicked] },
    };
    const request = endpoint.signed(payloadBytes(body));
    const noted: (typeof history.forms)[number] = { at: clock.now(), id, who, form };
    history.forms.push(noted);
    tell(() => `${who} opens the form ${form} on ${id}`);
    if (!tries) await world.sleep(step.slow);
    const answer = await endpoint.send(request).catch(() => undefined);
    const opened = endpoint.slack.formOf(trigger);
    Object.assign(noted, {
      endedAt: clock.now(),
      isOpen: opened !== undefined,
      told: endpoint.slack.told.get(trigger),
    });
    noted.status = answer?.status;
    noted.refusal = answer?.heard;
    tell(() => `${who} sees ${opened ? 'the form' : (noted.told ?? 'nothing')} (${answer?.status}, ${answer?.heard})`);
    if (opened || answer?.heard !== undefined) return opened;
    await world.sleep(RETRY_AFTER_MS);
  }
  return undefined;
}

/** The button of a card, or the option in its menu, that opens this form. */
function elementOf({ blocks }: RenderedCard, form: FormName): object | undefined {
  const wanted = ACTIONS[form];
  for (const block of blocks) {
    if (block.type !== 'actions') continue;
    for (const element of block.elements) {
      const about = { action_id: element.action_id, block_id: block.block_id };
      if (element.type === 'button' && element.action_id === wanted)
        return { type: 'button', ...about, value: element.value };
      const option = element.type === 'overflow' && element.options.find(({ value }) => value === wanted);
      if (option) return { type: 'overflow', ...about, selected_option: option };
    }
  }
  return undefined;
}

async function sendOnce(step: Fill, button: SeenButton, form: ShownView, world: World): Promise<number | undefined> {
  const { endpoint, history, clock, tell } = world;
  if (!endpoint) return undefined;
  const { id, form: name, edit, sentBy = step.who, isForeign } = step;
  const about = readButton(form.view.private_metadata);
  const noted: Vote = {
    ...{ at: clock.now(), id, who: sentBy, choice: CHOICES[name], remember: name === 'session' },
    seen: await world.actionsOf(about?.approval ?? '', about?.digest ?? ''),
    shows: numbersOn(button),
    requestId: form.id,
    ...(edit === undefined || name !== 'edit' ? {} : { edit }),
    ...(name === 'pass' ? { to: step.to } : {}),
  };
  if (!isForeign) history.votes.push(noted);
  tell(() => `${sentBy} sends the form ${name} on ${id}`);
  const app = isForeign ? OTHER_APP : APP;
  const view = { ...form.view, id: form.id, hash: form.hash, app_id: app, state: { values: valuesOf(step, form) } };
  const payload = { type: 'view_submission', api_app_id: app, ...personIn(sentBy), view };
  const answer = await endpoint.send(endpoint.signed(payloadBytes(payload))).catch(() => undefined);
  if (answer?.heard !== undefined) Object.assign(noted, { told: answer.heard, toldAt: clock.now() });
  tell(() => `${sentBy} is answered about ${id} with ${answer?.status}: ${answer?.heard} ${answer?.body}`);
  if (!answer) return undefined;
  if (isForeign && answer.status === 200)
    history.forged.push({ at: noted.at, id, who: sentBy, how: 'another app', ...answer });
  if (!isForeign) {
    history.signed.push({ at: noted.at, status: answer.status });
    const same = history.submitted.find((one) => one.form === form.id && one.heard === 'counted');
    // A seat that is passed on twice is where it was.
    if (same && name !== 'pass' && answer.heard === 'counted') history.replays.push(id);
    const sent = { at: noted.at, id, who: sentBy, form: form.id, isClosed: answer.body === '' };
    if (answer.status === 200) history.submitted.push({ ...sent, heard: answer.heard });
  }
  return answer.status;
}

/** Fills in the fields that the form has. */
function valuesOf(step: Fill, { view }: ShownView) {
  const values: Record<string, Record<string, object>> = {};
  const enter = ({ block, action }: Field, value: object) => {
    if (view.blocks.some(({ block_id }) => block_id === block)) values[block] = { [action]: value };
  };
  enter(REASON, { type: 'plain_text_input', value: 'not today' });
  enter(ANSWER, { type: 'plain_text_input', value: 'ask me tomorrow' });
  enter(SCOPE, { type: 'radio_buttons', selected_option: { value: 'session' } });
  enter(PERSON, { type: 'users_select', selected_user: step.to && PEOPLE[step.to].user });
  const changed = inputOf(step.edit ?? 0);
  enter(INPUT, { type: 'plain_text_input', value: JSON.stringify(changed) });
  enter(argumentField(0), { type: 'plain_text_input', value: String(changed.number) });
  return values;
}
