/** Makes the payloads of interactions: who acted, where, on what, and with what filled in. */
import type { FoundElement } from '../block-kit/find.ts';
import type { Dict, SlackChannel, StoredMessage, StoredView } from '../types.ts';
import { withoutUndefined } from '../values.ts';
import { messageObject } from '../web-api/directory.ts';
import { viewObject } from '../web-api/views.ts';
import { newResponseUrl, newTrigger, nextTs, type World } from '../world.ts';
import { chosenIn, type Entered } from './state-values.ts';

/** Old, never to be relied on, and in every payload. */
export const VERIFICATION_TOKEN = 'local-verification-token';

function userPart(world: World, userId: string): Dict {
  const user = world.users.get(userId);
  if (user === undefined) throw new Error(`no user ${userId}`);
  return { id: user.id, username: user.name, name: user.name, team_id: user.teamId ?? world.team.id };
}

function common(world: World, userId: string): Dict {
  return {
    user: userPart(world, userId),
    api_app_id: world.app.id,
    token: VERIFICATION_TOKEN,
    team: { id: world.team.id, domain: world.team.domain },
    enterprise: null,
    is_enterprise_install: false,
  };
}

export function actionPart(world: World, found: FoundElement, entered: Entered | undefined): Dict {
  const { action_id, type, text, value, style, confirm, url } = found.element;
  const choice = type === 'button' ? { text, value, style, confirm, url } : chosenIn(found.element, entered ?? null);
  return withoutUndefined({ action_id, block_id: found.blockId, ...choice, type, action_ts: nextTs(world) });
}

export function messageAction(
  world: World,
  user: string,
  place: { channel: SlackChannel; message: StoredMessage; values: Record<string, Dict>; window?: string | undefined },
  action: Dict,
): Dict {
  const { channel, message, values, window } = place;
  const ephemeral = message.ephemeralTo !== undefined;
  const trigger = newTrigger(world, user, window === undefined ? {} : { window });
  return {
    type: 'block_actions',
    ...common(world, user),
    container: {
      type: 'message',
      message_ts: message.ts,
      channel_id: channel.id,
      is_ephemeral: ephemeral,
      ...(message.thread_ts !== undefined && { thread_ts: message.thread_ts }),
    },
    trigger_id: trigger,
    channel: { id: channel.id, name: channel.imUser === undefined ? channel.name : 'directmessage' },
    // Slack does not repeat an ephemeral message.
    ...(!ephemeral && { message: messageObject(world, message) }),
    state: { values },
    response_url: newResponseUrl(world, { user, channel: channel.id, ts: message.ts, trigger }),
    actions: [action],
  };
}

/** App Home belongs to every window: `window` is the one that was clicked in. */
export function viewAction(world: World, user: string, view: StoredView, action: Dict, window = view.window): Dict {
  return {
    type: 'block_actions',
    ...common(world, user),
    container: { type: 'view', view_id: view.id },
    trigger_id: newTrigger(world, user, { view: view.id, ...(window !== undefined && { window }) }),
    view: viewObject(world, view),
    actions: [action],
  };
}

export function viewSubmission(world: World, user: string, view: StoredView): Dict {
  return {
    type: 'view_submission',
    ...common(world, user),
    trigger_id: newTrigger(world, user, { view: view.id, ...(view.window !== undefined && { window: view.window }) }),
    view: viewObject(world, view),
    response_urls: [],
  };
}

export function viewClosed(world: World, user: string, view: StoredView, isCleared: boolean): Dict {
  return { type: 'view_closed', ...common(world, user), view: viewObject(world, view), is_cleared: isCleared };
}
