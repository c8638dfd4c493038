/**
 * Orders test files by their waiting time, longest first.
 *
 * Others run meanwhile, and nobody waits at the end.
 */
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * A rule's schedule, a minute; the guardrails' crowds of callers; the demo's scenes; deployments of another policy; the
 * deployed adapters; attempts with the rights of each role; the archive.
 */
const SLOWEST = [
  'local/endpoint/deploy',
  'contract/guardrails/guardrails-dynamodb',
  'local/demo/demo',
  'e2e/record/forget',
  'integrations/deployed/adapters',
  'e2e/security/stolen-rights',
  'e2e/record/archive',
  'e2e/operations/policy-change',
].map((name) => `/test/${name}.test.ts`);

const isLong = ({ moduleId }: TestSpecification): boolean => SLOWEST.some((name) => moduleId.endsWith(name));

export class WaitsFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).toSorted((a, b) => Number(isLong(b)) - Number(isLong(a)));
  }
}
