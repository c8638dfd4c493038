/** Follows the values of variables and the folders that a command may run in. */
import type { Field } from '../syntax/fields.ts';
import { isOfStack, tildesIn } from '../syntax/tildes.ts';
import type { Atom } from '../syntax/word.ts';
import { builtinWords } from './builtin-words.ts';
import { type Directories, directoriesAfter, either, kindOfMove, MAX_FOLDERS, moveOf } from './directory.ts';
import { mayMoveUnseen } from './lost-folder.ts';
import { ShellVariables } from './shell-variables.ts';
import type { WalkOptions } from './walk-helpers.ts';

export class WalkScope {
  readonly variables: ShellVariables;
  directory: Directories;
  readonly #options: WalkOptions;
  readonly #doubt: (why: string) => void;
  /** Code that is not followed may have changed the folder. */
  isLost = false;
  readonly #visited = new Set<string>();
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
    const { isLost } = this;
    this.variables.within(run);
    this.#moveTo(before);
    this.isLost = isLost;
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
    this.isLost ||= mayMoveUnseen(argv);
    const words = builtinWords(argv);
    if (moveOf(words.argv[0]?.text ?? '') === undefined) this.#moved = undefined;
    else this.#move(argv, words.certain);
    this.variables.afterCommand(words.argv);
  }

  #move(argv: readonly Field[], certain: boolean): void {
    const before = this.directory;
    const next = directoriesAfter(argv, before, this.#options);
    if (next === undefined) this.#doubt('a directory that is too deep');
    const moved = next ?? { ...before, allowed: false };
    this.#moved = moved === before ? undefined : certain ? moved : either(moved, before);
    if (this.#moved !== undefined) this.#moveTo(either(this.#moved, before));
    this.#noteMove(argv, before);
  }

  /** Where it has been, it may be again: `cd -`, `popd`. */
  #noteMove(argv: readonly Field[], before: Directories): void {
    const kind = kindOfMove(argv);
    this.isLost ||= kind === 'lost';
    for (const { path, others } of [before, this.directory])
      for (const each of [path, ...others]) this.#visited.add(each);
    if (kind !== 'back') return;
    this.isLost ||= this.#visited.size > MAX_FOLDERS;
    const { path } = this.directory;
    const others = [...this.#visited].filter((each) => each !== path).slice(0, MAX_FOLDERS);
    this.#moveTo({ path, allowed: false, others });
    this.#moved = undefined;
  }

  /** `~-` and `~1` are folders that only the shell knows; `~` and `~+` are, too, where the text may have set their variables. */
  checkTilde(atoms: readonly Atom[]): void {
    for (const name of tildesIn(atoms)) {
      const isKnown =
        (name === '' && !this.variables.mayBeSet('HOME')) || (name === '+' && !this.variables.mayBeSet('PWD'));
      if (!isKnown && (name === '' || isOfStack(name))) this.#doubt('a folder that only the shell knows');
    }
  }

  /** Another kind of statement may have moved anywhere. */
  forgetMove(): void {
    this.#moved = undefined;
  }
}
