/**
 * Starts a shell for each text from one long-lived dash.
 *
 * A fork of a small process takes a third of the time of one of Node's.
 */
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { HOME, isRoot, NOBODY, PROJECT, type Scratch } from './scratch.ts';

interface DriverOptions {
  readonly dash: string;
  readonly shell: string;
  readonly timeout: string;
  readonly sleep: string;
  readonly scratch: Scratch;
}

const RUN_TIMEOUT_S = 2;
/** The driver itself answers within this time, or it is taken for dead. */
const ANSWER_TIMEOUT_MS = 20_000;
/** How often 10 ms are waited for what a text left in the background. */
const MAX_WAITS = 50;

export class Driver {
  readonly #options: DriverOptions;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;
  readonly #output: string;
  #answer: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;

  constructor(options: DriverOptions) {
    this.#options = options;
    const { dash, scratch } = options;
    this.#output = join(scratch.outputs, 'output');
    this.#child = spawn(dash, ['-s'], {
      cwd: scratch.real(PROJECT),
      env: { PATH: scratch.tools, HOME: scratch.real(HOME) },
      detached: true,
      stdio: ['pipe', 'pipe', 'ignore'],
      ...(isRoot ? { uid: NOBODY, gid: NOBODY } : {}),
    });
    let line = '';
    this.#child.stdout.on('data', (chunk: Buffer) => {
      line += chunk.toString('latin1');
      if (!line.endsWith('\n')) return;
      this.#answer?.resolve(Number(line));
      line = '';
    });
    this.#child.on('exit', () => this.#answer?.reject(new Error(`the driver of ${options.shell} ended`)));
    this.#child.on('error', (error) => this.#answer?.reject(error));
    this.#child.stdin.write('ulimit -f 256; ulimit -c 0; ulimit -n 64; ulimit -p 4000\n');
  }

  /** Runs a text, and waits for what it left in the background. */
  async run(text: string, cwd: string): Promise<{ output: string; killed: boolean }> {
    const status = await new Promise<number>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`no answer to ${JSON.stringify(text)}`)), ANSWER_TIMEOUT_MS);
      const end = () => clearTimeout(timer);
      this.#answer = {
        resolve: (each) => {
          end();
          resolve(each);
        },
        reject: (error) => {
          end();
          reject(error);
        },
      };
      this.#child.stdin.write(this.#lines(text, cwd));
    });
    // 128 + SIGKILL: the shell, or `timeout` that ended it.
    return { output: readFileSync(this.#output, 'latin1'), killed: status === 137 };
  }

  close(): void {
    this.#child.removeAllListeners('exit');
    this.#child.stdin.end();
  }

  #lines(text: string, cwd: string): string {
    const { shell, timeout, sleep } = this.#options;
    const word = `'${text.replaceAll("'", "'\\''")}'`;
    // `timeout` leads a process group, which goes as a whole.
    return [
      `(ulimit -t 1; cd '${cwd}'; unset OLDPWD; exec ${timeout} -s KILL ${RUN_TIMEOUT_S} ${shell} -c ${word}) </dev/null >${this.#output} 2>&1 & p=$!`,
      'wait $p; s=$?',
      text.includes('&') || text.includes('>(') || text.includes('coproc')
        ? `i=0; while [ $i -lt ${MAX_WAITS} ] && kill -0 -- -$p; do ${sleep} 0.01; i=$((i+1)); done`
        : ':',
      'kill -9 -- -$p; echo $s',
      '',
    ].join('\n');
  }
}
