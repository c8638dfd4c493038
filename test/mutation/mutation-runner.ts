/**
 * Runs each test once as it is, to learn its mutants, and then once for each that still lives.
 *
 * A test's mutants are those that it reaches. The sources are loaded once for all mutants, and a mutant is run only by
 * tests that reach it.
 */
import { appendFileSync } from 'node:fs';
import fc from 'fast-check';
import type { RunnerTestCase } from 'vitest';
import { inject, TestRunner } from 'vitest';

interface Hooks {
  /** Is this mutant run? Without one, that the test reaches it. */
  __mutant(id: number): boolean;
  __runs(id: number): boolean;
  /** Gives back `value`; where it holds, or does not, a mutant that never or always holds makes a difference. */
  __when<Value>(id: number, value: Value): Value;
  __unless<Value>(id: number, value: Value): Value;
  __turn(): void;
  __memo<Value extends Map<unknown, unknown>>(value: Value): Value;
  __weakMemo(): WeakMap<object, unknown>;
}

/** A test whose loops turn so often, and ten times as often as without a mutant, does not end. */
const MAX_TURNS = 50_000;
/** A test that waits through so many rounds of the event loop, and three times as many as without a mutant, waits for ever. */
const MAX_ROUNDS = 60;
const ROUND_MS = 10;

/** Counts the runs of tests, under a mutant or without one. */
let runs = 0;

/** A `WeakMap` that holds what was put into it in the same run only. */
class RunMemo extends WeakMap<object, unknown> {
  #run = runs;
  #found = new WeakMap<object, unknown>();

  #current(): WeakMap<object, unknown> {
    if (this.#run !== runs) {
      this.#run = runs;
      this.#found = new WeakMap();
    }
    return this.#found;
  }

  override get(key: object): unknown {
    return this.#current().get(key);
  }

  override has(key: object): boolean {
    return this.#current().has(key);
  }

  override set(key: object, value: unknown): this {
    this.#current().set(key, value);
    return this;
  }

  override delete(key: object): boolean {
    return this.#current().delete(key);
  }
}

let active = -1;
let turns = 0;
let mostTurns = Number.POSITIVE_INFINITY;
let reached: Set<number> | undefined;
const memos: Map<unknown, unknown>[] = [];

const hooks: Hooks = {
  __mutant: (id) => {
    reached?.add(id);
    return id === active;
  },
  __runs: (id) => id === active,
  __when: (id, value) => {
    if (value) reached?.add(id);
    return value;
  },
  __unless: (id, value) => {
    if (!value) reached?.add(id);
    return value;
  },
  __turn: () => {
    if (++turns > mostTurns) throw new Error('a mutant that does not end');
  },
  __memo: (value) => {
    memos.push(value);
    return value;
  },
  __weakMemo: () => new RunMemo(),
};
Object.assign(globalThis, hooks);
fc.configureGlobal({ seed: 1, endOnFailure: true });

/** Code that runs while modules are loaded, and for each suite, is not this test's. */
const atLoad = new Set<number>();
const killed = new Set<number>();
const judged = new Set<number>();
const looked = new Set(inject('mutationIds'));
const report = (line: string): void => appendFileSync(inject('mutationReport'), `${line}\n`);

// biome-ignore lint/style/noDefaultExport: Vitest loads a runner by its default export
export default class MutationRunner extends TestRunner {
  override importFile(filepath: string, source: 'collect' | 'setup'): unknown {
    reached = atLoad;
    return super.importFile(filepath, source);
  }

  override onAfterRunFiles(files: never): void {
    for (const id of atLoad) report(`loaded ${id}`);
    super.onAfterRunFiles(files);
  }

  async runTask(test: RunnerTestCase): Promise<void> {
    const run = TestRunner.getTestFn(test as never);
    const reaches = new Set<number>();
    reached = reaches;
    active = -1;
    mostTurns = Number.POSITIVE_INFINITY;
    const plain = await outcomeOf(run, MAX_ROUNDS * 10);
    reached = undefined;
    mostTurns = MAX_TURNS + 10 * turns;
    const most = MAX_ROUNDS + 3 * plain.rounds;
    // A test that fails as it is, or cannot run twice, says nothing of a mutant.
    if (!plain.survives || !(await outcomeOf(run, most)).survives) {
      report(`unusable ${test.file.name} > ${test.name}`);
      return;
    }
    for (const id of reaches) {
      if (killed.has(id) || !looked.has(id)) continue;
      active = id;
      const { survives } = await outcomeOf(run, most);
      active = -1;
      if (!survives) {
        killed.add(id);
        report(`killed ${id}`);
      } else if (!judged.has(id)) {
        judged.add(id);
        report(`reached ${id}`);
      }
    }
    for (const memo of memos) memo.clear();
  }
}

/** Rounds, not time: on a busy machine they take as long as they take. */
async function outcomeOf(run: () => unknown, most: number): Promise<{ survives: boolean; rounds: number }> {
  for (const memo of memos) memo.clear();
  runs += 1;
  turns = 0;
  let rounds = 0;
  let timer: ReturnType<typeof setInterval> | undefined;
  try {
    const late = new Promise((_, reject) => {
      timer = setInterval(() => {
        if (++rounds > most) reject(new Error('too late'));
      }, ROUND_MS);
    });
    await Promise.race([run(), late]);
    return { survives: true, rounds };
  } catch {
    return { survives: false, rounds };
  } finally {
    clearInterval(timer);
  }
}

declare module 'vitest' {
  interface ProvidedContext {
    mutationReport: string;
    /** The mutants that are run. */
    mutationIds: readonly number[];
  }
}
