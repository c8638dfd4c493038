/**
 * Sends requests to DynamoDB in place of the SDK's client, in the functions' bundles.
 *
 * The SDK's client would be a quarter of the code that a new process of `evaluate` loads. Signer, connections, middleware, and the rules and
 * pauses of retries are the SDK's own parts; left out are the schemas of every operation and the protocols that read them.
 */
import { getRecursionDetectionPlugin } from '@aws-sdk/core/client';
import { Sha256Node } from '@smithy/core/checksum';
import { constructStack } from '@smithy/core/client';
import { HttpRequest } from '@smithy/core/transport';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { SignatureV4 } from '@smithy/signature-v4';
import type { FinalizeHandlerArguments, HttpResponse } from '@smithy/types';
import type { DynamoCommand } from './commands.ts';
import { errorOf, type Metadata } from './errors.ts';
import { Retries } from './retries.ts';
import { type ClientSettings, plainSettings, sdkSettings } from './settings.ts';
import { SigningClock } from './signing-clock.ts';
import { fromWire, textOf, toWire } from './wire.ts';

const TARGET = 'DynamoDB_20120810';

interface Bounds {
  /** Default: 3. */
  readonly maxAttempts?: number;
  readonly requestHandler: Parameters<typeof NodeHttpHandler.create>[0];
}

/** Default: those of the process. */
interface Stated {
  readonly region: string;
  readonly endpoint: string;
  readonly credentials: Awaited<ReturnType<ClientSettings['credentials']>>;
}

export type SignedClientOptions = Bounds & (Stated | { readonly [Name in keyof Stated]?: never });

type Output = object & { $metadata?: Metadata };

/** Has the name of the SDK's client, whose place it takes in bundles. */
export class DynamoDBClient {
  readonly middlewareStack = constructStack<object, Output>();
  readonly #connections: ReturnType<typeof NodeHttpHandler.create>;
  readonly #retries: Retries;
  readonly #options: SignedClientOptions;
  readonly #clock = new SigningClock();
  #settings: Promise<ClientSettings> | undefined;

  constructor(options: SignedClientOptions) {
    this.#options = options;
    this.#connections = NodeHttpHandler.create(options.requestHandler);
    this.#retries = new Retries(options.maxAttempts);
  }

  /** @throws DynamoDBServiceException for what the service refuses; the connection's error, or an AbortError, otherwise */
  async send<Input extends object, Answer>(
    { operation, input }: DynamoCommand<Input, Answer>,
    { abortSignal }: { readonly abortSignal?: AbortSignal } = {},
  ): Promise<Answer> {
    const stack = constructStack<object, Output>();
    stack.use(getRecursionDetectionPlugin({}));
    stack.add((next) => async (args) => next({ ...args, request: await this.#requestOf(operation, args.input) }), {
      step: 'serialize',
      name: 'countersignRequest',
    });
    stack.add((next) => (args) => this.#retries.run(() => next(args), abortSignal), {
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
      { commandName: `${operation}Command`, clientName: 'DynamoDBClient' },
    );
    const { output } = await handler({ input });
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
    if (endpoint) return { region, endpoint: new URL(endpoint), credentials: async () => credentials };
    return plainSettings(process.env) ?? (await sdkSettings());
  }

  async #requestOf(operation: string, input: object): Promise<HttpRequest> {
    const { endpoint } = await this.#ready();
    const { protocol, hostname, port, host, pathname } = endpoint;
    const body = toWire(input);
    return new HttpRequest({
      method: 'POST',
      protocol,
      hostname,
      ...(port ? { port: Number(port) } : {}),
      path: pathname,
      headers: {
        host,
        'content-type': 'application/x-amz-json-1.0',
        'content-length': String(Buffer.byteLength(body)),
        'x-amz-target': `${TARGET}.${operation}`,
        'user-agent': 'countersign',
      },
      body,
    });
  }

  async #signed({ request }: FinalizeHandlerArguments<object>): Promise<unknown> {
    const { region, credentials } = await this.#ready();
    const signer = new SignatureV4({ service: 'dynamodb', region, credentials, sha256: Sha256Node });
    return signer.sign(request as HttpRequest, { signingDate: this.#clock.now() });
  }

  async #read({ statusCode, headers, body }: HttpResponse, sentAt: number): Promise<Output> {
    const text = await textOf(body as AsyncIterable<Buffer>);
    const metadata: Metadata = { httpStatusCode: statusCode, requestId: headers['x-amzn-requestid'] };
    const isCorrected = this.#clock.learn(headers['date'], sentAt);
    if (statusCode < 300) return { ...fromWire(text), $metadata: metadata };
    if (isCorrected) metadata.clockSkewCorrected = true;
    throw errorOf(text, headers, metadata);
  }
}
