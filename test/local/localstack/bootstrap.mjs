// Runs one Lambda function in this process as the managed Node runtime would.
//
// Loads its handler once, and answers one event at a time.
import { existsSync, writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { format } from 'node:util';

const [requests, answers] = process.env.COUNTERSIGN_RUNTIME_PIPES.split(',').map(Number);
delete process.env.COUNTERSIGN_RUNTIME_PIPES;
const { env } = process;
let requestId;

/** A pipe takes what fits: the rest follows. */
const send = (message) => {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`);
  for (let sent = 0; sent < bytes.length; ) sent += writeSync(answers, bytes, sent);
};

/** The error for the caller of a function that failed: the form of AWS's Node runtime. */
const failure = (error, fallback) =>
  error instanceof Error
    ? { errorType: error.name || fallback, errorMessage: error.message, trace: (error.stack ?? '').split('\n') }
    : { errorType: fallback, errorMessage: String(error), trace: [] };

const write = (level, ...parts) => {
  const at = new Date().toISOString();
  const message = format(...parts);
  const line =
    env.AWS_LAMBDA_LOG_FORMAT === 'JSON'
      ? JSON.stringify({ timestamp: at, level, requestId, message })
      : [at, requestId ?? 'undefined', level, message.replaceAll('\n', '\r')].join('\t');
  process.stdout.write(`${line}\n`);
};
for (const [method, level] of Object.entries({
  log: 'INFO',
  info: 'INFO',
  warn: 'WARN',
  error: 'ERROR',
  debug: 'DEBUG',
  trace: 'TRACE',
})) {
  console[method] = (...parts) => write(level, ...parts);
}

process.on('unhandledRejection', (reason) => {
  const { errorMessage, trace } = failure(reason, 'Error');
  send({ type: 'error', error: { errorType: 'Runtime.UnhandledPromiseRejection', errorMessage, trace } });
  process.exit(128);
});
process.on('uncaughtException', (error) => {
  write('ERROR', 'Uncaught Exception', error);
  send({ type: 'error', error: failure(error, 'Runtime.UncaughtException') });
  process.exit(129);
});

/** @returns the handler; its module may be ESM or CommonJS. */
async function load() {
  const [file = '', name = ''] = (env._HANDLER ?? '').split(/\.(?=[^./]+$)/);
  const path = ['.mjs', '.js', '.cjs'].map((ending) => join(env.LAMBDA_TASK_ROOT, file + ending)).find(existsSync);
  if (!path) {
    const error = new Error(`Cannot find module '${file}'`);
    error.name = 'Runtime.ImportModuleError';
    throw error;
  }
  const module = await import(pathToFileURL(path).href);
  const handler = module[name] ?? module.default?.[name];
  if (typeof handler !== 'function') {
    const error = new Error(`${env._HANDLER} is undefined or not exported`);
    error.name = 'Runtime.HandlerNotFound';
    throw error;
  }
  return handler;
}

const contextOf = ({ arn, deadline }) => ({
  awsRequestId: requestId,
  invokedFunctionArn: arn,
  functionName: env.AWS_LAMBDA_FUNCTION_NAME,
  functionVersion: env.AWS_LAMBDA_FUNCTION_VERSION,
  memoryLimitInMB: env.AWS_LAMBDA_FUNCTION_MEMORY_SIZE,
  logGroupName: env.AWS_LAMBDA_LOG_GROUP_NAME,
  logStreamName: env.AWS_LAMBDA_LOG_STREAM_NAME,
  callbackWaitsForEmptyEventLoop: false,
  getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
});

async function answer(handler, message) {
  requestId = message.requestId;
  env._X_AMZN_TRACE_ID = message.traceId;
  try {
    const result = await handler(JSON.parse(message.event), contextOf(message));
    send({ type: 'response', body: JSON.stringify(result) ?? 'null' });
  } catch (error) {
    write('ERROR', 'Invoke Error', JSON.stringify(failure(error, 'Error')));
    send({ type: 'error', error: failure(error, 'Error') });
  }
}

try {
  const handler = await load();
  send({ type: 'ready' });
  for await (const line of createInterface({ input: new Socket({ fd: requests, readable: true, writable: false }) })) {
    await answer(handler, JSON.parse(line));
  }
} catch (error) {
  write('ERROR', 'Uncaught Exception', error);
  send({ type: 'error', error: failure(error, 'Runtime.Unknown') });
}
// The endpoint is gone, or the function cannot be loaded: nothing is left to do here.
process.exit(0);
