/** Holds a session with an MCP server for one client, and begins it anew where it broke. */
import {
  type McpDefinition,
  type McpInput,
  type McpLink,
  type McpResult,
  type McpSession,
  openMcpSession,
} from '../../adapters/targets/mcp-session.ts';
import { executionError } from '../../guardrails/errors.ts';

const OPENING_TIMEOUT_MS = 15_000;

interface Held {
  readonly session: Promise<McpSession>;
  readonly running: Set<Promise<unknown>>;
}

export class Upstream {
  readonly #link: McpLink;
  #held: Held | undefined;
  #isClosed = false;

  constructor(link: McpLink) {
    this.#link = link;
  }

  /** The server's tools as it lists them now. @throws GuardrailError if it gives no usable answer, also in a new session */
  async definitions(): Promise<readonly McpDefinition[]> {
    const held = this.#held;
    if (held) {
      try {
        return await (await held.session).list();
      } catch {
        // Not awaited: a call that still runs in the session is not cut off.
        void this.#drop(held);
      }
    }
    return (await this.#opened().session).definitions;
  }

  /** @throws GuardrailError if the server gives no usable answer: the call may have run */
  async call(name: string, input: McpInput, meta: Record<string, string>, signal: AbortSignal): Promise<McpResult> {
    const { session, running } = this.#opened();
    const call = session.then((open) => open.call(name, input, meta, signal));
    running.add(call);
    return call.finally(() => running.delete(call));
  }

  /** Afterwards no session is opened any more: a program would be left behind. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#held) await this.#drop(this.#held);
  }

  #opened(): Held {
    if (this.#held) return this.#held;
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
