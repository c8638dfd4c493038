/** Asks at the terminal. */
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import { processTerminal, type Terminal } from '../channels/terminal.ts';
import { spacedJson, visible } from './text.ts';

/** `y` or `yes` approves; another line is a rejection with it as the reason. An input that is asked for and ends is a time-out. */
export class ConsoleHumanLoopProvider implements HumanLoopProvider {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal = processTerminal()) {
    this.#terminal = terminal;
  }

  async request(request: HumanLoopRequest): Promise<HumanLoopResponse> {
    if (request.kind === 'input') {
      this.#terminal.write(`💬 ${visible(request.prompt)}\n   > `);
      const line = await this.#terminal.readLine();
      return line === null ? { kind: 'Timeout' } : { kind: 'Text', text: line.trim() };
    }
    this.#terminal.write(
      `🔔 Tool [${visible(request.toolName ?? '')}] requires human approval\n   Args: ${spacedJson(request.args ?? {})}\n   Approve? (y/n): `,
    );
    const line = (await this.#terminal.readLine())?.trim() ?? '';
    const said = line.toLowerCase();
    if (said === 'y' || said === 'yes') return { kind: 'Approved' };
    // The typed text is the reason; an empty line rejects without one.
    return line === '' ? { kind: 'Rejected' } : { kind: 'Rejected', reason: line };
  }
}
