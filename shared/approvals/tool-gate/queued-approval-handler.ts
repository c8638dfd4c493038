/**
 * Queues prompts for handlers with a screen: one at a time, in the order of the calls.
 *
 * A screen that is gone says no.
 */
import { checkSettings, fn, oneOf } from '../../domain/settings.ts';
import { ApprovalDecision, type ApprovalHandler } from './approval-handler.ts';
import type { ToolClass } from './tool.ts';

/** One question of a `QueuedApprovalHandler`. */
export interface Prompt {
  readonly toolName: string;
  readonly input: unknown;
  readonly toolClass: ToolClass;
  /** Aborts when the answer is not waited for any more. */
  readonly signal: AbortSignal;
}

/** Shows one prompt and answers it. */
export type Screen = (prompt: Prompt) => Promise<ApprovalDecision>;

/** How a `QueuedApprovalHandler` waits. */
export interface QueuedOptions {
  /** Tools of this class are not shown at all. Default: everything is shown. */
  readonly fastPath?: ToolClass;
}

const GONE = ApprovalDecision.Deny('UI gone');

/** Asks one question at a time, in the order in which they came. */
export class QueuedApprovalHandler implements ApprovalHandler {
  readonly #screen: Screen;
  readonly #fastPath: ToolClass | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #close: () => void = () => {};
  readonly #closed: Promise<ApprovalDecision>;
  #isClosed = false;

  constructor(screen: Screen, options: QueuedOptions = {}) {
    checkSettings(options, { fastPath: oneOf('ReadOnly', 'Mutating') });
    const { fastPath } = options;
    fn(screen, 'screen');
    this.#screen = screen;
    this.#fastPath = fastPath;
    this.#closed = new Promise((resolve) => {
      this.#close = () => resolve(GONE);
    });
  }

  async approve(
    toolName: string,
    input: unknown,
    toolClass: ToolClass,
    signal: AbortSignal,
  ): Promise<ApprovalDecision> {
    if (this.#fastPath !== undefined && toolClass === this.#fastPath) return ApprovalDecision.Allow;
    const turn = this.#last.then(() => this.#show({ toolName, input, toolClass, signal }));
    this.#last = turn;
    return Promise.race([turn, this.#closed]);
  }

  /** The screen is gone: who waits, and who asks from now on, hears no. */
  close(): void {
    this.#isClosed = true;
    this.#close();
  }

  async #show(prompt: Prompt): Promise<ApprovalDecision> {
    if (this.#isClosed || prompt.signal.aborted) return GONE;
    const withdrawn = new Promise<ApprovalDecision>((resolve) => {
      prompt.signal.addEventListener('abort', () => resolve(GONE), { once: true });
    });
    try {
      return await Promise.race([this.#screen(prompt), withdrawn]);
    } catch {
      return GONE;
    }
  }
}
