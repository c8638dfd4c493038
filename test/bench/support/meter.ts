/** Counts SDK calls on real clients: each attempt, its bytes both ways, and its DynamoDB units. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Billed, NOTHING_BILLED, type UnitsOf } from './units-of-call.ts';

export interface Call {
  /** The phase that made the call, such as `evaluate`. */
  readonly phase: string;
  /** The SDK's name of the operation, without `Command`. */
  readonly operation: string;
  readonly sent: number;
  readonly received: number;
  readonly billed: Billed;
}

/** A text of the record, or a large input, put into S3. */
export const PUT_TEXT = 'PutObject';

interface Args {
  readonly input: object;
  readonly request?: unknown;
}
interface Result {
  readonly response: unknown;
  readonly output?: object | undefined;
}

export class Meter {
  calls: Call[] = [];
  #phase = 'nothing';
  readonly #unitsOf: UnitsOf;

  constructor(unitsOf: UnitsOf) {
    this.#unitsOf = unitsOf;
  }

  async during<Value>(phase: string, work: () => Promise<Value>): Promise<Value> {
    const before = this.#phase;
    this.#phase = phase;
    try {
      return await work();
    } finally {
      this.#phase = before;
    }
  }

  /** A port that is exactly one SDK call where it is not played here. */
  count(operation: string, sent: number, phase = this.#phase): void {
    this.calls.push({ phase, operation, sent, received: 0, billed: NOTHING_BILLED });
  }

  watchDynamo(client: DynamoDBClient, phase?: string): DynamoDBClient {
    client.middlewareStack.add((next, context) => this.#counting(next, context, phase), PLACE);
    return client;
  }

  watchSqs(client: SQSClient, phase?: string): SQSClient {
    client.middlewareStack.add((next, context) => this.#counting(next, context, phase), PLACE);
    return client;
  }

  /** Runs around the parsing of each attempt's answer: after signing, within the retries. */
  #counting<In extends Args, Out extends Result>(
    next: (args: In) => Promise<Out>,
    context: object,
    fixedPhase: string | undefined,
  ) {
    return async (args: In): Promise<Out> => {
      const operation = String((context as { commandName?: string }).commandName).replace(/Command$/, '');
      const phase = fixedPhase ?? this.#phase;
      const units = await this.#unitsOf(operation, args.input);
      const sent = bodyBytes((args.request as { body?: unknown } | undefined)?.body);
      try {
        const result = await next(args);
        const billed = await units(result.output);
        this.calls.push({ phase, operation, sent, received: answerBytes(result.response), billed });
        return result;
      } catch (error) {
        const response = (error as { $response?: unknown }).$response;
        this.calls.push({ phase, operation, sent, received: answerBytes(response), billed: await units(undefined) });
        throw error;
      }
    };
  }
}

const PLACE = { step: 'deserialize', priority: 'high', name: 'bench-meter' } as const;

const bodyBytes = (body: unknown): number =>
  typeof body === 'string' ? Buffer.byteLength(body) : body instanceof Uint8Array ? body.byteLength : 0;

const answerBytes = (response: unknown): number =>
  Number((response as { headers?: Record<string, string> } | undefined)?.headers?.['content-length'] ?? 0);
