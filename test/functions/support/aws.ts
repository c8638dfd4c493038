/**
 * Answers the SDK on loopback as a test says, and remembers the requests.
 *
 * For handlers that run as they are deployed.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Input = Readonly<Record<string, unknown>>;
/** By operation, such as `GetSecretValue`; throws an `AwsFault` to refuse. */
export type Answers = Record<string, (input: Input) => unknown>;

export class AwsFault extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.name = 'AwsFault';
    this.code = code;
  }
}

export interface Aws {
  readonly url: string;
  /** `trace`: the X-Ray header that came with it. */
  readonly calls: { readonly operation: string; readonly input: Input; readonly trace?: string | undefined }[];
  /** Inputs of one operation. */
  asked(operation: string): Input[];
  stop(): Promise<void>;
}

/** Services with a JSON protocol: DynamoDB, SQS, Secrets Manager, SSM, Step Functions; and objects that are put into S3. */
export async function startAws(answers: Answers): Promise<Aws> {
  const calls: Aws['calls'] = [];
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('');
    const target = request.headers['x-amz-target'];
    // S3 names no operation: its method and path do.
    const isPut = target === undefined && request.method === 'PUT';
    const operation = isPut ? 'PutObject' : (String(target).split('.').at(-1) ?? '');
    const input = (isPut ? { path: request.url, text: body } : JSON.parse(body || '{}')) as Input;
    const trace = request.headers['x-amzn-trace-id'];
    calls.push({ operation, input, ...(typeof trace === 'string' ? { trace } : {}) });
    const reply = (status: number, value: unknown) => {
      response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' });
      response.end(JSON.stringify(value));
    };
    try {
      const answer = answers[operation];
      if (!answer) throw new AwsFault(`no answer to ${operation}`);
      reply(200, (await answer(input)) ?? {});
    } catch (error) {
      reply(400, { __type: error instanceof AwsFault ? error.code : 'InternalServerError' });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    asked: (operation) => calls.filter((call) => call.operation === operation).map(({ input }) => input),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
