/**
 * Plays a chat with the task agent on memory.
 *
 * People write and click, a clock stands, and a queue may deliver twice and out of order.
 */
import { memoryReplyStore, memorySpeaker } from '../../../../shared/adapters/memory/conversation.ts';
import { memoryGuardrailState } from '../../../../shared/adapters/memory/guardrails/state.ts';
import { memoryRuntime } from '../../../../shared/adapters/memory/runtime.ts';
import { memoryStores } from '../../../../shared/adapters/memory/stores.ts';
import { secretlintDetector } from '../../../../shared/adapters/secretlint/detector.ts';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { sha256Hex, uuidFrom } from '../../../../shared/domain/digest.ts';
import { loadShellParser } from '../../../../shared/permissions/shell/parser.ts';
import type { ConversationMessage } from '../../../../shared/ports/conversation.ts';
import { countingIds } from '../../../../shared/testing/counting-ids.ts';
import { FakeClock } from '../../../../shared/testing/fake-clock.ts';
import {
  type ConversationDependencies,
  type HandledMessage,
  handleMessage,
} from '../../../../shared/use-cases/conversation/handle-message.ts';
import { taskGuardrails } from '../../../../shared/use-cases/conversation/task-guardrails.ts';
import { redactorOf } from '../../../../shared/use-cases/redactor.ts';
import { policyOf } from '../world.ts';

export const TEAM = 'T0DEMO';
const ON = 'taskAgent: { enabled: true, agent: coder, channels: [approvals] }';

interface Where {
  readonly user?: string;
  readonly room?: string;
  /** A thread of direct messages: the channel outside, and the message that the thread is under. */
  readonly under?: { readonly room: string; readonly ts: string | undefined };
}

export class Chat {
  readonly clock = new FakeClock();
  readonly stores = memoryStores();
  #last = 0;
  readonly heard: ConversationMessage[] = [];
  readonly nextTs = (): string => `1700000000.${String(++this.#last).padStart(6, '0')}`;
  readonly slack = memorySpeaker(this.nextTs);
  readonly gate: ConversationDependencies;

  constructor(over: Partial<ConversationDependencies> = {}, parts: Parameters<typeof policyOf>[0] = {}) {
    this.gate = {
      ...this.stores,
      deployment: 'test',
      policy: compilePolicy(policyOf({ more: ON, ...parts })),
      clock: this.clock,
      digestKey: new Uint8Array(32),
      redactor: redactorOf(
        () => this.gate.policy,
        async () => secretlintDetector(),
      ),
      shell: () => loadShellParser(),
      replies: memoryReplyStore(),
      speaker: this.slack.speaker,
      taskGuardrails: taskGuardrails({
        state: memoryGuardrailState(() => this.clock.now()),
        runtime: memoryRuntime(this.clock, this.clock, countingIds()),
        events: { emit: () => undefined },
        config: () => this.gate.policy.guardrails,
      }),
      after: (ms, work) => this.clock.after(ms, work),
      ...over,
    };
  }

  /** A message of a person; not yet delivered. */
  written(text: string, { user = 'U0ALICE', room = 'direct', under }: Where = {}): ConversationMessage {
    const ts = this.nextTs();
    const message: ConversationMessage = {
      kind: 'message',
      id: `e-${ts}`,
      person: { team: TEAM, user },
      channel: `D-${user}`,
      conversation: uuidFrom(sha256Hex(room)),
      at: this.clock.now(),
      text,
      ts,
      ...(under ? { thread: under.ts, outside: uuidFrom(sha256Hex(under.room)) } : {}),
    };
    this.heard.push(message);
    return message;
  }

  say(text: string, where?: Where): Promise<HandledMessage> {
    return handleMessage(this.written(text, where), this.gate);
  }

  /** The newest message that asks, with its button as it is now or as it was before a change. */
  button(choice: 'yes' | 'no', over: Partial<ConversationMessage> = {}): ConversationMessage {
    const asking = this.slack.shown.findLast(({ reply }) => reply.question);
    if (!asking?.reply.question) throw new Error('nothing is asked');
    const { asks, conversation } = asking.reply.question;
    return {
      kind: 'button',
      id: `b-${this.nextTs()}`,
      person: { team: TEAM, user: 'U0ALICE' },
      channel: asking.channel,
      ts: asking.ts,
      ...{ choice, asks, conversation },
      at: this.clock.now(),
      isOwn: true,
      ...over,
    } as ConversationMessage;
  }

  deliver = (message: ConversationMessage): Promise<HandledMessage> => handleMessage(message, this.gate);

  get texts(): string[] {
    return this.slack.shown.map(({ reply }) => reply.text);
  }
  get open(): number {
    return this.slack.shown.filter(({ reply }) => reply.question).length;
  }
  async tasks(user = 'U0ALICE'): Promise<string[]> {
    return (await this.stores.tasks.list(`slack/${TEAM}/${user}`)).map(({ description }) => description);
  }
}
