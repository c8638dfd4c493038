/** Runs one text in bash or dash within bounds, and tells which programs ran with which words, what changed and what was read. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Driver } from './driver.ts';
import { programNames } from './programs.ts';
import { contentsIn, makeScratch, realText, type Scratch, takeLog } from './scratch.ts';

export type ShellName = 'bash' | 'dash';
export const SHELL_NAMES: readonly ShellName[] = ['bash', 'dash'];

export interface ProgramRun {
  /** The program as it was started: a bare name for a stub of the search path. */
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
}

export interface Observation {
  readonly shell: ShellName;
  readonly runs: readonly ProgramRun[];
  /** Files that appeared, changed or went. */
  readonly changed: readonly string[];
  /** Files whose content reached a program's words or input, or the output. */
  readonly read: readonly string[];
  readonly killed: boolean;
}

/** Stubs that then run the real program: what they start is a stub again, and `cat` only reads. */
const REAL = ['sh', 'bash', 'dash', 'env', 'nice', 'nohup', 'timeout', 'xargs', 'stdbuf', 'cat'];
const OTHERS =
  'evil ls cp mv rm touch mkdir head tail wc diff expand uniq tee chmod ln du unzip zip xxd openssl split pytest tsc eslint cdk pwd which sleep dd make date file tree python3 grep node npm python true false printf echo test';

/** Built-ins that no system has as a file: where a shell lacks one, nothing runs. */
const NO_FILES: ReadonlySet<string> = new Set(
  'source eval exec set hash enable bind trap alias unalias shopt complete compgen export declare local readonly typeset unset let coproc function builtin mapfile readarray jobs fc noglob nocorrect'.split(
    ' ',
  ),
);

function findProgram(name: string): string {
  const found = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name));
  const path = found.find((each) => existsSync(each));
  if (path === undefined) throw new Error(`${name} is missing: install it, the texts run in real shells`);
  return path;
}

/** The stub: appends how many words, the folder, a line of its input, its own path and its words to the log, each ended by NUL. */
function stubScript(log: string): string {
  const real = REAL.map((name) => `${name}) exec ${findProgram(name)} "$@";;`);
  return [
    `#!${findProgram('dash')}`,
    'line=',
    `case \${0##*/} in ${REAL.join('|')}|git);; *) read -r line;; esac`,
    `printf '%s\\0' "$#" "$PWD" "$line" "$0" "$@" >>${log}`,
    `case \${0##*/} in`,
    ...real,
    `git) if [ "$1" = config ]; then exec ${findProgram('git')} "$@"; fi;;`,
    'grep|diff) exit 1;;',
    'esac',
    'exit 0',
    '',
  ].join('\n');
}

/** Without these no text can name a redirection, and of the programs only `git config` writes: the look at the files is left out. */
const MAY_WRITE = /[>\\\\]|git|eval|sh/;

/** A shell and a scratch folder of its own; it runs one text at a time. */
export class Runner {
  readonly shell: ShellName;
  readonly #scratch: Scratch;
  readonly #driver: Driver;

  constructor(shell: ShellName) {
    this.shell = shell;
    const names = new Set([...OTHERS.split(' '), ...REAL, ...programNames()]);
    this.#scratch = makeScratch(
      [...names].filter((name) => !NO_FILES.has(name)),
      stubScript,
    );
    this.#driver = new Driver({
      dash: findProgram('dash'),
      shell: findProgram(shell),
      timeout: findProgram('timeout'),
      sleep: findProgram('sleep'),
      scratch: this.#scratch,
    });
  }

  async run(text: string): Promise<Observation> {
    const { output, killed } = await this.#driver.run(realText(this.#scratch, text));
    const { runs, inputs } = this.#runsOf(takeLog(this.#scratch));
    const words = runs.flatMap((run) => [run.program, ...run.words]);
    return {
      shell: this.shell,
      runs,
      changed: MAY_WRITE.test(text) ? this.#scratch.changes() : [],
      read: contentsIn([...words, ...inputs, output].join('\n')),
      killed,
    };
  }

  close(): void {
    this.#driver.close();
    this.#scratch.remove();
  }

  #runsOf(log: string): { runs: ProgramRun[]; inputs: string[] } {
    const fields = log.split('\0');
    const runs: ProgramRun[] = [];
    const inputs: string[] = [];
    let at = 0;
    while (at + 4 <= fields.length) {
      const count = Number(fields[at]);
      const [cwd = '', line = '', program = ''] = fields.slice(at + 1, at + 4);
      // A log that was cut off ends the reading.
      if (!Number.isInteger(count) || at + 4 + count > fields.length || program === '') break;
      inputs.push(line);
      runs.push({
        program: this.#scratch.named(program),
        words: fields.slice(at + 4, at + 4 + count).map((word) => this.#scratch.named(word)),
        cwd: this.#scratch.named(cwd),
      });
      at += 4 + count;
    }
    return { runs, inputs };
  }
}
