/** Follows what holds where a command runs: the values of variables, and the folders that it may run in. */
import { type Directories, directoriesAfter, either } from './directory.ts';
import type { Field } from './fields.ts';
import { ShellVariables } from './shell-variables.ts';
import type { WalkOptions } from './walk-helpers.ts';

export class WalkScope {
  readonly variables: ShellVariables;
  directory: Directories;
  readonly #options: WalkOptions;
  readonly #doubt: (why: string) => void;
  /** Where the last command has moved to, if it worked. */
  #moved: Directories | undefined;

  constructor(options: WalkOptions, doubt: (why: string) => void) {
    this.#options = options;
    this.#doubt = doubt;
    this.directory = { path: options.cwd, allowed: options.dirAllowed ?? true, others: options.otherDirs ?? [] };
    const known = { HOME: options.home, PWD: options.cwd, IFS: ' \t\n' };
    const doubtValue = () => doubt('a variable that may hold another value');
    this.variables = new ShellVariables(known, doubtValue, options.isWithin === true);
  }

  /** As in a shell of its own. */
  apart(run: () => void): void {
    const before = this.directory;
    this.variables.within(run);
    this.#moveTo(before);
    this.#moved = undefined;
  }

  #moveTo(directory: Directories): void {
    this.directory = directory;
    this.variables.values.set('PWD', directory.others.length === 0 ? directory.path : undefined);
  }

  /** Runs statements that a shell may skip: behind them the directory is the one before or the one that they lead to. */
  maybe(run: () => void, loop = false): void {
    const before = this.directory;
    this.variables.within(run, loop);
    this.orStayed(before);
  }

  /** Both where it is now and where it was: what came between may have failed. */
  orStayed(before: Directories): void {
    if (this.directory !== before) this.#moveTo(either(this.directory, before));
  }

  /** A loop that changes the directory begins each turn somewhere else: a rule covers nothing in it. */
  turns(before: Directories, run: () => void): void {
    if (this.directory === before) return;
    this.#moveTo({ ...either(this.directory, before), allowed: false });
    this.variables.within(run, true);
    this.#moveTo({ ...this.directory, allowed: false });
  }

  afterMove(): void {
    if (this.#moved !== undefined) this.#moveTo(this.#moved);
    this.#moved = undefined;
  }

  /** A command that ran may have moved, and may have set variables. */
  afterCommand(argv: readonly Field[]): void {
    const { path, others } = this.directory;
    const next = directoriesAfter(argv, this.directory, this.#options);
    if (next === undefined) this.#doubt('a directory that is too deep');
    const moved = next ?? { path, allowed: false, others };
    this.#moved = moved === this.directory ? undefined : moved;
    if (this.#moved !== undefined) this.#moveTo(either(this.#moved, this.directory));
    this.variables.afterCommand(argv);
  }

  /** Of another kind of statement it is not known where it has moved to. */
  forgetMove(): void {
    this.#moved = undefined;
  }
}
