/** Runs stage 1: bypass allows at once, only where the deployment set `honoursRules: false`. */
import { decide, pass, type Stage } from './stage.ts';

export const bypassStage: Stage = {
  name: 'bypass_mode',
  looked: 'whether bypass is on',
  run({ prepared, mode, bypassOff, minimumVerdict }) {
    if (bypassOff) return pass('bypass was asked for and is off: default mode counts');
    if (mode !== 'bypass') return pass('the mode is not bypass');
    if (prepared.call.bypass?.honoursRules !== false)
      return pass('bypass only replaces the outcome of calls that no rule matches');
    // Not fully understood, and critical deletes, hold against every mode.
    if (minimumVerdict !== undefined) return pass(`bypass does not cover this: ${minimumVerdict.why}`);
    return decide({
      verdict: 'allow',
      reason: 'bypass',
      source: 'bypass_mode',
      code: 'bypass',
      message: 'Allowed: the session bypasses permission checks.',
    });
  },
};
