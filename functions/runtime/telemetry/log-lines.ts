/**
 * Writes the log of a function: one JSON object a line, as Powertools for AWS Lambda writes it.
 *
 * Powertools itself would be a twentieth of the code that a new process loads, for five of its fields.
 */

const LEVELS = { TRACE: 6, DEBUG: 8, INFO: 12, WARN: 16, ERROR: 20, CRITICAL: 24, SILENT: 28 } as const;
/** In the order of their precedence: the first is Lambda's own setting of a function. */
const LEVEL_VARIABLES = ['AWS_LAMBDA_LOG_LEVEL', 'POWERTOOLS_LOG_LEVEL', 'LOG_LEVEL'] as const;

type Facts = Readonly<Record<string, unknown>>;
type Environment = Readonly<Record<string, string | undefined>>;

export class LogLines {
  readonly #service: string;
  readonly #lasting: Facts;
  readonly #env: Environment;
  readonly #least: number;
  #requestId: string | undefined;

  /** @param lasting stands in every line */
  constructor(service: string, lasting: Facts, env: Environment = process.env) {
    this.#service = service;
    this.#lasting = lasting;
    this.#env = env;
    this.#least = leastOf(env);
  }

  /** Stands in every line until the next one. */
  beginInvocation(requestId: string): void {
    this.#requestId = requestId;
  }

  /** Facts without a value are left out. No fact replaces level, message, time or service. */
  write(level: 'info' | 'warn' | 'error', message: string, facts: Facts): void {
    const name = level.toUpperCase() as Uppercase<typeof level>;
    if (LEVELS[name] < this.#least) return;
    const own = { level: name, message, timestamp: new Date().toISOString(), service: this.#service };
    const line: Facts = {
      ...own,
      sampling_rate: 0,
      xray_trace_id: rootIn(statedTrace() ?? this.#env['_X_AMZN_TRACE_ID']),
      ...this.#lasting,
      requestId: this.#requestId,
      ...facts,
      ...own,
    };
    const filled = Object.entries(line).filter(([, value]) => value !== undefined && value !== null && value !== '');
    const stream = level === 'info' ? process.stdout : process.stderr;
    stream.write(`${JSON.stringify(Object.fromEntries(filled), readable)}\n`);
  }
}

function leastOf(env: Environment): number {
  for (const variable of LEVEL_VARIABLES) {
    const stated = env[variable] === 'FATAL' ? 'CRITICAL' : env[variable];
    if (stated && Object.hasOwn(LEVELS, stated)) return LEVELS[stated as keyof typeof LEVELS];
  }
  return LEVELS.INFO;
}

/** Reads the trace of the invocation from the runtime's own store, where the environment does not state it. */
function statedTrace(): string | undefined {
  const { awslambda } = globalThis as {
    readonly awslambda?: { readonly InvokeStore?: { getXRayTraceId?(): string | undefined } };
  };
  return awslambda?.InvokeStore?.getXRayTraceId?.();
}

/** `Root` of `Root=1-…;Parent=…;Sampled=1`. */
const rootIn = (header: string | undefined): string | undefined =>
  header?.includes('=') ? /(?:^|;)Root=([^;]*)/.exec(header)?.[1] : header;

/** A line is written whatever a fact is. */
const readable = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
