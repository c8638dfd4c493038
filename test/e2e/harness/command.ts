/**
 * Runs the `countersign` command with the rights of one role, beside the deployed policy file.
 *
 * A process for each role's credentials runs its commands one after the other: most of a command's processor time is its start.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { resolve } from 'node:path';
import { afterAll, expect } from 'vitest';
import { e2eGate } from '../gate.ts';
import type { Answered, Asked } from '../programs/commands.ts';
import { hopeless } from './until.ts';

const PROGRAM = resolve(import.meta.dirname, '../programs/commands.ts');
/** Node keeps the compiled command here: each start takes half of the processor time. */
const COMPILED = resolve(import.meta.dirname, '../../../.cache/compiled');

export type Environment = Readonly<Record<string, string | undefined>>;

/** By the credentials that they have from their start. */
const processes = new Map<string, Promise<ChildProcess>>();
let asked = 0;

afterAll(async () => {
  for (const child of processes.values()) (await child.catch(() => undefined))?.disconnect();
  processes.clear();
});

export async function countersign(env: Environment, ...argv: readonly string[]) {
  const { policyFile } = await e2eGate();
  const whole = { COUNTERSIGN_POLICY: policyFile, NODE_COMPILE_CACHE: COMPILED, ...env, NO_COLOR: '1' };
  const key = env['AWS_ACCESS_KEY_ID'] ?? '';
  const started = processes.get(key) ?? start(key, whole);
  processes.set(key, started);
  const { code, output } = await answerOf(await started, { id: ++asked, argv, env: whole });
  const lines = output === '' ? [] : output.replace(/\n$/, '').split('\n');
  return { code, output: lines.join('\n'), lines };
}

function start(key: string, env: Environment): Promise<ChildProcess> {
  const child = fork(PROGRAM, { env, execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const { promise, resolve, reject } = Promise.withResolvers<ChildProcess>();
  child.once('message', () => resolve(child)).once('error', reject);
  child.once('exit', (code) => {
    processes.delete(key);
    reject(new Error(`the process for commands ended with ${code}`));
  });
  return promise;
}

/** @throws whatever ends the test's waits, or Error if the process ends before it has answered */
async function answerOf(child: ChildProcess, of: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  const { signal } = hopeless;
  signal?.throwIfAborted();
  const take = (answered: Answered) => {
    if (answered.id === of.id) resolve(answered);
  };
  // Also of a command that was called off: the next one would be sent to a process that is about to end.
  const ended = () =>
    reject(signal?.aborted ? signal.reason : new Error(`the process ended in: countersign ${of.argv.join(' ')}`));
  const stop = () => void child.kill('SIGKILL');
  child.on('message', take).once('exit', ended);
  signal?.addEventListener('abort', stop, { once: true });
  child.send(of);
  return promise.finally(() => {
    child.off('message', take).off('exit', ended);
    signal?.removeEventListener('abort', stop);
  });
}

export async function json(env: Environment, ...argv: readonly string[]): Promise<Record<string, unknown>[]> {
  const { code, output, lines } = await countersign(env, ...argv, '--json');
  expect(code, output).toBe(0);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}
