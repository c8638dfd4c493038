/** Runs tools within all limits, with the finders of secrets at hand. */
import { GuardedCalls, type GuardrailDependencies } from './guarded-calls.ts';
import { redact } from './redaction.ts';

export type { Gauges, GuardrailDependencies } from './guarded-calls.ts';

/** Runs tools behind time-outs, retries, breakers, rates, concurrency and budgets. Times in milliseconds; never throws. */
export class Guardrails extends GuardedCalls {
  constructor(deps: GuardrailDependencies) {
    super(deps, redact);
  }
}
