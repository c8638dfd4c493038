/** Refuses names in a policy file that belong to the gate's own canary. */
import { CANARY_TOOL } from '../../domain/canary.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

/** Nobody else decides about the calls by which the gate is watched. (The agent's own name begins as no name may.) */
export function reservedProblems({ tools, rules }: PolicyFile): PolicyProblem[] {
  const message = `${CANARY_TOOL} is reserved for the gate's own canary`;
  const named = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    rules[effect].flatMap((one, index) => {
      const pattern = typeof one === 'string' ? one : (one.rule ?? '');
      return pattern.trim().split('(')[0] === CANARY_TOOL ? [{ path: ['rules', effect, index], message }] : [];
    }),
  );
  return [...(Object.hasOwn(tools, CANARY_TOOL) ? [{ path: ['tools', CANARY_TOOL], message }] : []), ...named];
}
