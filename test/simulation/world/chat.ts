/** Plays the chat with the task agent: events of Slack, their queue, and replies. */
import { memoryReplyStore, memorySpeaker } from '../../../shared/adapters/memory/conversation.ts';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import { MemoryFifoQueue } from '../../../shared/adapters/memory/queues/fifo-queue.ts';
import { TASK_ACTIONS } from '../../../shared/adapters/slack/task-speaker.ts';
import { MAX_RECEIPTS_OF_PEOPLE } from '../../../shared/config/schema/defaults.ts';
import type { Ids } from '../../../shared/ports/clock.ts';
import type { ConversationMessage, ConversationQueue, ReplyStore } from '../../../shared/ports/conversation.ts';
import { NOT_ANSWERED, notifyDeadLetter } from '../../../shared/use-cases/conversation/answer-dead-letter.ts';
import { handleMessage } from '../../../shared/use-cases/conversation/handle-message.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Faults } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import type { Answer, Talk } from '../model/plan.ts';
import { PEOPLE, type PersonName } from '../model/policies.ts';
import type { Stored } from '../model/stored.ts';
import type { EndpointOfRun } from './endpoint.ts';
import type { ChatLeft } from './remains.ts';
import { APP, JSON_TYPE, type SlackRequest } from './slack-requests.ts';

/** The world that the chat is in. */
interface Around {
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly history: History;
  readonly ids: Ids;
  readonly gate: MemoryGate;
  readonly endpoint: EndpointOfRun | undefined;
  readonly invoke: Faults['invoke'];
  sleep(ms: number): Promise<void>;
  tell(line: () => string): void;
}

/** The queue forgets the id of a message after so long. */
const DEDUPLICATES_MS = 5 * 60_000;
/** As the stack has it. */
const VISIBILITY_MS = 180_000;
const FIRST_RETRY_MS = 2_000;
const MAX_PAUSE_MS = 15 * 60_000;
/** Slack sends an event again so long after it had no answer. */
const RETRIES_MS = [1_000, 60_000, 300_000] as const;

export class ChatOfRun {
  readonly #world: Around;
  readonly #slack: ReturnType<typeof memorySpeaker>;
  readonly #replies: ReplyStore;
  readonly #line: MemoryFifoQueue<ConversationMessage>;
  readonly #seen = new Map<string, number>();
  #written = 0;
  #waiting = 0;

  constructor(world: Around, replies: ReplyStore = memoryReplyStore()) {
    this.#world = world;
    const { clock, faults } = world;
    this.#slack = memorySpeaker(() => this.#nextTs());
    const speaker = faults.wrap('speaker', this.#slack.speaker);
    this.#replies = faults.wrap('replyStore', replies);
    const deps = () => ({ ...world.gate.parts, replies: this.#replies, speaker, after: clock.after.bind(clock) });
    this.#line = new MemoryFifoQueue<ConversationMessage>({
      timers: clock,
      concurrency: 10,
      visibilityMs: VISIBILITY_MS,
      work: async (message, received) => {
        const dead = received - MAX_RECEIPTS_OF_PEOPLE;
        try {
          await world.invoke('converse', async () => {
            if (dead > 0) await notifyDeadLetter(JSON.stringify(message), dead, deps());
            else await handleMessage(message, deps());
          });
          this.#waiting -= 1;
          return undefined;
        } catch {
          return Math.min(MAX_PAUSE_MS, FIRST_RETRY_MS * 2 ** (received - 1));
        }
      },
    });
  }

  /** As the function sends to it that hears the events. */
  readonly queue: ConversationQueue = {
    send: async (message) => {
      const { clock, history } = this.#world;
      const now = clock.now();
      if (now - (this.#seen.get(message.id) ?? Number.NEGATIVE_INFINITY) < DEDUPLICATES_MS) return;
      this.#seen.set(message.id, now);
      this.#waiting += 1;
      const said = history.talks.find(({ who, text, heardAt }) => heardAt === undefined && isOf(message, who, text));
      if (said) said.heardAt = now;
      this.#line.send(message, `${message.person.user} ${message.conversation}`);
    },
  };

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  get shown(): ReturnType<typeof memorySpeaker>['shown'] {
    return this.#slack.shown;
  }

  stop(): void {
    this.#line.stop();
  }

  async say({ who, text, retries }: Talk): Promise<void> {
    const { endpoint, history, ids, clock, tell } = this.#world;
    // A shrunk run may have none: then nobody hears it.
    if (!endpoint) return;
    const { user, team } = PEOPLE[who];
    const ts = this.#nextTs();
    history.talks.push({ at: clock.now(), who, text });
    tell(() => `${who} says "${text}"`);
    const event = { type: 'message', channel_type: 'im', channel: `D${user}`, user, team, text, ts };
    const about = { type: 'event_callback', event_id: ids.next(), team_id: team, api_app_id: APP };
    const body = JSON.stringify({ ...about, authorizations: [{ user_id: 'U0SELF' }], event });
    await this.#deliver(body, JSON_TYPE, retries);
  }

  /** Clicks on the newest question that the person sees; somebody else may click on it as well. */
  async answer({ who, of, choice, again }: Answer): Promise<void> {
    const { clock, history, ids, tell } = this.#world;
    const { user, team } = PEOPLE[who];
    const channel = `D${PEOPLE[of].user}`;
    const asking = this.#slack.shown.findLast((one) => one.channel === channel && one.reply.question);
    if (!asking) return;
    history.answered.push({ at: clock.now(), who, of, choice });
    tell(() => `${who} answers the question to ${of}: ${choice}`);
    const button = { type: 'button', action_id: TASK_ACTIONS[choice], block_id: 'countersign_task' };
    const pressed = { ...button, value: JSON.stringify(asking.reply.question) };
    const payload = {
      ...{ type: 'block_actions', api_app_id: APP, team: { id: team }, user: { id: user, team_id: team } },
      ...{ trigger_id: ids.next(), channel: { id: channel }, container: { type: 'message', message_ts: asking.ts } },
      message: { ts: asking.ts, app_id: APP, blocks: [{ type: 'actions', elements: [pressed] }] },
      actions: [pressed],
    };
    await this.#deliver(`payload=${encodeURIComponent(JSON.stringify(payload))}`, undefined, again);
  }

  /** Slack sends an event until it has an answer, and also where that was lost on its way. */
  async #deliver(body: string, type: string | undefined, retries: readonly number[]): Promise<void> {
    const { endpoint, clock } = this.#world;
    if (!endpoint) return;
    for (const later of retries) clock.after(later, () => void this.#send(endpoint.signed(body, type), 1));
    const pauses = type === JSON_TYPE ? RETRIES_MS : [];
    for (const [tried, pause] of [0, ...pauses].entries()) {
      if (pause) await this.#world.sleep(pause);
      if ((await this.#send(endpoint.signed(body, type), tried)) === 200) return;
    }
  }

  async #send(request: SlackRequest, tried: number): Promise<number | undefined> {
    const { endpoint, history, clock } = this.#world;
    const more = tried ? { 'x-slack-retry-num': String(tried), 'x-slack-retry-reason': 'http_timeout' } : {};
    const at = clock.now();
    const headers = { ...request.headers, ...more };
    const status = await endpoint?.send({ ...request, headers }).then(
      (answer) => answer.status,
      () => undefined,
    );
    if (status !== undefined) history.signed.push({ at, status });
    return status;
  }

  #nextTs(): string {
    this.#written += 1;
    return `${Math.floor(this.#world.clock.now() / 1_000)}.${String(this.#written).padStart(6, '0')}`;
  }
}

const isOf = (message: ConversationMessage, who: PersonName, text: string): boolean =>
  message.kind === 'message' && message.person.user === PEOPLE[who].user && message.text === text;

/** The name under which the task agent keeps somebody's tasks. */
const ownerOf = (who: PersonName): string => `slack/${PEOPLE[who].team}/${PEOPLE[who].user}`;

/** The tasks and replies of the people who spoke. */
export async function chatLeft({
  chat,
  history,
  stored,
}: Pick<Around, 'history'> & { readonly chat: ChatOfRun; readonly stored: Pick<Stored, 'tasks'> }): Promise<ChatLeft> {
  const people = new Set(history.talks.map(({ who }) => who));
  const left = [...people].map(async (who) => {
    const tasks = (await stored.tasks.list(ownerOf(who))).map(({ description }) => description);
    const replies = chat.shown.filter(({ channel }) => channel === `D${PEOPLE[who].user}`);
    const texts = replies.map(({ reply }) => reply.text);
    const isCopied = (question: string) => texts.filter((text) => text.startsWith(question)).length > 1;
    const open = replies.filter(({ reply: { question, text } }) => question && !isCopied(text));
    return [
      who,
      {
        ...{ tasks, replies: texts, isSetAside: texts.includes(NOT_ANSWERED) },
        open: open.map(({ ts }) => Number(ts) * 1_000),
      },
    ] as const;
  });
  return new Map(await Promise.all(left));
}
