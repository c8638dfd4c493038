/** Asks the gate for its verdicts: on a text, on a command of literal words, on one file. */
import { evaluateCall } from '../../shared/permissions/index.ts';
import type { CompiledPolicy, Decided } from '../../shared/permissions/types.ts';
import { callOf, decidedOf, policyOf } from '../unit/permissions/support.ts';
import type { DrawnPolicy } from './policies.ts';
import { PROJECT } from './scratch.ts';

/** In auto mode the classifier lets everything pass: what holds then holds whatever a model answers. */
const FACTS = {
  now: 0,
  parent: { state: 'none' },
  classifier: { state: 'answered', result: { shouldBlock: false, reason: 'harmless', confidence: 1 } },
} as const;

export class Gate {
  readonly policy: DrawnPolicy;
  readonly #compiled: CompiledPolicy;

  constructor(policy: DrawnPolicy) {
    this.policy = policy;
    this.#compiled = policyOf(policy.rules);
  }

  verdict(toolName: string, input: unknown, cwd = this.policy.cwd ?? PROJECT): Decided {
    const { mode } = this.policy;
    return decidedOf(evaluateCall(callOf(toolName, input, [], { policy: this.#compiled, mode, cwd }), FACTS));
  }

  command(command: string, cwd = this.policy.cwd ?? PROJECT): Decided {
    return this.verdict('Bash', { command }, cwd);
  }
}
