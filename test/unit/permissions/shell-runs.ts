/**
 * Runs shell texts with real shells in scratch folders.
 *
 * Every program is a stub that records its arguments and its input.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyseCommand } from '../../../shared/permissions/shell/analysis/analyse.ts';
import type { Answered, Asked, Ran } from './shell-run-process.ts';
import { shell } from './support.ts';

export type { Ran } from './shell-run-process.ts';

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

/** A folder with stubs under all these names, and the process that runs texts beside them; end both with `remove`. */
export class ShellRuns {
  readonly #folder = mkdtempSync(join(tmpdir(), 'countersign-shell-'));
  readonly #process: ChildProcess;
  readonly #asked: PromiseWithResolvers<Ran | 'not ended'>[] = [];

  constructor(programs: Iterable<string>) {
    const bin = join(this.#folder, 'bin');
    mkdirSync(bin);
    for (const name of new Set(programs)) {
      writeFileSync(join(bin, name), stub(SHELLS.at(-1) as string));
      chmodSync(join(bin, name), 0o755);
    }
    this.#process = fork(join(import.meta.dirname, 'shell-run-process.ts'), [this.#folder], { execArgv: [] });
    this.#process.on('message', (answered: Answered) => {
      const { resolve, reject } = this.#asked[answered.number] as PromiseWithResolvers<Ran | 'not ended'>;
      if ('fault' in answered) reject(new Error(answered.fault));
      else resolve(answered.ran);
    });
    // Runs that were answered hear nothing of it.
    this.#process.on('exit', () => {
      for (const { reject } of this.#asked) reject(new Error('the process of the shells is gone'));
    });
  }

  async remove(): Promise<void> {
    if (this.#process.connected) {
      const ended = once(this.#process, 'exit');
      this.#process.disconnect();
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }

  run(shellPath: string, text: string): Promise<Ran | 'not ended'> {
    const asked: Asked = { number: this.#asked.length, shellPath, text };
    const answer = Promise.withResolvers<Ran | 'not ended'>();
    this.#asked.push(answer);
    this.#process.send(asked, (error) => error && answer.reject(error));
    return answer.promise;
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
