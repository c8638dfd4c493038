/** Judges calls by a policy file, as the gate does, without a gate and without asking anybody. */
import { authorizeOffline } from '../cli/offline/authorize-call.ts';
import { compilePolicy } from '../config/compile.ts';
import type { PolicyDocument } from '../config/document.ts';
import { loadPolicy } from '../config/load.ts';
import { unfit } from '../domain/settings.ts';
import type { Mode } from '../permissions/model/types.ts';

/** Facts of one call besides its tool and its input. */
export interface TestedCall {
  /** Mode of the agent's session. Default: the agent's own. */
  readonly mode?: Mode | undefined;
  /** The folder that the call states. Default: the project root. */
  readonly cwd?: string | undefined;
}

/** The answer of a policy to one call. */
export interface TestedVerdict {
  readonly verdict: 'allow' | 'deny' | 'ask' | 'error';
  /** Why, as a stable word, such as `rule_match`. */
  readonly reason: string;
  /** The stage that decided. */
  readonly stage: string;
  /** Written for the model that asked. */
  readonly message: string;
  /** The pattern of the rule that decided, if one did. */
  readonly rule?: string | undefined;
  /** The groups whom the gate would ask, stage by stage. */
  readonly asks?: readonly string[] | undefined;
}

/** A policy file under test. */
export interface PolicyTester {
  /** Judges one call of an agent. @throws Error if the policy declares no such agent */
  check(agent: string, tool: string, input: unknown, call?: TestedCall): Promise<TestedVerdict>;
}

/**
 * A tester of a policy file, for unit tests of rules. A classifier that is a model answers nothing here, hooks fall through, and pauses are unknown.
 *
 * @param policy the text of a policy file, or what `loadPolicy` or `definePolicy` made of one
 * @throws PolicyFileError for a policy file with a mistake
 * @example
 * const tester = policyTester(`
 *   people: { olga: { team: T1, user: U1, name: Olga } }
 *   agents: { billing: { owner: olga } }
 *   rules: { allow: [Lookup], deny: ['Bash(rm:*)'] }
 * `);
 * console.log((await tester.check('billing', 'Bash', { command: 'rm -rf build' })).verdict); // deny
 */
export function policyTester(policy: string | PolicyDocument): PolicyTester {
  const compiled = compilePolicy(documentOf(policy));
  return {
    async check(agent, tool, input, { mode, cwd } = {}) {
      const fields = { toolName: tool, input, ...(cwd === undefined ? {} : { cwd }) };
      const authorized = await authorizeOffline({ agent, mode, fields }, compiled, NOW);
      const { verdict, reason, stage, message, rule, asks } = authorized;
      return {
        verdict,
        reason,
        stage,
        message,
        ...(rule ? { rule: rule.pattern } : {}),
        ...(asks ? { asks: asks.map(({ group }) => group) } : {}),
      };
    },
  };
}

/** Rules know no time: any moment serves. */
const NOW = Date.UTC(2026, 0, 1);

/** @internal The policy of a file's text, or the loaded one itself. */
export function documentOf(policy: string | PolicyDocument): PolicyDocument {
  if (typeof policy === 'string' && /^\S+\.ya?ml$/.test(policy))
    throw unfit(policy, 'policy', 'the text of a policy file: read the file first');
  if (typeof policy === 'string') return loadPolicy(policy, 'countersign.yaml');
  if (typeof policy === 'object' && policy !== null && 'policyVersion' in policy) return policy;
  throw unfit(policy, 'policy', 'the text of a policy file, or a loaded one');
}
