/**
 * Kills a function's process at the point that a switch names.
 *
 * Stands in for `functions/runtime/clients/aws.ts` and `sqs.ts` in the test build of a function, and only there, with the same clients.
 * Happens once: the switch is gone before the process is.
 */
import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import * as real from '../../../functions/runtime/clients/aws.ts';
import * as queues from '../../../functions/runtime/clients/sqs.ts';

export interface CrashSwitch {
  readonly function: string;
  /** Before the command is sent, or after it was answered. */
  readonly when: 'before' | 'after';
  readonly command: string;
  /** A text that the command's input holds, so that other traffic does not count. */
  readonly about?: string;
}

/** Replaced by the test build: the folder of the switches. */
declare const CRASH_SWITCHES: string;
/** A global of the function's process. */
declare const CRASH_FUNCTION: string;

interface Client {
  readonly middlewareStack: {
    add(middleware: unknown, options: { step: 'initialize'; name: string; override: true }): void;
  };
}

type Next = (args: { readonly input: unknown }) => Promise<unknown>;

function armed<Made extends object>(client: Made): Made {
  const middleware =
    (next: Next, context: { readonly commandName?: string }) => async (args: { readonly input: unknown }) => {
      crashIf('before', context.commandName, args.input);
      const answer = await next(args);
      crashIf('after', context.commandName, args.input);
      return answer;
    };
  (client as unknown as Client).middlewareStack.add(middleware, { step: 'initialize', name: 'crash', override: true });
  return client;
}

function crashIf(when: CrashSwitch['when'], command: string | undefined, input: unknown): void {
  for (const file of readdirSync(CRASH_SWITCHES)) {
    const wanted = JSON.parse(readFileSync(join(CRASH_SWITCHES, file), 'utf8')) as CrashSwitch;
    if (wanted.function !== CRASH_FUNCTION || wanted.when !== when || `${wanted.command}Command` !== command) continue;
    if (wanted.about !== undefined && !JSON.stringify(input).includes(wanted.about)) continue;
    rmSync(join(CRASH_SWITCHES, file));
    process.kill(process.pid, 'SIGKILL');
  }
}

export const dynamo = () => armed(real.dynamo());
export const sqs = () => armed(queues.sqs());
export const stepFunctions = () => armed(real.stepFunctions());
export const s3 = async () => armed(await real.s3());
export const kms = () => armed(real.kms());
export const lambda = async () => armed(await real.lambda());
export const lambdaQueue = async () => armed(await real.lambdaQueue());

// Callers take each for the real one.
({ dynamo, stepFunctions, s3, kms, lambda, lambdaQueue }) satisfies typeof real;
({ sqs }) satisfies Pick<typeof queues, 'sqs'>;
