/** Asks at the terminal. */
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import { processTerminal, type Terminal } from '../channels/terminal.ts';
import { spacedJson, visible } from './text.ts';

/**
 * `y` or `yes` approves; another line is a rejection with it as the reason. An input that is asked for and ends is a time-out, and so is an aborted wait.
 *
 * @example
 * const requestHandler = new ProviderRequestHandler(new ConsoleHumanLoopProvider());
 * const service = new PermissionService({ requestHandler, askTimeout: '2m' });
 * console.log(await service.decide('Bash', { command: 'make' }));
 */
export class ConsoleHumanLoopProvider implements HumanLoopProvider {
  readonly #terminal: Terminal;

  constructor(terminal: Terminal = processTerminal()) {
    this.#terminal = terminal;
  }

  async request(
    request: HumanLoopRequest,
    { signal }: { readonly signal?: AbortSignal | undefined } = {},
  ): Promise<HumanLoopResponse> {
    if (request.kind === 'input') {
      this.#terminal.write(`💬 ${visible(request.prompt)}\n   > `);
      const line = await this.#terminal.readLine(signal);
      return line === null ? { kind: 'Timeout' } : { kind: 'Text', text: line.trim() };
    }
    this.#terminal.write(
      `🔔 Tool [${visible(request.toolName ?? '')}] requires human approval\n   Args: ${spacedJson(request.args ?? {})}\n   Approve? (y/n): `,
    );
    const answer = await this.#terminal.readLine(signal);
    if (signal?.aborted) return { kind: 'Timeout' };
    const line = answer?.trim() ?? '';
    const said = line.toLowerCase();
    if (said === 'y' || said === 'yes') return { kind: 'Approved' };
    // The typed text is the reason; an empty line rejects without one.
    return line === '' ? { kind: 'Rejected' } : { kind: 'Rejected', reason: line };
  }
}
