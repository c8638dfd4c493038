/** Answers views.*: modals, their stack of at most three, and App Home. */
import { checkView } from '../block-kit/check.ts';
import { fillBlocks } from '../block-kit/find.ts';
import { invalid, SlackApiError } from '../errors.ts';
import type { Dict, StoredView } from '../types.ts';
import { dictOf, isDict, listOf, textOf } from '../values.ts';
import { changed, newHash, newId, type Trigger, type World } from '../world.ts';
import { optionalText, requiredText, structured } from './args.ts';
import { knownUser } from './directory.ts';

const MAX_STACK = 3;

export function open(world: World, args: Dict): Dict {
  const trigger = useTrigger(world, args);
  const content = readView(world, args, 'modal');
  const view = stackView(world, trigger.user, content, [], trigger.window);
  view.openedBy = requiredText(args, 'trigger_id');
  return { view: viewObject(world, view) };
}

export function push(world: World, args: Dict): Dict {
  const trigger = useTrigger(world, args);
  const stack = world.stacks.get(trigger.user) ?? [];
  if (trigger.fromView === undefined || !stack.includes(trigger.fromView)) {
    throw new SlackApiError('not_found');
  }
  if (stack.length >= MAX_STACK) throw new SlackApiError('push_limit_reached');
  return {
    view: viewObject(world, stackView(world, trigger.user, readView(world, args, 'modal'), stack, trigger.window)),
  };
}

export function update(world: World, args: Dict): Dict {
  const id = optionalText(args, 'view_id');
  const external = optionalText(args, 'external_id');
  const view = id === undefined ? byExternalId(world, external) : world.views.get(id);
  if (view === undefined) throw new SlackApiError('not_found');
  const hash = textOf(args.hash);
  if (hash !== undefined && hash !== view.hash) throw new SlackApiError('hash_conflict');
  replaceView(world, view, readView(world, args, view.type, view.id));
  return { view: viewObject(world, view) };
}

export function publish(world: World, args: Dict): Dict {
  const user = knownUser(world, requiredText(args, 'user_id'));
  if (user.isBot === true) throw new SlackApiError('not_enabled');
  const old = world.homes.get(user.id);
  const hash = textOf(args.hash);
  if (hash !== undefined && hash !== old?.hash) throw new SlackApiError('hash_conflict');
  const content = readView(world, args, 'home', old?.id);
  if (old !== undefined) {
    replaceView(world, old, content);
    return { view: viewObject(world, old) };
  }
  const view = newView(world, user.id, 'home', content, undefined);
  world.homes.set(user.id, view);
  changed(world);
  return { view: viewObject(world, view) };
}

/** Puts a new modal on the given stack and makes it the visible one. */
export function stackView(
  world: World,
  user: string,
  content: Dict,
  stack: string[],
  window: string | undefined,
): StoredView {
  const below = world.views.get(stack.at(-1) ?? '');
  const view = newView(world, user, 'modal', content, below);
  if (window !== undefined) view.window = window;
  world.stacks.set(user, [...stack, view.id]);
  changed(world);
  return view;
}

/** Replaces the content of a view. Entries of people stay where block and action keep their ids. */
export function replaceView(world: World, view: StoredView, content: Dict): void {
  view.content = content;
  view.hash = newHash(world);
  changed(world);
}

export function viewObject(world: World, view: StoredView): Dict {
  const { blocks, private_metadata, callback_id, external_id, title, submit, close, ...flags } = view.content;
  return {
    id: view.id,
    team_id: world.team.id,
    app_id: world.app.id,
    bot_id: world.app.botId,
    app_installed_team_id: world.team.id,
    type: view.type,
    blocks,
    private_metadata: private_metadata ?? '',
    callback_id: callback_id ?? '',
    external_id: external_id ?? '',
    hash: view.hash,
    state: { values: view.state.values },
    clear_on_close: flags.clear_on_close ?? false,
    notify_on_close: flags.notify_on_close ?? false,
    title: title ?? { type: 'plain_text', text: 'View', emoji: true },
    submit: submit ?? null,
    close: close ?? null,
    root_view_id: view.rootId,
    previous_view_id: view.previousId,
  };
}

/** `sent` is checked and filled in; it is not yet shown. */
export function prepareView(world: World, sent: unknown, type: 'modal' | 'home', ownId?: string): Dict {
  if (!isDict(sent)) throw invalid('invalid_arguments', ['missing required field: view']);
  const problems = checkView(sent, type);
  if (problems.length > 0) throw invalid('invalid_arguments', problems);
  const external = textOf(sent.external_id);
  const twin = byExternalId(world, external);
  if (twin !== undefined && twin.id !== ownId) throw new SlackApiError('duplicate_external_id');
  return { ...structuredClone(sent), blocks: fillBlocks(listOf(sent.blocks)) };
}

function readView(world: World, args: Dict, type: 'modal' | 'home', ownId?: string): Dict {
  return prepareView(world, structured(args, 'view', 'invalid_arguments'), type, ownId);
}

function byExternalId(world: World, external: string | undefined): StoredView | undefined {
  if (external === undefined) return undefined;
  return [...world.views.values()].find((view) => view.content.external_id === external);
}

function newView(
  world: World,
  user: string,
  type: 'modal' | 'home',
  content: Dict,
  below: StoredView | undefined,
): StoredView {
  const id = newId('V');
  const place = { rootId: below?.rootId ?? id, previousId: below?.id ?? null };
  const view: StoredView = {
    id,
    type,
    user,
    hash: newHash(world),
    content: dictOf(content),
    state: { values: {} },
    ...place,
  };
  world.views.set(id, view);
  return view;
}

function useTrigger(world: World, args: Dict): Trigger {
  const trigger = world.triggers.get(requiredText(args, 'trigger_id'));
  if (trigger === undefined) throw new SlackApiError('invalid_trigger_id');
  if (trigger.used) throw new SlackApiError('exchanged_trigger_id');
  if (world.clock() > trigger.expiresAt) throw new SlackApiError('expired_trigger_id');
  trigger.used = true;
  return trigger;
}
