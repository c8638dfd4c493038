/** Controls a local Slack from tests: they look, act as people, and break things. */
import { type Click, click, closeView, type Overrides, type Submit, submitView } from './interactions/act.ts';
import { runCommand, type SlashCommand } from './interactions/command.ts';
import { deliver, loopbackUrl } from './interactions/deliver.ts';
import { openHome, say, verifyUrl } from './interactions/events.ts';
import { signedHeaders } from './interactions/sign.ts';
import { pushesTo } from './notifications.ts';
import type {
  ApiLogEntry,
  InteractionResult,
  LocalSlackOptions,
  Notice,
  RequestLogEntry,
  SlackChannel,
  SlackUser,
  StoredMessage,
  StoredView,
} from './types.ts';
import { changed, type World } from './world.ts';

export type LocalSlackControls = ReturnType<typeof controls>;

export function controls(world: World) {
  const copy = <Value>(value: Value): Value => structuredClone(value);
  return {
    /** Every message of a channel, thread replies included, oldest first; `which` looks at messages before they are copied. */
    messages: (channel: string, which: (message: StoredMessage) => boolean = () => true): StoredMessage[] =>
      copy(world.messages.filter((one) => one.channel === channel && which(one))),
    /** Messages that only this person sees. */
    ephemerals: (user: string): StoredMessage[] => copy(world.ephemerals.filter((one) => one.ephemeralTo === user)),
    /** Open modals of a person, the visible one last. */
    views: (user: string): StoredView[] =>
      copy((world.stacks.get(user) ?? []).flatMap((id) => world.views.get(id) ?? [])),
    /** Notices on the phone of this person, oldest first: mentions, direct messages, replies in threads they follow. */
    pushes: (user: string) => pushesTo(world, user),
    /** People whom a message notified when it was posted. */
    pinged: (ts: string): Notice['pinged'] => copy(world.notices.get(ts)?.pinged ?? []),
    home: (user: string): StoredView | undefined => copy(world.homes.get(user)),
    /** Live: every request sent to the app, in order. */
    requestLog: world.requestLog as readonly RequestLogEntry[],
    /** Live: every call of the Web API, without tokens. */
    apiLog: world.apiLog as readonly ApiLogEntry[],

    click: (what: Click): Promise<InteractionResult> => click(world, what),
    submitView: (what: Submit): Promise<InteractionResult> => submitView(world, what),
    closeView: (what: { user: string; viewId: string; all?: boolean; overrides?: Overrides }) => closeView(world, what),
    command: (what: SlashCommand): Promise<InteractionResult> => runCommand(world, what),
    /** A person writes; gives the message's ts when the app has been told. */
    say: (what: { user: string; channel: string; text: string; threadTs?: string }): Promise<string> =>
      say(world, what),
    openHome: (user: string): Promise<void> => openHome(world, user),

    /** Headers that Slack would send now, or at another time (seconds since 1970) or with another secret. */
    sign: (body: string, options: { timestamp?: number; secret?: string; contentType?: string } = {}) =>
      signedHeaders(
        options.secret ?? world.signingSecret,
        options.timestamp ?? Math.floor(world.clock() / 1_000),
        body,
        options.contentType ?? 'application/x-www-form-urlencoded',
      ),
    /** Anything at all, for forged requests; goes to the interactions URL unless another is given. */
    sendRaw: (what: { body: string; headers: Record<string, string>; url?: string }): Promise<RequestLogEntry> =>
      deliver(
        world,
        { kind: 'raw', url: what.url === undefined ? world.urls.interactions : loopbackUrl(what.url), body: what.body },
        what.headers,
      ),
    /** The same bytes under the same signature once more. */
    replay: (entry: RequestLogEntry): Promise<RequestLogEntry> =>
      deliver(world, { kind: 'replay', url: entry.url, body: entry.body }, entry.headers),

    setRequestUrl: (url: string): void => {
      world.urls.interactions = loopbackUrl(url);
    },
    setCommandsUrl: (url: string): void => {
      world.urls.commands = loopbackUrl(url);
    },
    /** Events flow from now on; false when the app did not answer the challenge. */
    setEventsUrl: async (url: string): Promise<boolean> => {
      world.urls.events = loopbackUrl(url);
      return verifyUrl(world, url);
    },
    /** While on, the whole Web API answers 503, or the given status. */
    setOutage: (on: boolean | { status: number }): void => {
      world.outage = on === false ? undefined : on === true ? { status: 503 } : on;
    },
    /**
     * The next call of the method fails with an error code (string) or an HTTP status (number); calls queue up.
     * `about`: the next one whose arguments hold this text, whatever others are sent before it.
     */
    failNext: (
      method: string,
      failure: string | number,
      { headers = {}, about = '' }: { readonly headers?: Record<string, string>; readonly about?: string } = {},
    ): void => {
      const fault = { ...(typeof failure === 'string' ? { error: failure } : { status: failure }), headers, about };
      world.faults.set(method, [...(world.faults.get(method) ?? []), fault]);
    },
    /** 429 for the method until so many seconds have passed on the clock; 0 lifts it. */
    rateLimit: (method: string, retryAfterSec: number): void => {
      world.limitedUntil.set(method, world.clock() + retryAfterSec * 1_000);
    },
    revokeToken: (): void => {
      world.revoked.add(world.botToken);
    },
    setBotToken: (token: string): void => {
      world.botToken = token;
    },
    setScopes: (scopes: string[]): void => {
      world.scopes = new Set(scopes);
    },
    /** Takes in people and channels that are new, and the members of each channel; nobody is removed. */
    include: ({ users, channels }: Pick<LocalSlackOptions, 'users' | 'channels'>): void => {
      for (const user of users) world.users.set(user.id, { ...world.users.get(user.id), ...user });
      for (const channel of channels) world.channels.set(channel.id, { ...channel, members: [...channel.members] });
      changed(world);
    },
    changeUser: (id: string, changes: Partial<Omit<SlackUser, 'id'>>): void => {
      change(world, world.users.get(id), id, changes);
    },
    changeChannel: (id: string, changes: Partial<Omit<SlackChannel, 'id'>>): void => {
      change(world, world.channels.get(id), id, changes);
    },
    /** The channel and its messages are gone. */
    deleteChannel: (id: string): void => {
      world.channels.delete(id);
      world.messages = world.messages.filter((one) => one.channel !== id);
      world.ephemerals = world.ephemerals.filter((one) => one.channel !== id);
      changed(world);
    },
    setUserGroup: (id: string, users: string[]): void => {
      change(world, world.userGroups.get(id), id, { users });
    },
  };
}

function change<Thing extends object>(
  world: World,
  thing: Thing | undefined,
  id: string,
  changes: Partial<Thing>,
): void {
  if (thing === undefined) throw new Error(`the local Slack has no ${id}`);
  Object.assign(thing, changes);
  changed(world);
}
