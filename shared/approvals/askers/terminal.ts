/** Writes questions to a terminal or a pipe, and reads one line as the answer to each. */
import { createInterface, type Interface } from 'node:readline';
import type { Readable } from 'node:stream';

/** Where questions are written and answers are read. `readLine` may reject if the input fails. */
export interface Terminal {
  write(text: string): void;
  /** The next line, with or without its end; `null` when there is none any more, or the signal aborts. */
  readLine(signal?: AbortSignal): Promise<string | null>;
}

/** Such as standard input. */
export type TerminalInput = Readable & { readonly isTTY?: boolean; ref?(): unknown; unref?(): unknown };
/** Such as standard output. */
interface Output {
  write(text: string): unknown;
}

/** Reads only while somebody waits for a line, so that a program that asks nothing does not hang on its input. */
export class StreamTerminal implements Terminal {
  readonly #input: TerminalInput;
  readonly #output: Output;
  readonly #lines: string[] = [];
  #reader: Interface | undefined;
  #ended: Error | 'closed' | undefined;
  #waiter: { resolve(line: string | null): void; reject(error: Error): void } | undefined;

  constructor(input: TerminalInput, output: Output) {
    this.#input = input;
    this.#output = output;
  }

  write(text: string): void {
    this.#output.write(text);
  }

  readLine(signal?: AbortSignal): Promise<string | null> {
    // Somebody may have given up waiting; nobody will read what they would have been answered.
    this.#waiter?.resolve(null);
    this.#waiter = undefined;
    // A line that a person typed before they saw this question answers another one. A pipe has no such before.
    if (this.#input.isTTY) this.#lines.length = 0;
    const line = this.#lines.shift();
    if (line !== undefined) return Promise.resolve(line);
    if (this.#ended instanceof Error) return Promise.reject(this.#ended);
    if (this.#ended) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      this.#waiter = { resolve, reject };
      this.#input.ref?.();
      this.#open().resume();
      const waiter = this.#waiter;
      const giveUp = () => {
        if (this.#waiter === waiter) this.#letGo();
      };
      if (signal?.aborted) giveUp();
      else signal?.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Nobody waits any more. A late line is still read, so that it answers no later question, but a program may end without it. */
  #letGo(): void {
    this.#waiter?.resolve(null);
    this.#waiter = undefined;
    this.#input.unref?.();
  }

  #open(): Interface {
    if (this.#reader) return this.#reader;
    const reader = createInterface({ input: this.#input, terminal: false });
    this.#reader = reader;
    reader.on('line', (line) => {
      if (!this.#waiter) {
        this.#lines.push(line);
        return;
      }
      this.#waiter.resolve(line);
      this.#waiter = undefined;
      reader.pause();
    });
    reader.on('close', () => this.#end('closed'));
    // The reader passes on what its input reports.
    reader.on('error', (error: Error) => this.#end(error));
    return reader;
  }

  #end(how: Error | 'closed'): void {
    this.#ended ??= how;
    if (how instanceof Error) this.#waiter?.reject(how);
    else this.#waiter?.resolve(null);
    this.#waiter = undefined;
  }
}

let shared: Terminal | undefined;

/** The terminal of this process: one, since two readers would take each other's lines. */
export function processTerminal(): Terminal {
  shared ??= new StreamTerminal(process.stdin, process.stdout);
  return shared;
}
