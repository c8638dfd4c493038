/** Declares what the local Slack's options, its world and its answers to tests are made of. */

export type Dict = Record<string, unknown>;

export type SlackUser = {
  id: string;
  name: string;
  realName: string;
  isBot?: boolean;
  deleted?: boolean;
  /** An IANA time zone, as `users.info` tells it; the page shows times in the zone of its browser. Default: Etc/UTC. */
  zone?: string;
  /** A guest of several channels, or of one. */
  guest?: 'of some channels' | 'of one channel' | undefined;
  /** Another workspace's id makes this somebody from outside. */
  teamId?: string;
};

export type SlackChannel = {
  id: string;
  name: string;
  /** User ids. The app's bot user must be among them to post here. */
  members: string[];
  isPrivate?: boolean;
  isArchived?: boolean;
  /** Set on direct messages only: the person the bot talks with. */
  imUser?: string;
};

export type SlackUserGroup = { id: string; handle: string; users: string[]; name?: string; disabled?: boolean };

export type LocalSlackOptions = {
  /** 0, the default, takes a free port; the host is always 127.0.0.1. */
  port?: number;
  signingSecret: string;
  botToken: string;
  appId: string;
  appName?: string;
  teamId: string;
  teamName?: string;
  botUserId: string;
  botId?: string;
  users: SlackUser[];
  channels: SlackChannel[];
  userGroups?: SlackUserGroup[];
  /** Where clicks, modals and commands go; events go nowhere until they have a URL. One URL may serve all. */
  requestUrl?: string;
  commandsUrl?: string;
  eventsUrl?: string;
  /** Slash commands that the page offers, such as `/deploy`. */
  commands?: { command: string; description: string }[];
  /** PEM of the private authority behind an https request URL. */
  ca?: string;
  /** Sent with every request to the app, such as the `host` that a local endpoint routes by. */
  requestHeaders?: Record<string, string>;
  /** Milliseconds since 1970; every age and every time stamp here comes from it. */
  clock?: () => number;
  rateLimits?: boolean;
  /** Between two posts in one channel, where rate limits are on; Slack's is 1,000. */
  postIntervalMs?: number;
  /** Posts that one channel takes at once after a quiet time; Slack allows "short bursts" of no stated size. Default: 1. */
  postBurst?: number;
  /** Default: all that the methods and events here ask for. */
  scopes?: string[];
  /** How long the app may take to answer an interaction; Slack gives it 3,000 ms. */
  ackTimeoutMs?: number;
  /** Waits before the retries of an event; Slack's are at once, one minute and five minutes. */
  eventRetryDelaysMs?: number[];
};

export type StoredMessage = {
  type: 'message';
  channel: string;
  ts: string;
  user: string;
  text: string;
  team: string;
  blocks: Dict[];
  bot_id?: string;
  app_id?: string;
  thread_ts?: string;
  /** A reply that the channel shows as well. */
  subtype?: 'thread_broadcast';
  metadata?: Dict;
  edited?: { user: string; ts: string };
  reactions: { name: string; users: string[] }[];
  /** The one person who sees it. */
  ephemeralTo?: string;
  /** The trigger of the click that it answers. */
  answersTo?: string;
};

/** People whom a new message notifies, and why. */
export type Notice = {
  pinged: { user: string; why: 'mention' | 'group' | 'channel' | 'direct' | 'thread' }[];
};

/** Title and text that a phone shows of a message. */
export type Push = { title: string; text: string };

export type StoredView = {
  id: string;
  type: 'modal' | 'home';
  user: string;
  hash: string;
  /** The view as the app gave it, with ids filled in. */
  content: Dict;
  rootId: string;
  /** The window of the page that it was opened from. */
  window?: string;
  previousId: string | null;
  /** The trigger of the click that opened it. */
  openedBy?: string;
  state: { values: Record<string, Dict> };
  responseUrls?: Dict[];
};

/** One request that went to the app. */
export type RequestLogEntry = {
  id: number;
  kind: 'block_actions' | 'view_submission' | 'view_closed' | 'command' | 'event' | 'raw' | 'replay';
  url: string;
  at: number;
  body: string;
  headers: Record<string, string>;
  /** Undefined until the app has answered, and for good when it did not. */
  status?: number;
  responseBody?: string;
  responseHeaders?: Record<string, string>;
  durationMs?: number;
  failure?: 'timeout' | 'unreachable' | 'no-url';
  detail?: string;
};

/** One call of the Web API. */
export type ApiLogEntry = { method: string; at: number; status: number; args: Dict; response: Dict };

/** The result that a person sees after acting: nothing, a warning, or errors at the fields of a form. */
export type InteractionResult = {
  ok: boolean;
  warning?: string;
  errors?: Record<string, string>;
  entry?: RequestLogEntry;
};
