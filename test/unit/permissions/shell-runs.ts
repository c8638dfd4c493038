/**
 * Runs shell texts with real shells in scratch folders.
 *
 * Every program is a stub that records its arguments and its input.
 */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { analyseCommand } from '../../../shared/permissions/shell/analysis/analyse.ts';
import { shell } from './support.ts';

/** A text that does not end, such as a loop, is stopped. On a busy machine a short one takes more than five seconds. */
const TEXT_TIMEOUT_MS = 60_000;
const AT_ONCE = 4;

export const SHELLS = ['/bin/bash', '/bin/dash'].filter((path) => existsSync(path));

/** Each run of a stub leaves a file of its own: its name, arguments and input. Nothing but built-ins of dash or bash. */
const stub = (shellPath: string): string => `#!${shellPath}
set -f
name=\${0##*/}
{
  printf '%s\\0' "$name" "$#" "$@"
  while IFS= read -r line || [ -n "$line" ]; do printf '<%s\\n' "$line"; done
} > "$STUB_LOG/$name.$$"
printf '%s says hello\\n' "$name"
`;

export interface Ran {
  /** The records of all stubs, in no order: members of a pipe run at once. */
  readonly stubs: readonly string[];
  /** Lines of the output in no order, for the same reason. */
  readonly output: readonly string[];
  readonly files: readonly string[];
  readonly code: number | null;
}

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

/** A folder with stubs under all these names; give it back with `remove`. */
export class ShellRuns {
  readonly #folder = mkdtempSync(join(tmpdir(), 'countersign-shell-'));
  readonly #unchanged: Scratch[] = [];
  #made = 0;

  constructor(programs: Iterable<string>) {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    for (const name of new Set(programs)) {
      writeFileSync(join(bin, name), stub(SHELLS.at(-1) as string));
      chmodSync(join(bin, name), 0o755);
    }
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /** The same files for every run: what patterns may match, folders for `cd`. */
  #scratch(): Scratch {
    const unchanged = this.#unchanged.pop();
    if (unchanged) return unchanged;
    this.#made += 1;
    const root = join(this.#folder, `run-${this.#made}`);
    const [home, log] = [join(root, 'home'), join(root, 'log')];
    for (const path of [log, join(home, 'src', 'lib'), join(home, 'test')]) mkdirSync(path, { recursive: true });
    for (const file of ['a.ts', 'b.ts', 'c d.txt', 'src/index.ts', 'src/lib/x.ts', 'test/a.test.ts'])
      writeFileSync(join(home, file), `${file}\n`);
    return { root, home, log, held: heldIn(home) };
  }

  /** Making a folder takes longer than a shell: the next run has this one, unless the text changed something in it. */
  #giveBack(scratch: Scratch, held: Held): void {
    const { root, log } = scratch;
    if (JSON.stringify(held) === JSON.stringify(scratch.held)) {
      for (const name of readdirSync(log)) rmSync(join(log, name));
      this.#unchanged.push(scratch);
    } else rmSync(root, { recursive: true, force: true });
  }

  async run(shellPath: string, text: string): Promise<Ran | 'not ended'> {
    const scratch = this.#scratch();
    const { home, log } = scratch;
    const env = { PATH: join(this.#folder, 'bin'), STUB_LOG: log, HOME: home, USER: 'agent', x: 'a b', empty: '' };
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
    const contents = (folder: string) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
    const held = heldIn(home);
    const shown = (each: string) => each.replaceAll(home, '~');
    const ran = {
      stubs: contents(log).map(shown).sort(),
      output: shown(output).split('\n').sort(),
      files: held.files,
      code,
    };
    this.#giveBack(scratch, held);
    return ran;
  }
}

/** Runs `one` for every item, a few at a time. */
export async function eachOf<Item>(items: readonly Item[], one: (item: Item) => Promise<void>): Promise<void> {
  const left = [...items];
  const worker = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await one(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

export const PLACE = { cwd: '/workspace/app', projectRoot: '/workspace/app', home: '/home/agent' };
/** Built-ins that reach beyond the run, and ways around the stubs. */
const UNSAFE = ['kill', 'exec', 'trap', 'ulimit', 'umask', 'eval', 'source', '.', 'wait', 'suspend', 'enable', 'hash'];

/** The programs that a text names; undefined if it might run or write something else than stubs in the scratch folder. */
export function stubsFor(text: string): readonly string[] | undefined {
  const { commands, redirects } = analyseCommand(text, shell, PLACE);
  if (/PATH|\bcommand\b.*-p|\/dev\/(?!null)|\.\.\/|\/proc/.test(text)) return undefined;
  const isInside = (path: string) => path === '/dev/null' || !/^[/~]/.test(path);
  if (!redirects.every(({ target, dir }) => target.isKnown && isInside(target.text) && dir.startsWith(PLACE.cwd)))
    return undefined;
  const names = commands.flatMap(({ argv: [first] }) => (first === undefined ? [] : [first]));
  const isStubbed = names.every(
    ({ isKnown, text: name }) => isKnown && !/^[/~]|\.\./.test(name) && !UNSAFE.includes(name),
  );
  return isStubbed ? names.map(({ text: name }) => name).filter((name) => /^[\w.+-]+$/.test(name)) : undefined;
}

/** Texts of a file with a JSON value a line: the text, or an object with it as `command`. */
export function textsOf(file: URL): string[] {
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.flatMap((line) => {
    if (line.trim() === '') return [];
    const value = JSON.parse(line) as string | { readonly command?: unknown };
    const text = typeof value === 'string' ? value : value.command;
    return typeof text === 'string' ? [text] : [];
  });
}
