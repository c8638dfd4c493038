/** Asks the gate for its verdicts: on a text, on a command of literal words, on one file. */
import { createToolRegistry } from '../../shared/permissions/model/tools.ts';
import type { Decided } from '../../shared/permissions/model/types.ts';
import type { CompiledPolicy } from '../../shared/permissions/rules/compile.ts';
import { evaluateCall } from '../../shared/permissions/stages/evaluate.ts';
import { callOf, decidedOf, policyOf } from '../unit/permissions/support.ts';
import type { DrawnPolicy } from './policies.ts';
import { PROJECT } from './scratch.ts';

/** In auto mode the classifier lets everything pass: what holds then holds whatever a model answers. */
const FACTS = {
  now: 0,
  parent: { state: 'none' },
  classifier: { state: 'answered', result: { shouldBlock: false, reason: 'harmless', confidence: 1 } },
} as const;

const CANONICAL = createToolRegistry([{ name: 'Bash', permissions: ['Execute'], canonical: true }]);
const PLAIN = createToolRegistry();

export class Gate {
  readonly policy: DrawnPolicy;
  readonly #compiled: CompiledPolicy;

  constructor(policy: DrawnPolicy) {
    this.policy = policy;
    this.#compiled = policyOf(policy.rules);
  }

  verdict(toolName: string, input: unknown, cwd = this.policy.cwd ?? PROJECT): Decided {
    const { mode, canonical } = this.policy;
    const tools = canonical === true ? CANONICAL : PLAIN;
    return decidedOf(evaluateCall(callOf(toolName, input, [], { policy: this.#compiled, mode, cwd, tools }), FACTS));
  }

  /** The text that runs for this one: itself or as the gate prints it; undefined where it is not allowed. */
  runs(command: string): string | undefined {
    const { verdict, effective } = this.command(command);
    if (verdict !== 'allow') return undefined;
    return typeof effective?.['command'] === 'string' ? effective['command'] : command;
  }

  command(command: string, cwd = this.policy.cwd ?? PROJECT): Decided {
    return this.verdict('Bash', { command }, cwd);
  }
}
