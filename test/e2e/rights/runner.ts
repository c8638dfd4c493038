/** Runs each test within the limit that `prove-tests.ts` gives it. */
import { type RunnerTestCase, TestRunner } from 'vitest';
import { limits, withinLimit } from './limited.ts';

// biome-ignore lint/style/noDefaultExport: Vitest asks for it
export default class LimitedRunner extends TestRunner {
  async runTask(test: RunnerTestCase): Promise<void> {
    const body = TestRunner.getTestFn(test);
    const limited = limits.countersignLimited;
    await (limited ? withinLimit(body, limited) : body());
  }
}
