/**
 * Sends requests to services of AWS in place of the SDK's clients, in the functions' bundles.
 *
 * The SDK's clients would be a third of the code that a new process loads. Signer, connections, middleware and retries are parts of the SDK. Only
 * the schemas of all operations, and the protocols that read them, are left out.
 */
import { getRecursionDetectionPlugin } from '@aws-sdk/core/client';
import { constructStack } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/transport';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { FinalizeHandlerArguments, HttpResponse } from '@smithy/types';
import type { Command } from './command.ts';
import { errorOf } from './errors.ts';
import type { Metadata } from './exception.ts';
import { messageOf } from './message.ts';
import { Retries } from './retries.ts';
import type { Service } from './service.ts';
import { type ClientSettings, plainSettings, type SignedClientOptions, sdkSettings } from './settings.ts';
import { Sha256 } from './sha256.ts';
import { SigningClock } from './signing-clock.ts';
import { fromWire, textOf } from './wire.ts';

type Output = object & { $metadata?: Metadata };

/** A class for each service extends it, and has the name of the SDK's client, whose place it takes in bundles. */
export class SignedClient {
  readonly middlewareStack = constructStack<object, Output>();
  readonly #connections: ReturnType<typeof NodeHttpHandler.create>;
  readonly #retries: Retries;
  readonly #service: Service;
  readonly #options: SignedClientOptions;
  readonly #clock = new SigningClock();
  #settings: Promise<ClientSettings> | undefined;

  constructor(service: Service, options: SignedClientOptions) {
    this.#service = service;
    this.#options = options;
    this.#connections = NodeHttpHandler.create(options.requestHandler);
    this.#retries = new Retries(service.baseDelayMs, options.maxAttempts);
  }

  /** @throws ServiceException for what the service refuses; the connection's error, or an AbortError, otherwise */
  async send<Input extends object, Answer>(
    { operation, input }: Command<Input, Answer>,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<Answer> {
    const { queues } = this.#service;
    const stack = constructStack<object, Output>();
    stack.use(getRecursionDetectionPlugin({}));
    stack.add((next) => async (args) => next({ ...args, request: await this.#requestOf(operation, args.input) }), {
      step: 'serialize',
      name: 'countersignRequest',
    });
    const isPoll = queues?.polls.has(operation) === true;
    stack.add((next) => (args) => this.#retries.run(() => next(args), abortSignal, isPoll), {
      step: 'finalizeRequest',
      priority: 'high',
      name: 'countersignRetries',
    });
    stack.add((next) => async (args) => next({ ...args, request: await this.#signed(args) }), {
      step: 'finalizeRequest',
      priority: 'low',
      name: 'countersignSignature',
    });
    stack.add(
      (next) => async (args) => {
        const sentAt = Date.now();
        const { response } = await next(args);
        return { response, output: await this.#read(response as HttpResponse, sentAt) };
      },
      { step: 'deserialize', name: 'countersignAnswer' },
    );
    const handler = this.middlewareStack.concat(stack as never).resolve(
      async ({ request }: { readonly request: unknown }) => {
        const { response } = await this.#connections.handle(request as HttpRequest, abortSignal ? { abortSignal } : {});
        // Read by the middleware for answers, nearest to the connection but for what asks to be nearer.
        return { response, output: {} };
      },
      { commandName: `${operation}Command` },
    );
    const { output } = await handler({ input });
    queues?.check(operation, input, output);
    return output as Answer;
  }

  destroy(): void {
    this.#connections.destroy?.();
  }

  #ready(): Promise<ClientSettings> {
    this.#settings ??= this.#resolved().catch((error: unknown) => {
      this.#settings = undefined;
      throw error;
    });
    return this.#settings;
  }

  async #resolved(): Promise<ClientSettings> {
    const { region, endpoint, credentials } = this.#options;
    if (credentials) return { region, endpoint: new URL(endpoint), credentials: async () => credentials };
    const env = region === undefined ? process.env : { ...process.env, AWS_REGION: region };
    const found = plainSettings(this.#service, env) ?? (await sdkSettings(this.#service, region));
    return endpoint === undefined ? found : { ...found, endpoint: new URL(endpoint) };
  }

  async #requestOf(operation: string, input: object): Promise<HttpRequest> {
    const { endpoint } = await this.#ready();
    const { queues } = this.#service;
    const there = this.#options.endpoint === undefined ? queues?.endpointOf(input) : undefined;
    const { protocol, hostname, port, host, pathname } = there ?? endpoint;
    const { path, headers, body } = messageOf(this.#service, operation, input);
    return new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port ? { port: Number(port) } : {}),
      path: pathname.replace(/\/$/, '') + path,
      headers: {
        host,
        ...headers,
        'content-length': String(Buffer.byteLength(body)),
        ...(queues ? { 'x-amzn-query-mode': 'true' } : {}),
        'user-agent': 'countersign',
      },
      body,
    });
  }

  async #signed({ request }: FinalizeHandlerArguments<object>): Promise<unknown> {
    const { region, credentials } = await this.#ready();
    const { host, signedAs = host } = this.#service;
    const signer = new SignatureV4({ service: signedAs, region, credentials, sha256: Sha256 });
    return signer.sign(request as HttpRequest, { signingDate: this.#clock.now() });
  }

  async #read({ statusCode, headers, body }: HttpResponse, sentAt: number): Promise<Output> {
    const text = await textOf(body as AsyncIterable<Buffer>);
    const metadata: Metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] };
    const isCorrected = this.#clock.learn(headers['date'], sentAt);
    if (statusCode < 300) return { ...fromWire(text, this.#service), $metadata: metadata };
    if (isCorrected) metadata.clockSkewCorrected = true;
    throw errorOf(this.#service, text, headers, metadata);
  }
}
