/** Reads and checks messages to the task agent, direct or by mention, and queues them in order. */
import type { App, ButtonAction } from '@slack/bolt';
import { TASK_ACTIONS, type TaskButtonValue } from '../../shared/adapters/slack/task-speaker.ts';
import { messageOf } from '../../shared/adapters/slack/task-text.ts';
import type { Policy } from '../../shared/config/compile.ts';
import { lengthDelimited, sha256Hex, uuidFrom } from '../../shared/domain/digest.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import type { ConversationQueue } from '../../shared/ports/conversation.ts';
import { namesWorkspace } from '../../shared/use-cases/people/seats.ts';
import { count } from '../runtime/telemetry/observe.ts';
import { type ButtonClick, holdsButton, isOwnPress, locationOf, personOf } from './clicks.ts';

interface ConversationListenerDependencies {
  readonly queue: ConversationQueue;
  readonly policy: Policy;
  readonly clock: Clock;
  readonly deployment: string;
  /** A request that is signed for another app that shares the secret is ignored. */
  readonly appId: string;
}

/** The parts of an event that are read; whatever else it holds is left alone. */
interface MessageEvent {
  readonly subtype?: string;
  readonly channel_type?: string;
  readonly channel?: string;
  readonly user?: string;
  readonly team?: string;
  readonly bot_id?: string;
  readonly text?: string;
  readonly ts?: string;
  readonly thread_ts?: string;
}
interface Envelope {
  readonly event_id?: string;
  readonly team_id?: string;
  readonly api_app_id?: string;
  readonly authorizations?: readonly { readonly user_id?: string }[];
}

export function listenToTasks(app: App, listening: ConversationListenerDependencies): void {
  for (const name of ['message', 'app_mention'] as const) {
    // Every event is acknowledged, also one that is not for us: Slack would send it again.
    app.event(name, async ({ event, body }) => {
      const isQueued = await queueMessage(name, event as MessageEvent, body as Envelope, listening);
      count(isQueued ? 'TalkHeard' : 'TalkIgnored');
    });
  }
  for (const [choice, action] of Object.entries(TASK_ACTIONS) as ['yes' | 'no', string][]) {
    app.action<ButtonClick>(action, async ({ ack, body, action: button }) => {
      await ack();
      await click(choice, body, button, listening);
    });
  }
}

/** Messages of people have no subtype but these: with a file, to the channel from a thread, or by /me. */
const SUBTYPES_OF_PEOPLE: ReadonlySet<string | undefined> = new Set([
  undefined,
  'file_share',
  'thread_broadcast',
  'me_message',
]);

/** Queues a message to the task agent. False for an event that is none. */
async function queueMessage(
  name: 'message' | 'app_mention',
  event: MessageEvent,
  { event_id: id, team_id: workspace, api_app_id: app, authorizations = [] }: Envelope,
  { queue, policy, clock, deployment, appId }: ConversationListenerDependencies,
): Promise<boolean> {
  const { subtype, channel, user, bot_id: bot, ts, thread_ts: thread, text } = event;
  const { enabled, agent, directMessages, channels } = policy.settings.taskAgent;
  if (!enabled || agent === undefined || app !== appId) return false;
  // Edits, joins, and everything that a program wrote, our own answers among it, are no messages of people.
  if (!SUBTYPES_OF_PEOPLE.has(subtype) || bot !== undefined || !user || user === 'USLACKBOT') return false;
  const self = authorizations.map(({ user_id: each }) => each);
  if (self.includes(user) || !id || !workspace || !channel || !ts || text === undefined) return false;
  const isDirect = name === 'message' && event.channel_type === 'im';
  const isListed = channels.some((each) => policy.settings.channels[each]?.id === channel);
  if (isDirect ? !directMessages : name !== 'app_mention' || !isListed) return false;
  const conversationOf = (root: string) => uuidFrom(sha256Hex(lengthDelimited([deployment, workspace, channel, root])));
  const root = isDirect ? (thread ?? 'direct') : (thread ?? ts);
  await queue.send({
    kind: 'message',
    id: sha256Hex(id).slice(0, 32),
    person: { team: event.team ?? workspace, user },
    channel,
    conversation: conversationOf(root),
    ...(isDirect && thread !== undefined ? { outside: conversationOf('direct') } : {}),
    at: clock.now(),
    text: messageOf(text, self),
    ts,
    thread: isDirect ? thread : root,
  });
  return true;
}

async function click(
  choice: 'yes' | 'no',
  body: ButtonClick,
  action: ButtonAction,
  { queue, policy, clock, appId }: ConversationListenerDependencies,
): Promise<void> {
  const value = taskButtonValue(action.value);
  const location = locationOf(body);
  const { person, workspace, isBot } = personOf(body);
  if (!value || !location || isBot) return;
  const isHere = workspace === undefined || namesWorkspace(workspace, policy);
  await queue.send({
    kind: 'button',
    id: sha256Hex(`${body.trigger_id}#${body.user.id}`).slice(0, 32),
    ...{ person, ...location, ...value, choice },
    at: clock.now(),
    isOwn: isHere && isOwnPress(body, appId) && holdsButton(body.message, action),
  });
}

function taskButtonValue(text: string | undefined): TaskButtonValue | undefined {
  try {
    const { asks, conversation } = JSON.parse(text ?? '') as Partial<TaskButtonValue>;
    return typeof asks === 'string' && typeof conversation === 'string' ? { asks, conversation } : undefined;
  } catch {
    return undefined;
  }
}
