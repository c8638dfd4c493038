/**
 * Reads from an error everything that a log may hold.
 *
 * Names, codes, ids of services and frames may be logged, and no text of a message.
 */
import { operationOf } from './aws-operations.ts';

/** One error with its causes. Every text in it is bounded and has a known shape. */
interface Fault {
  /** The name by which faults are counted: of the deepest error with a name of its own. */
  readonly fault: string;
  /** The names of all of them, the outermost first, where there are several. */
  readonly causes?: readonly string[];
  readonly code?: string;
  /** The HTTP status that a service answered. */
  readonly status?: number;
  readonly awsRequestId?: string;
  /** The AWS call, and its table or queue: `TransactWriteItems Countersign-State`. */
  readonly operation?: string;
  readonly slackMethod?: string;
  /** Slack's own word for the fault, such as `restricted_action`. */
  readonly slackError?: string;
  /** The text, for the few kinds of errors whose text is the service's own and quotes no message. */
  readonly text?: string;
  /** Where it was thrown, the innermost frame first. */
  readonly at?: readonly string[];
}

/** Longer chains are cut: an error may be its own cause. */
const MAX_CAUSES = 5;
/** An error of an SDK has about ten frames above ours. */
const MAX_FRAMES = 16;
const MAX_TEXT = 500;
const NAME = /^[A-Za-z_$][\w$.-]{0,79}$/;
const CODE = /^[A-Za-z][\w.-]{0,79}$/;
const ID = /^[\w-]{1,80}$/;
const SLACK_WORD = /^[a-z_]{1,60}$/;
/** Names without a meaning: every library has one of them, or wraps others in it. */
const NAMELESS: ReadonlySet<string> = new Set(['Error', 'UnknownError', 'AggregateError']);
/** AWS names the caller, the action and the resource, or the limit. Other texts of AWS quote values of the request. */
const SAFE_TEXT =
  /^(AccessDenied|UnrecognizedClient|ExpiredToken|ResourceNotFound|Throttling|ProvisionedThroughput|RequestLimit|DisabledException|K[Mm][Ss].*(AccessDenied|Disabled|NotFound|InvalidState))/;

export function faultOf(error: unknown): Fault {
  const chain = chainOf(error);
  const causes = chain.map(nameOf);
  const aws = firstOf(chain, ({ $metadata }) => recordOf($metadata));
  const code = firstOf(chain, ({ code: given }) => textOf(given, CODE));
  const status = firstOf(chain, ({ $metadata, status: plain, statusCode }) =>
    [recordOf($metadata)?.['httpStatusCode'], statusCode, plain].find(isStatus),
  );
  const awsRequestId = textOf(aws?.['requestId'], ID);
  const operation = firstOf(chain, (one) => operationOf(one));
  const slackError = firstOf(chain, slackWordOf);
  const slackMethod = firstOf(chain, ({ slackMethod: method }) => textOf(method, /^[A-Za-z]+(\.[A-Za-z]+)+$/));
  const text = firstOf(chain, safeTextOf);
  const at = framesOf(chain.at(-1));
  return {
    fault: causes.findLast((name) => !NAMELESS.has(name)) ?? causes[0] ?? 'Error',
    ...(causes.length > 1 ? { causes } : {}),
    ...(code === undefined ? {} : { code }),
    ...(status === undefined ? {} : { status }),
    ...(awsRequestId === undefined ? {} : { awsRequestId }),
    ...(operation === undefined ? {} : { operation }),
    ...(slackMethod === undefined ? {} : { slackMethod }),
    ...(slackError === undefined ? {} : { slackError }),
    ...(text === undefined ? {} : { text }),
    ...(at.length ? { at } : {}),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** The error and its chain of causes: `cause`, or `original` of Bolt and of Slack's client. */
function chainOf(error: unknown): unknown[] {
  const chain: unknown[] = [];
  for (let at: unknown = error; at !== undefined && at !== null && chain.length < MAX_CAUSES; ) {
    if (chain.includes(at)) break;
    chain.push(at);
    const { cause, original } = recordOf(at) ?? {};
    at = cause instanceof Error ? cause : original instanceof Error ? original : undefined;
  }
  return chain;
}

/** A service names its own errors: a name that is none is left out. */
const nameOf = (error: unknown): string =>
  error instanceof Error ? (textOf(error.name, NAME) ?? 'Error') : error === null ? 'null' : typeof error;

function firstOf<Value>(chain: readonly unknown[], read: (fields: Fields) => Value | undefined): Value | undefined {
  for (const one of chain) {
    const fields = recordOf(one);
    const value = fields && read(fields);
    if (value !== undefined) return value;
  }
  return undefined;
}

const isStatus = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599;

/** Reads errors of Slack's client, and our own errors about Slack. In other errors, `data` or `reason` may hold anybody's words. */
function slackWordOf({ name, code, data, reason }: Fields): string | undefined {
  if (typeof code === 'string' && code.startsWith('slack_')) return textOf(recordOf(data)?.['error'], SLACK_WORD);
  return name === 'SlackRefusedError' ? textOf(reason, SLACK_WORD) : undefined;
}

/** Reads errors of AWS alone, which have `$metadata`. */
function safeTextOf({ name, message, $metadata }: Fields): string | undefined {
  if (!recordOf($metadata) || typeof name !== 'string' || !SAFE_TEXT.test(name)) return undefined;
  return typeof message === 'string' && message ? message.slice(0, MAX_TEXT).toWellFormed() : undefined;
}

/** A frame with a function's name, or with a file alone; the folders before the file are left out. */
const FRAME =
  /^ {4}at (?:(?:async |new )*([\w$.<>#]{1,80})(?: \[as [\w$.<>#]{1,80}\])? \()?(?:async )?(?:file:\/\/|node:)?[\w$@./+-]*?([\w$@.+-]{1,80}:\d{1,7}:\d{1,7})\)?$/;

/** The text before the frames may quote a message, which may look like a frame: without a known beginning, no frame is read. */
function framesOf(error: unknown): string[] {
  if (!(error instanceof Error) || typeof error.stack !== 'string') return [];
  const { stack, message } = error;
  const known = message ? stack.indexOf(message) : -1;
  const rest = known >= 0 ? stack.slice(known + message.length) : stack;
  const [first = '', ...lines] = rest.split('\n');
  // An error whose text was set afterwards: its stack begins with a name.
  if (known < 0 && !/^(Uncaught )?[\w$.-]{0,80}:? ?$/.test(first)) return [];
  if (known >= 0 && first !== '') return [];
  return lines.flatMap(frameOf).slice(0, MAX_FRAMES);
}

function frameOf(line: string): string[] {
  if (line.includes('(node:internal/')) return [];
  const [, name, location] = FRAME.exec(line) ?? [];
  if (location === undefined) return [];
  return [name === undefined ? location : `${name} ${location}`];
}

const textOf = (value: unknown, shape: RegExp): string | undefined =>
  typeof value === 'string' && shape.test(value) ? value : undefined;
const recordOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null ? (value as Fields) : undefined;
