/** `PermissionRequest` hooks: they may block; their allow lifts neither rules nor protected paths. */
import { decide, pass, type Stage } from './stage.ts';

export const hooksStage: Stage = {
  name: 'hooks',
  looked: 'the answer of the permission hooks',
  run({ facts }) {
    const { hook } = facts;
    if (hook === undefined) return pass('no hook answered');
    if (hook.decision === 'block' || hook.decision === 'deny') {
      return decide({
        verdict: 'deny',
        reason: 'hook',
        source: 'hooks',
        code: 'hook',
        message: hook.reason ?? 'A hook refused the call.',
      });
    }
    if (hook.decision === 'failed' || hook.decision === 'human') return pass(`${hook.reason}: at least a person`);
    return pass(hook.reason ?? `the hooks said ${hook.decision}`);
  },
};

/** After the rules, where none matched: a hook's allow. */
export const hookAllowStage: Stage = {
  name: 'hooks',
  looked: 'a hook that allows what no rule matched',
  run({ facts, minimumVerdict }) {
    if (facts.hook?.decision !== 'allow') return pass('no hook allows');
    if (facts.refusal !== undefined) return pass('a person has refused this very call');
    if (minimumVerdict !== undefined) return pass(`a hook does not lift this: ${minimumVerdict.why}`);
    return decide({
      verdict: 'allow',
      reason: 'hook',
      source: 'hooks',
      code: 'hook',
      message: facts.hook.reason ?? 'A hook allowed the call.',
    });
  },
};
