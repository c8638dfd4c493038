/** Asks at the terminal, as the default provider of a session. */
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import { consoleAsker } from '../askers/console.ts';
import type { Terminal } from '../askers/terminal.ts';
import { asProvider } from './asked-provider.ts';

/**
 * `consoleAsker` as a provider. `y` or `yes` approves; another line is a rejection with it as the reason. An input that is asked for and ends is a
 * time-out, and so is an aborted wait.
 *
 * @example
 * const requestHandler = new ProviderRequestHandler(new ConsoleHumanLoopProvider());
 * const service = new PermissionService({ requestHandler, askTimeout: '2m' });
 * console.log(await service.decide('Bash', { command: 'make' }));
 */
export class ConsoleHumanLoopProvider implements HumanLoopProvider {
  readonly #provider: HumanLoopProvider;

  /** @param terminal default: the terminal of this process */
  constructor(terminal?: Terminal) {
    this.#provider = asProvider(consoleAsker({ terminal }));
  }

  request(
    request: HumanLoopRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<HumanLoopResponse> {
    return this.#provider.request(request, options);
  }
}
