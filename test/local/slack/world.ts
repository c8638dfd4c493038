/** Remembers all of the local Slack, and makes each new id, time stamp or change in it. */
import { randomBytes, randomInt } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createSecureContext, type SecureContext } from 'node:tls';
import type {
  ApiLogEntry,
  Dict,
  LocalSlackOptions,
  Notice,
  RequestLogEntry,
  SlackChannel,
  SlackUser,
  SlackUserGroup,
  StoredMessage,
  StoredView,
} from './types.ts';

export type Trigger = { user: string; expiresAt: number; used: boolean; fromView?: string; window?: string };
export type Answerable = { user: string; channel: string; ts?: string; trigger?: string };
type ResponseUrl = Answerable & { expiresAt: number; uses: number };
type Fault = { error?: string; status?: number; headers: Record<string, string>; about: string };

export type World = {
  readonly team: { id: string; name: string; domain: string };
  readonly app: { id: string; name: string; botId: string; botUserId: string; commands: Command[] };
  readonly signingSecret: string;
  readonly clock: () => number;
  /** Made once: a bundle may hold hundreds of authorities, and each connection would read all of them. */
  readonly trust: { readonly secureContext?: SecureContext };
  readonly requestHeaders: Record<string, string>;
  readonly ackTimeoutMs: number;
  readonly eventRetryDelaysMs: number[];
  readonly rateLimits: boolean;
  readonly postIntervalMs: number;
  readonly postBurst: number;
  botToken: string;
  revoked: Set<string>;
  scopes: Set<string>;
  /** The server's own address, known once it listens. */
  url: string;
  urls: { interactions?: string; commands?: string; events?: string };
  users: Map<string, SlackUser>;
  channels: Map<string, SlackChannel>;
  userGroups: Map<string, SlackUserGroup>;
  messages: StoredMessage[];
  ephemerals: StoredMessage[];
  /** People whom each message notified when it was posted, by ts. */
  notices: Map<string, Notice>;
  /** Former blocks of changed messages, newest first, by ts: someone may still be looking at them. */
  pastBlocks: Map<string, Dict[][]>;
  views: Map<string, StoredView>;
  /** Open modals per user, the visible one last. */
  stacks: Map<string, string[]>;
  homes: Map<string, StoredView>;
  triggers: Map<string, Trigger>;
  responseUrls: Map<string, ResponseUrl>;
  requestLog: RequestLogEntry[];
  apiLog: ApiLogEntry[];
  outage: { status: number } | undefined;
  faults: Map<string, Fault[]>;
  limitedUntil: Map<string, number>;
  calls: Map<string, number[]>;
  lastMicros: number;
  readonly changes: EventEmitter;
  /** Ends what is under way when the server stops. */
  readonly stopping: AbortController;
};

type Command = { command: string; description: string };

const DEFAULT_SCOPES = [
  'app_mentions:read',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'reactions:write',
  'usergroups:read',
  'users:read',
];

export function createWorld(options: LocalSlackOptions): World {
  const teamName = options.teamName ?? 'Local Workspace';
  const appName = options.appName ?? 'Local App';
  const bot = { id: options.botUserId, name: appName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'), realName: appName };
  const users = [{ ...bot, isBot: true }, ...options.users.map((user) => ({ ...user }))];
  return {
    team: { id: options.teamId, name: teamName, domain: teamName.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-') },
    app: {
      id: options.appId,
      name: appName,
      botId: options.botId ?? `B${options.botUserId.slice(1)}`,
      botUserId: options.botUserId,
      commands: options.commands ?? [],
    },
    signingSecret: options.signingSecret,
    clock: options.clock ?? Date.now,
    trust: options.ca === undefined ? {} : { secureContext: createSecureContext({ ca: options.ca }) },
    requestHeaders: options.requestHeaders ?? {},
    ackTimeoutMs: options.ackTimeoutMs ?? 3_000,
    eventRetryDelaysMs: options.eventRetryDelaysMs ?? [0, 60_000, 300_000],
    rateLimits: options.rateLimits ?? false,
    postIntervalMs: options.postIntervalMs ?? 1_000,
    postBurst: options.postBurst ?? 1,
    botToken: options.botToken,
    revoked: new Set(),
    scopes: new Set(options.scopes ?? DEFAULT_SCOPES),
    url: '',
    urls: {
      ...(options.requestUrl !== undefined && { interactions: options.requestUrl }),
      ...(options.commandsUrl !== undefined && { commands: options.commandsUrl }),
      ...(options.eventsUrl !== undefined && { events: options.eventsUrl }),
    },
    users: new Map(users.map((user) => [user.id, user])),
    channels: new Map(options.channels.map((channel) => [channel.id, { ...channel, members: [...channel.members] }])),
    userGroups: new Map((options.userGroups ?? []).map((group) => [group.id, { ...group, users: [...group.users] }])),
    messages: [],
    ephemerals: [],
    notices: new Map(),
    pastBlocks: new Map(),
    views: new Map(),
    stacks: new Map(),
    homes: new Map(),
    triggers: new Map(),
    responseUrls: new Map(),
    requestLog: [],
    apiLog: [],
    outage: undefined,
    faults: new Map(),
    limitedUntil: new Map(),
    calls: new Map(),
    lastMicros: 0,
    changes: new EventEmitter().setMaxListeners(0),
    stopping: new AbortController(),
  };
}

/** Seconds with six decimals, unique and rising even when the clock stands still: Slack's message id. */
export function nextTs(world: World): string {
  world.lastMicros = Math.max(Math.round(world.clock()) * 1_000, world.lastMicros + 1);
  return `${Math.floor(world.lastMicros / 1e6)}.${String(world.lastMicros % 1e6).padStart(6, '0')}`;
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';

export function newId(prefix: string, length = 10): string {
  return prefix + Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');
}

export function newHash(world: World): string {
  return `${Math.floor(world.clock() / 1_000)}.${randomBytes(4).toString('hex')}`;
}

/** Tells the open pages to look again. */
export function changed(world: World): void {
  world.changes.emit('change');
}

/** Slack's own three seconds, or longer where the app has longer to answer. */
const TRIGGER_MS = 3_000;

/** A modal may be opened with it once, within its time. */
export function newTrigger(world: World, user: string, from: { view?: string; window?: string } = {}): string {
  const id = `${Math.floor(world.clock())}.${randomInt(1e9)}.${randomBytes(16).toString('hex')}`;
  world.triggers.set(id, {
    user,
    expiresAt: world.clock() + Math.max(TRIGGER_MS, world.ackTimeoutMs),
    used: false,
    ...(from.view !== undefined && { fromView: from.view }),
    ...(from.window !== undefined && { window: from.window }),
  });
  return id;
}

/** Good for 30 minutes and five uses. */
export function newResponseUrl(world: World, target: Answerable): string {
  const key = randomBytes(16).toString('hex');
  world.responseUrls.set(key, { ...target, expiresAt: world.clock() + 30 * 60_000, uses: 0 });
  return `${world.url}/hooks/${key}`;
}
