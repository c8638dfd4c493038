/** Acts as people: click, submit or close a form. Each act sends one signed request. */
import { elementsOf, type FoundElement } from '../block-kit/find.ts';
import type { Dict, InteractionResult, RequestLogEntry, StoredMessage, StoredView } from '../types.ts';
import { dictOf, isDict, listOf, mergeDeep, textOf } from '../values.ts';
import { prepareView, replaceView, stackView } from '../web-api/views.ts';
import { changed, type World } from '../world.ts';
import { deliverSigned } from './deliver.ts';
import { actionPart, messageAction, viewAction, viewClosed, viewSubmission } from './payloads.ts';
import { type Entered, type EnteredValues, incomplete, stateValues } from './state-values.ts';

/** Changes to a payload before it is signed: merged into it, or made by a function. */
export type Overrides = Dict | ((payload: Dict) => Dict);

export type Click = {
  user: string;
  actionId: string;
  blockId?: string;
  /** Either a message (or ephemeral) in a channel … */
  channel?: string;
  ts?: string;
  /** … or an open view, App Home included. */
  viewId?: string;
  /** The value of the button that the person saw: its card may have changed meanwhile. */
  shown?: string;
  /** The window of the page that it happened in. */
  window?: string;
  /** The chosen value, for elements other than buttons. */
  value?: Entered;
  /** The other inputs of the message or view. */
  values?: EnteredValues;
  overrides?: Overrides;
};

export type Submit = { user: string; viewId: string; values?: EnteredValues; overrides?: Overrides };

export async function click(world: World, what: Click): Promise<InteractionResult> {
  const payload = what.viewId === undefined ? clickOnMessage(world, what) : clickOnView(world, what, what.viewId);
  return seen(world, await send(world, 'block_actions', payload, what.overrides));
}

/** A card that has changed meanwhile may still be clicked as it was: the person has not seen the change yet. */
function clickOnMessage(world: World, what: Click): Dict {
  const mine = (one: StoredMessage) => one.channel === what.channel && one.ts === what.ts;
  const message = world.messages.find(mine) ?? world.ephemerals.find(mine);
  const channel = world.channels.get(what.channel ?? '');
  if (message === undefined || channel === undefined) throw new Error(`no message ${what.ts} in ${what.channel}`);
  const blocks = [message.blocks, ...(world.pastBlocks.get(message.ts) ?? [])].find((shown) => find(shown, what));
  const found = findElement(blocks ?? [], what);
  const values = stateValues(message.blocks, withOwn(found, what));
  return messageAction(
    world,
    what.user,
    { channel, message, values, window: what.window },
    actionPart(world, found, what.value),
  );
}

function clickOnView(world: World, what: Click, viewId: string): Dict {
  const view = knownView(world, viewId);
  const blocks = listOf(view.content.blocks);
  const found = findElement(blocks, what);
  view.state = { values: stateValues(blocks, withOwn(found, what)) };
  return viewAction(world, what.user, view, actionPart(world, found, what.value), what.window);
}

function withOwn(found: FoundElement, what: Click): EnteredValues {
  if (what.value === undefined) return what.values ?? {};
  const others = dictOf(what.values?.[found.blockId]) as Record<string, Entered>;
  return { ...what.values, [found.blockId]: { ...others, [String(found.element.action_id)]: what.value } };
}

function findElement(blocks: Dict[], what: Click): FoundElement {
  const found = find(blocks, what);
  if (found === undefined) throw new Error(`nothing with the action_id ${what.actionId} is or was shown there`);
  return found;
}

const find = (blocks: Dict[], what: Click): FoundElement | undefined =>
  elementsOf(blocks).find(
    ({ blockId, element }) =>
      element.action_id === what.actionId &&
      (what.blockId === undefined || blockId === what.blockId) &&
      (what.shown === undefined || element.value === what.shown),
  );

function knownView(world: World, id: string): StoredView {
  const view = world.views.get(id);
  if (view === undefined) throw new Error(`no view ${id} is open`);
  return view;
}

/** The form's own checks come first and send nothing; then the app has its say. */
export async function submitView(world: World, what: Submit): Promise<InteractionResult> {
  const view = knownView(world, what.viewId);
  const blocks = listOf(view.content.blocks);
  const values = stateValues(blocks, what.values ?? {});
  view.state = { values };
  const errors = incomplete(blocks, values);
  if (Object.keys(errors).length > 0) return { ok: false, errors };
  const entry = await send(world, 'view_submission', viewSubmission(world, what.user, view), what.overrides);
  const result = seen(world, entry);
  return result.ok ? obey(world, view, entry) : result;
}

/** Carries out the app's answer to a submission: errors, another view, or an empty body, which closes this one. */
function obey(world: World, view: StoredView, entry: RequestLogEntry): InteractionResult {
  const failed = (warning: string): InteractionResult => ({ ok: false, warning, entry });
  const body = (entry.responseBody ?? '').trim();
  if (body === '') return closeTop(world, view, entry);
  let answer: Dict;
  try {
    answer = dictOf(JSON.parse(body));
  } catch {
    return failed('The app gave an answer that is neither empty nor JSON.');
  }
  try {
    switch (answer.response_action) {
      case 'errors':
        return showErrors(view, answer, entry);
      case 'update':
        replaceView(world, view, prepareView(world, answer.view, 'modal', view.id));
        return { ok: true, entry };
      case 'push':
        stackView(
          world,
          view.user,
          prepareView(world, answer.view, 'modal'),
          world.stacks.get(view.user) ?? [],
          view.window,
        );
        return { ok: true, entry };
      case 'clear':
        clearStack(world, view.user);
        return { ok: true, entry };
      case undefined:
        return closeTop(world, view, entry);
      default:
        return failed(`The app asked for the unknown action ${JSON.stringify(answer.response_action)}.`);
    }
  } catch (error) {
    const why = isDict(error) || error instanceof Error ? JSON.stringify({ ...error }) : String(error);
    return failed(`The app sent a view that Slack refuses: ${why}`);
  }
}

function showErrors(view: StoredView, answer: Dict, entry: RequestLogEntry): InteractionResult {
  const inputs = listOf(view.content.blocks).filter((block) => block.type === 'input');
  const errors = Object.entries(dictOf(answer.errors)).map(([block, text]) => [block, textOf(text) ?? ''] as const);
  const unknown = errors.find(([block]) => !inputs.some((input) => input.block_id === block));
  if (errors.length === 0 || unknown !== undefined) {
    return { ok: false, warning: `The app named an error at no field of this form: ${unknown?.[0] ?? ''}`, entry };
  }
  return { ok: false, errors: Object.fromEntries(errors), entry };
}

function closeTop(world: World, view: StoredView, entry: RequestLogEntry): InteractionResult {
  removeViews(world, view.user, [view.id]);
  return { ok: true, entry };
}

function clearStack(world: World, user: string): void {
  removeViews(world, user, world.stacks.get(user) ?? []);
}

function removeViews(world: World, user: string, ids: string[]): void {
  world.stacks.set(
    user,
    (world.stacks.get(user) ?? []).filter((id) => !ids.includes(id)),
  );
  for (const id of ids) world.views.delete(id);
  changed(world);
}

/** Cancel closes one view, the X (`all`) every view; the app hears of it only if it asked to. */
export async function closeView(
  world: World,
  what: { user: string; viewId: string; all?: boolean; overrides?: Overrides },
): Promise<InteractionResult> {
  const view = knownView(world, what.viewId);
  const all = what.all === true || view.content.clear_on_close === true;
  const closing = all ? [...(world.stacks.get(view.user) ?? [])] : [view.id];
  const told = closing.flatMap((id) => world.views.get(id) ?? []).filter((one) => one.content.notify_on_close === true);
  removeViews(world, view.user, closing);
  let result: InteractionResult = { ok: true };
  for (const one of told.reverse()) {
    result = seen(world, await send(world, 'view_closed', viewClosed(world, what.user, one, all), what.overrides));
  }
  return result;
}

function send(
  world: World,
  kind: RequestLogEntry['kind'],
  payload: Dict,
  overrides: Overrides = {},
): Promise<RequestLogEntry> {
  const final = typeof overrides === 'function' ? overrides(payload) : mergeDeep(payload, overrides);
  const body = new URLSearchParams({ payload: JSON.stringify(final) }).toString();
  return deliverSigned(world, { kind, url: world.urls.interactions, body });
}

/** The result that the person sees, with a warning when the app did not take the request. */
function seen(world: World, entry: RequestLogEntry): InteractionResult {
  if (entry.status === 200) return { ok: true, entry };
  const app = world.app.name;
  const warning =
    entry.failure === 'timeout'
      ? `${app} did not respond in time. It may still have taken effect: look before you try again.`
      : entry.failure === 'no-url'
        ? `${app} has no address for interactions yet.`
        : `${app} could not be reached or refused this (${entry.status ?? entry.detail ?? 'no answer'}).`;
  return { ok: false, warning, entry };
}
