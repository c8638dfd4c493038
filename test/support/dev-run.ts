/**
 * Runs `countersign dev` as a person at a terminal does.
 *
 * Starts it, reads its lines, clicks on its page, presses Ctrl-C.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

export interface DevRun {
  /** The address of the page where people answer. */
  readonly page: string;
  readonly pid: number;
  /** All that was printed so far. */
  printed(): string;
  /** Waits until a line matches. @throws Error with all that was printed, if the run ends before */
  until(line: RegExp): Promise<string>;
  /** Clicks the button of this label on the newest card that has one, as this person. */
  click(user: string, channel: string, label: string): Promise<void>;
  /** Presses Ctrl-C as npx passes it on, which is twice; resolves with the exit code. */
  interrupt(): Promise<number | null>;
}

/** `command`: the words before `dev`, run in `folder`; `options`: those after it. */
export async function startDev(
  folder: string,
  [command = '', ...words]: readonly string[],
  env: Readonly<Record<string, string | undefined>> = process.env,
  options: readonly string[] = [],
): Promise<DevRun> {
  const child = spawn(command, [...words, 'dev', '--port', '0', ...options], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (printed += text));
  const until = async (line: RegExp) => {
    for (;;) {
      const [found] = line.exec(printed) ?? [];
      if (found !== undefined) return found;
      if (hasEnded(child)) throw new Error(`it ended with ${child.exitCode ?? child.signalCode}:\n${printed}`);
      await delay(20);
    }
  };
  await until(/Ctrl-C ends it/);
  const page = await until(/http:\/\/127\.0\.0\.1:\d+(?=\n)/);
  return {
    ...{ page, until, pid: child.pid ?? 0 },
    printed: () => printed,
    click: (user, channel, label) => clickOn(page, user, channel, label),
    async interrupt() {
      child.kill('SIGINT');
      child.kill('SIGINT');
      if (!hasEnded(child)) await new Promise((resolve) => child.once('exit', resolve));
      return child.exitCode;
    },
  };
}

/** Gives what runs words in a shell that one of the run's env files made somebody; resolves with what they print. */
export function shellOf(folder: string, env: Readonly<Record<string, string | undefined>>) {
  return async (file: string, ...words: readonly string[]): Promise<string> => {
    const script = `. .countersign-dev/${file}.env && exec "$@"`;
    return (await promisify(execFile)('sh', ['-c', script, 'sh', ...words], { cwd: folder, env })).stdout;
  };
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

interface Button {
  readonly action_id: string;
  readonly block_id: string;
  readonly ts: string;
}

async function clickOn(page: string, user: string, channel: string, label: string): Promise<void> {
  for (;;) {
    const looked = await fetch(`${page}/page/snapshot?user=${user}&channel=${channel}`);
    const button = buttonIn(await looked.json(), label);
    if (button) {
      const { action_id: actionId, block_id: blockId, ts } = button;
      const body = JSON.stringify({ act: 'click', user, channel, actionId, blockId, ts });
      const acted = await fetch(`${page}/page/act`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      });
      const result = (await acted.json()) as { readonly ok: boolean };
      if (result.ok) return;
      throw new Error(`the click did nothing: ${JSON.stringify(result)}`);
    }
    await delay(20);
  }
}

/** The button, with its block and its message, wherever in the page's data it is. */
function buttonIn(value: unknown, label: string, around: Partial<Button> = {}): Button | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { action_id, block_id = around.block_id, ts = around.ts } = value as Partial<Button>;
  const here = { block_id, ts } as Partial<Button>;
  if (action_id !== undefined && block_id !== undefined && ts !== undefined)
    if (JSON.stringify((value as { readonly text?: unknown }).text ?? '').includes(`"${label}"`))
      return { action_id, block_id, ts };
  for (const inner of Object.values(value)) {
    const found = buttonIn(inner, label, here);
    if (found) return found;
  }
  return undefined;
}
