/**
 * Notes what became of each test as it ends, so that a run which is stopped has told it too.
 *
 * A failure counts when the same test, run again alone on a gate of its own, does not pass: a busy machine is too slow
 * for some tests now and then.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Reporter, TestCase, TestModule } from 'vitest/node';

export interface Outcome {
  readonly file: string;
  /** As vitest names it, with its describe before it; undefined of a file that failed without a test of its own. */
  readonly test?: string;
  readonly state: 'passed' | 'failed' | 'skipped';
  /** The reason of a skip, if there is one. */
  readonly note?: string;
}

/** The note of a test that was skipped because the time was over. */
export const NO_TIME = 'no time was left';

export class Outcomes implements Reporter {
  readonly #log: string;

  constructor(log: string) {
    this.#log = log;
  }

  onTestCaseResult(test: TestCase): void {
    const result = test.result();
    if (result.state === 'pending') return;
    const note = result.state === 'skipped' && result.note ? { note: result.note } : {};
    this.#note({ file: test.module.relativeModuleId, test: test.fullName, state: result.state, ...note });
  }

  onTestModuleEnd(module: TestModule): void {
    const isTold = [...module.children.allTests('failed')].length > 0;
    if (!module.ok() && !isTold) this.#note({ file: module.relativeModuleId, state: 'failed' });
  }

  #note(outcome: Outcome): void {
    appendFileSync(this.#log, `${JSON.stringify(outcome)}\n`);
  }
}

export function outcomesIn(log: string): readonly Outcome[] {
  if (!existsSync(log)) return [];
  const lines = readFileSync(log, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Outcome);
}

export const failuresOf = (outcomes: readonly Outcome[]): readonly Outcome[] =>
  outcomes.filter(({ state }) => state === 'failed');

/** The arguments with which vitest runs these alone: their files, and one pattern of their names where each has one. */
export function argumentsFor(failures: readonly Outcome[]): readonly string[] {
  const files = [...new Set(failures.map(({ file }) => file))];
  const names = failures.flatMap(({ test }) => test ?? []);
  // The name of a test is matched with a blank after each describe.
  const pattern = names.map((name) => name.split(' > ').map(literal).join('( > | )')).join('|');
  return names.length === failures.length ? [...files, '-t', `^(${pattern})$`] : files;
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Tells the tests that were not run, and how many of them for lack of time alone. */
export function leftOutOf(outcomes: readonly Outcome[], isStopped: boolean): string {
  const skipped = outcomes.filter(({ state }) => state === 'skipped');
  const late = skipped.filter(({ note }) => note === NO_TIME).length;
  const told = [
    `${skipped.length - late} not run because LocalStack differs from AWS`,
    ...(late ? [`${late} NOT REACHED in the time`] : []),
    ...(isStopped ? ['STOPPED when the time was over, so that the last files are missing'] : []),
  ];
  return told.join(', ');
}

interface Verdict {
  readonly failed: boolean;
  readonly text: string;
}

/** `again` are the outcomes of those that failed, alone: a test that is not among them has not passed. */
export function verdictOf(first: readonly Outcome[], again: readonly Outcome[]): Verdict {
  const once = failuresOf(first);
  const isMended = ({ file, test }: Outcome): boolean => {
    const ofIt = again.filter((one) => one.file === file && (test === undefined || one.test === test));
    return ofIt.some(({ state }) => state === 'passed') && failuresOf(ofIt).length === 0;
  };
  const twice = once.filter((one) => !isMended(one));
  const mended = once.filter(isMended);
  const passed = first.filter(({ state }) => state === 'passed').length + mended.length;
  const told = [
    `${passed} passed${mended.length ? ` (${mended.length} of them only when run again alone: ${namesOf(mended)})` : ''}`,
    `${twice.length} failed${twice.length ? ` (and did not pass alone either: ${namesOf(twice)})` : ''}`,
  ];
  return { failed: twice.length > 0, text: told.join(', ') };
}

const namesOf = (outcomes: readonly Outcome[]): string =>
  outcomes.map(({ file, test }) => [file.replace(/^.*\//, ''), ...(test ? [test] : [])].join(' > ')).join('; ');
