/** Holds a session with an MCP server for one client, and begins it anew where it broke. */
import {
  type McpDefinition,
  type McpLink,
  type McpSession,
  openMcpSession,
} from '../../adapters/targets/mcp-session.ts';
import { executionError } from '../../guardrails/settings/errors.ts';

const OPENING_TIMEOUT_MS = 15_000;
/** Other calls may replace the session again and again, while this one lists the tools. */
const MAX_LISTINGS = 5;

/** The server's tools, and the calls of the session in which the server listed them. */
export interface Listed extends Pick<McpSession, 'call'> {
  readonly definitions: readonly McpDefinition[];
}

interface Held {
  readonly session: Promise<McpSession>;
  readonly running: Set<Promise<unknown>>;
}

interface Looked {
  readonly held: Held;
  readonly listed: Listed;
}

export class Upstream {
  readonly #link: McpLink;
  #held: Held | undefined;
  #isClosed = false;

  constructor(link: McpLink) {
    this.#link = link;
  }

  /**
   * Runs the work with the tools that the server lists now, and with the session of that listing, so that a call is made in the session that
   * showed its definition. The session stays open until the work has ended.
   *
   * @throws GuardrailError if the server gives no usable answer, also in a new session
   */
  async listed<Value>(work: (listed: Listed) => Promise<Value>): Promise<Value> {
    for (let listings = 0; listings < MAX_LISTINGS; listings++) {
      const { held, listed } = await this.#look();
      // From here on nothing is awaited until the work is among those that the session stays open for.
      if (this.#held !== held) continue;
      const working = work(listed);
      held.running.add(working);
      return working.finally(() => held.running.delete(working));
    }
    const message = `The sessions with the MCP server ${this.#link.server} break while it lists its tools. The call was not run.`;
    throw executionError(message, { transient: true, effect: 'failed' });
  }

  /** Afterwards no session is opened any more: a program would be left behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#held) await this.#drop(this.#held);
  }

  async #look(): Promise<Looked> {
    const held = this.#held;
    if (held) {
      try {
        const { list, call } = await held.session;
        return { held, listed: { definitions: await list(), call } };
      } catch {
        // Not awaited: a call that still runs in the session is not cut off.
        void this.#drop(held);
      }
    }
    const opened = this.#held ?? this.#open();
    const { definitions, call } = await opened.session;
    return { held: opened, listed: { definitions, call } };
  }

  #open(): Held {
    if (this.#isClosed) throw executionError('The MCP gateway has ended. The call was not run.', { effect: 'failed' });
    const session = openMcpSession(this.#link, AbortSignal.timeout(OPENING_TIMEOUT_MS));
    const held: Held = { session, running: new Set() };
    this.#held = held;
    session.catch(() => this.#drop(held));
    return held;
  }

  async #drop(held: Held): Promise<void> {
    if (this.#held === held) this.#held = undefined;
    await Promise.allSettled(held.running);
    const open = await held.session.catch(() => undefined);
    await open?.close();
  }
}
