/**
 * Orders test files by their waiting time, longest first.
 *
 * Others run meanwhile, and nobody waits at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** A rule's schedule, a minute; the guardrails' crowds of callers; the demo’s scenes; deployments of another policy. */
const LONGEST = /\/(endpoint-deploy|guardrails-dynamodb|local\/demo|e2e\/record\/forget)\.test\.ts$/;

export class WaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted(
      (a, b) => Number(LONGEST.test(b.moduleId)) - Number(LONGEST.test(a.moduleId)),
    );
  }
}
