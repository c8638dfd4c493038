/** Plays the connections of a client of AWS, and answers from a list. */
import { Readable } from 'node:stream';
import { HttpRequest, HttpResponse } from '@smithy/core/transport';
import { CLIENT_OPTIONS } from '../../../../../shared/adapters/client-options.ts';

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The last answer is given again and again. */
export class Wire {
  readonly metadata = { handlerProtocol: 'http/1.1' };
  readonly requests: HttpRequest[] = [];
  readonly #answers: (Answer | Error)[];

  constructor(...answers: (Answer | Error)[]) {
    this.#answers = answers;
  }

  async handle(request: HttpRequest, { abortSignal }: { readonly abortSignal?: AbortSignal } = {}) {
    abortSignal?.throwIfAborted();
    // Signing may write into the request of the first try.
    this.requests.push(HttpRequest.clone(request));
    const answer = this.#answers.length > 1 ? this.#answers.shift() : this.#answers[0];
    if (!answer || answer instanceof Error) throw answer;
    const { status = 200, headers = {}, body } = answer;
    return {
      response: new HttpResponse({
        statusCode: status,
        headers: { ...headers },
        body: Readable.from([Buffer.from(body)]),
      }),
    };
  }

  updateHttpClientConfig(): void {}
  httpHandlerConfigs = () => ({});
  destroy(): void {}
}

/** Options of both clients, so that they differ in nothing else. */
export const OPTIONS = {
  maxAttempts: CLIENT_OPTIONS.maxAttempts,
  region: 'us-east-1',
  endpoint: 'http://127.0.0.1:9',
  credentials: { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret', sessionToken: 'token' },
};
