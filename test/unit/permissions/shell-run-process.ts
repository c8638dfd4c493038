/**
 * Runs shell texts for `ShellRuns`, one for each message, beside stubs in place of programs.
 *
 * Linux copies the page tables of whoever starts a program, and those of a test's process are many times as large as
 * those of this one.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

/** A text that does not end, such as a loop, is stopped. On a busy machine a short one takes more than five seconds. */
const TEXT_TIMEOUT_MS = 60_000;

export interface Ran {
  /** The records of all stubs, in no order: members of a pipe run at once. */
  readonly stubs: readonly string[];
  /** Lines of the output in no order, for the same reason. */
  readonly output: readonly string[];
  readonly files: readonly string[];
  readonly code: number | null;
}

/** A test asks for a run, and is answered under the same number. */
export interface Asked {
  readonly number: number;
  readonly shellPath: string;
  readonly text: string;
}
export type Answered = { readonly number: number } & ({ readonly ran: Ran | 'not ended' } | { readonly fault: string });

interface Scratch {
  readonly root: string;
  readonly home: string;
  readonly log: string;
  /** The content of `home` before the run. */
  readonly held: Held;
}

interface Held {
  /** Each with its text. */
  readonly files: readonly string[];
  readonly others: readonly string[];
}

function heldIn(home: string): Held {
  const entries = readdirSync(home, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path, isFile: entry.isFile(), name: path.slice(home.length) };
  });
  const files = entries.flatMap(({ path, isFile, name }) => (isFile ? [`${name}: ${readFileSync(path, 'utf8')}`] : []));
  const others = entries.flatMap(({ isFile, name }) => (isFile ? [] : [name]));
  return { files: files.sort(), others: others.sort() };
}

/** Has `bin` with the stubs, and gets a folder for each run. */
const [folder = ''] = process.argv.slice(2);
const unchanged: Scratch[] = [];
let made = 0;

process.on('message', (asked: Asked) => {
  const answer = (answered: Answered) => process.send?.(answered);
  const { number } = asked;
  run(asked).then(
    (ran) => answer({ number, ran }),
    (error: unknown) => answer({ number, fault: String(error) }),
  );
});

/** The same files for every run: what patterns may match, folders for `cd`. */
function scratchFolder(): Scratch {
  const given = unchanged.pop();
  if (given) return given;
  made += 1;
  const root = join(folder, `run-${made}`);
  const [home, log] = [join(root, 'home'), join(root, 'log')];
  for (const path of [log, join(home, 'src', 'lib'), join(home, 'test')]) mkdirSync(path, { recursive: true });
  for (const file of ['a.ts', 'b.ts', 'c d.txt', 'src/index.ts', 'src/lib/x.ts', 'test/a.test.ts'])
    writeFileSync(join(home, file), `${file}\n`);
  return { root, home, log, held: heldIn(home) };
}

/** Making a folder takes longer than a shell: the next run has this one, unless the text changed something in it. */
function giveBack(scratch: Scratch, held: Held): void {
  const { root, log } = scratch;
  if (JSON.stringify(held) === JSON.stringify(scratch.held)) {
    for (const name of readdirSync(log)) rmSync(join(log, name));
    unchanged.push(scratch);
  } else rmSync(root, { recursive: true, force: true });
}

async function run({ shellPath, text }: Asked): Promise<Ran | 'not ended'> {
  const scratch = scratchFolder();
  const { home, log } = scratch;
  const env = { PATH: join(folder, 'bin'), STUB_LOG: log, HOME: home, USER: 'agent', x: 'a b', empty: '' };
  const options = shellPath.endsWith('bash') ? ['--norc', '--noprofile'] : [];
  const child = spawn(shellPath, [...options, '-c', text], {
    cwd: home,
    env,
    // The last pipe is open in every process of the run, also where a text sends the output to a file.
    stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    detached: true,
  });
  (child.stdio[3] as Readable).resume();
  let output = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  let isStopped = false;
  const timer = setTimeout(() => {
    isStopped = true;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, TEXT_TIMEOUT_MS);
  // A command in the background holds a pipe open until it ends.
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  clearTimeout(timer);
  if (isStopped) return 'not ended';
  const records = readdirSync(log).map((name) => readFileSync(join(log, name), 'utf8'));
  const held = heldIn(home);
  const shown = (each: string) => each.replaceAll(home, '~');
  const ran = {
    stubs: records.map(shown).sort(),
    output: shown(output).split('\n').sort(),
    files: held.files,
    code,
  };
  giveBack(scratch, held);
  return ran;
}
