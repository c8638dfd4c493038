/** Asks whoever is connected over a WebSocket, in the form of the seed's provider. */
import * as z from 'zod';
import type { Answer, Question } from '../../ports/asker.ts';
import type { HumanLoopProvider, HumanLoopRequest, HumanLoopResponse } from '../../ports/human-loop.ts';
import {
  type WebSocketAsker,
  type WebSocketFormat,
  type WebSocketOptions,
  webSocketAskerIn,
} from '../askers/websocket.ts';
import { asProvider } from './asked-provider.ts';
import { requestFields } from './request-fields.ts';

const wireAnswer = z.object({
  decision: z.enum(['approved', 'rejected', 'timeout']).optional(),
  text: z.string().nullish(),
  reason: z.string().nullish(),
});

const FORMAT: WebSocketFormat = {
  bodyOf: (question) => ({ ...requestFields(question), request_id: question.id }),
  answerOf: (stated, question) => answerOf(wireAnswer.safeParse(stated).data, question),
};

function answerOf(stated: z.infer<typeof wireAnswer> | undefined, { kind }: Question): Answer | undefined {
  if (kind === 'text' && typeof stated?.text === 'string') return { type: 'text', text: stated.text };
  switch (stated?.decision) {
    case 'approved':
      return { type: 'approved' };
    case 'rejected':
      return { type: 'rejected', reason: stated.reason ?? undefined };
    case 'timeout':
      return { type: 'silent' };
    default:
      return undefined;
  }
}

/**
 * Sends each request to every client that showed the token; the first answer counts. `close` ends it.
 *
 * @example
 * const provider = await WebSocketHumanLoopProvider.listen('127.0.0.1:0', { timeout: '1m' });
 * console.log(provider.port, provider.token);
 * await provider.close();
 */
export class WebSocketHumanLoopProvider implements HumanLoopProvider {
  readonly #people: WebSocketAsker;
  readonly #provider: HumanLoopProvider;

  private constructor(people: WebSocketAsker) {
    this.#people = people;
    this.#provider = asProvider(people.ask);
  }

  /** Listens as `webSocketAsker` does, and throws what it throws. */
  static async listen(address: string, options: WebSocketOptions = {}): Promise<WebSocketHumanLoopProvider> {
    return new WebSocketHumanLoopProvider(await webSocketAskerIn(FORMAT, address, options));
  }

  /** The token that every client has to send first: other programs of this machine reach the address too. */
  get token(): string {
    return this.#people.token;
  }

  get port(): number {
    return this.#people.port;
  }

  get clients(): number {
    return this.#people.clients;
  }

  request(
    request: HumanLoopRequest,
    options?: { readonly signal?: AbortSignal | undefined },
  ): Promise<HumanLoopResponse> {
    return this.#provider.request(request, options);
  }

  /** Answers each request that still waits with a rejection. */
  close(): Promise<void> {
    return this.#people.close();
  }
}
