/**
 * Runs one text in bash or dash within bounds, and reports its effects.
 *
 * Reports which programs ran with which words, and the files that changed or were read.
 */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Driver } from './driver.ts';
import { PROGRAM_NAMES } from './programs.ts';
import { contentsIn, HOME, makeScratch, PROJECT, realText, type Scratch, takeLog } from './scratch.ts';

export type ShellName = 'bash' | 'dash';
export const SHELL_NAMES: readonly ShellName[] = ['bash', 'dash'];

export interface ProgramRun {
  /** The program as it was started: a bare name for a stub of the search path. */
  readonly program: string;
  readonly words: readonly string[];
  readonly cwd: string;
  /** The first line of its input, where nothing else reads that. */
  readonly input: string;
  /** True where a variable of the environment is another one than the shell was started with. */
  readonly hasOtherEnvironment: boolean;
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

/** Stubs that then run the real program: what they start is a stub again, and they write only what their words name. */
const REAL = 'sh bash dash nice nohup timeout xargs stdbuf cat sed awk mawk sort uniq shuf tee'.split(' ');
/** Where the stub does not look at its input: the real program reads it. */
const READERS = [...REAL, 'env', 'git'].join('|');

/** Variables that make a program run, load or find something else. */
const VARIABLES =
  'PAGER GIT_PAGER GIT_SSH_COMMAND GIT_EXTERNAL_DIFF GIT_DIR EDITOR LD_PRELOAD NODE_OPTIONS BASH_ENV ENV PYTHONPATH GIT_CONFIG_COUNT LESSOPEN'.split(
    ' ',
  );
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

/**
 * The stub: appends how many words, the folder, a line of its input, some of its environment, its own path and its words to the log, each
 * ended by NUL. A real program runs only under the search path of stubs, so that whatever it starts is one.
 */
function stubScript(log: string, tools: string): string {
  const environment = `$PATH|$HOME|${VARIABLES.map((name) => `\${${name}}`).join('')}`;
  const real = REAL.map((name) => `${name}) exec ${findProgram(name)} "$@";;`);
  return [
    `#!${findProgram('dash')}`,
    'line=',
    `case \${0##*/} in ${READERS});; *) read -r line;; esac`,
    `printf '%s\\0' "$#" "$PWD" "$line" "${environment}" "$0" "$@" >>${log}`,
    `[ "$PATH" = '${tools}' ] || exit 0`,
    `case \${0##*/} in`,
    // With options it may take the search path away.
    `env) case $1 in -*) exit 0;; esac; for word; do case $word in PATH=*) exit 0;; esac; done; exec ${findProgram('env')} "$@";;`,
    ...real,
    `git) if [ "$1" = config ]; then exec ${findProgram('git')} "$@"; fi;;`,
    'grep|diff) exit 1;;',
    'esac',
    'exit 0',
    '',
  ].join('\n');
}

/** The value that `stdbuf` itself puts into the environment. */
const STDBUF_LIBRARY = /[^|]*libstdbuf\.so$/;

/** Without these no text can name a redirection, and few programs here write: the look at the files is left out. */
const MAY_WRITE = /[>\\\\]|git|eval|sh|sed|awk|sort|uniq|shuf|tee/;

/** A shell and a scratch folder of its own; it runs one text at a time. */
export class Runner {
  readonly shell: ShellName;
  readonly #scratch: Scratch;
  readonly #driver: Driver;

  constructor(shell: ShellName) {
    this.shell = shell;
    const names = new Set([...OTHERS.split(' '), ...REAL, 'env', ...PROGRAM_NAMES]);
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

  async run(text: string, cwd = PROJECT): Promise<Observation> {
    const { output, killed } = await this.#driver.run(realText(this.#scratch, text), this.#scratch.real(cwd));
    const runs = this.#runsOf(takeLog(this.#scratch));
    const words = runs.flatMap((run) => [run.program, ...run.words, run.input]);
    return {
      shell: this.shell,
      runs,
      changed: MAY_WRITE.test(text) ? this.#scratch.changes() : [],
      read: contentsIn([...words, output].join('\n')),
      killed,
    };
  }

  close(): void {
    this.#driver.close();
    this.#scratch.remove();
  }

  #runsOf(log: string): readonly ProgramRun[] {
    const { named, real, tools } = this.#scratch;
    const usual = `${tools}|${real(HOME)}|`;
    const fields = log.split('\0');
    const runs: ProgramRun[] = [];
    let at = 0;
    while (at + 5 <= fields.length) {
      const count = Number(fields[at]);
      const [cwd = '', input = '', environment = '', program = ''] = fields.slice(at + 1, at + 5);
      // A log that was cut off ends the reading.
      if (!Number.isInteger(count) || at + 5 + count > fields.length || program === '') break;
      runs.push({
        program: named(program),
        words: fields.slice(at + 5, at + 5 + count).map(named),
        cwd: named(cwd),
        input,
        hasOtherEnvironment: environment.replace(STDBUF_LIBRARY, '') !== usual,
      });
      at += 5 + count;
    }
    return runs;
  }
}
