/** Names, at the end of a run, every test that did not run, with the reason that it was given. */
import type { Reporter, TestModule } from 'vitest/node';

export class LeftOut implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const reasons = new Map<string, string[]>();
    for (const module of modules) {
      for (const test of module.children.allTests('skipped')) {
        const result = test.result();
        const note = result.state === 'skipped' ? result.note : undefined;
        if (!note) continue;
        const name = `${module.relativeModuleId.replace(/^.*\//, '')} > ${test.fullName}`;
        reasons.set(note, [...(reasons.get(note) ?? []), name]);
      }
    }
    for (const [reason, names] of reasons)
      console.log(`\nnot run (${reason}):\n${names.map((name) => `  ${name}`).join('\n')}`);
  }
}
