/**
 * Names every test that did not run, at the end of a run, with its reason.
 *
 * A run that is stopped names the files, too, that had not come to their end.
 */
import type { Reporter, TestCase, TestModule, TestSpecification } from 'vitest/node';

export class LeftOut implements Reporter {
  readonly #ended = new Map<string, TestModule>();
  #files: readonly TestSpecification[] = [];

  onTestRunStart(specifications: readonly TestSpecification[]): void {
    this.#files = specifications;
    process.once('SIGTERM', this.#stopped);
  }

  onTestCaseResult(test: TestCase): void {
    // A run that is stopped does not report that a test had failed.
    if (test.result().state === 'failed') process.exitCode = 1;
  }

  onTestModuleEnd(module: TestModule): void {
    this.#ended.set(module.moduleId, module);
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    process.off('SIGTERM', this.#stopped);
    const reasons = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const note = result.state === 'skipped' ? result.note : undefined;
        if (!note) continue;
        const name = `${fileOf(module.moduleId)} > ${test.fullName}`;
        reasons.set(note, [...(reasons.get(note) ?? []), name]);
      }
    }
    for (const [reason, names] of reasons) print(reason, names);
  }

  readonly #stopped = (): void => {
    this.onTestRunEnd([...this.#ended.values()]);
    const files = this.#files.map(({ moduleId }) => moduleId).filter((id) => !this.#ended.has(id));
    print('stopped before the end of the file', files.map(fileOf));
  };
}

const fileOf = (moduleId: string): string => moduleId.replace(/^.*\//, '');

function print(reason: string, names: readonly string[]): void {
  console.log(`\nnot run (${reason}):\n${names.map((name) => `  ${name}`).join('\n')}`);
}
