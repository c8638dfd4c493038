/** Finds the deny or ask rule that decides an allow's own words. */
import type { RuleInput, RuleRef } from '../../permissions/model/types.ts';
import type { CompiledPolicy } from '../../permissions/rules/compile.ts';
import type { ParsedPattern } from '../../permissions/rules/parse.ts';
import { samplesOf } from './sample-calls.ts';
import { compiled, type Ground, isGranted, tryCall } from './try-rules.ts';

type Hidden =
  | { readonly by: 'rule'; readonly rule: RuleRef }
  /** No rule speaks of the words, and with the others the allow covers them no more. */
  | { readonly by: 'closeness'; readonly reason: string };

/** `stricter`: the deny and ask rules of the file. Undefined: some of its words are allowed. */
export function hiddenBy(
  { rule, parsed }: { readonly rule: RuleInput; readonly parsed: ParsedPattern },
  stricter: CompiledPolicy,
  ground: Ground,
): Hidden | undefined {
  const alone = compiled([rule], ground);
  let found: Hidden | undefined;
  for (const home of ground.homes) {
    const own = samplesOf(parsed, ground.policy.tools, home).own;
    const granted = own.filter((call) => isGranted(tryCall(call, home, ground, alone)));
    for (const call of granted.length ? granted : own) {
      const tried = tryCall(call, home, ground, alone, stricter);
      if (isGranted(tried)) return undefined;
      if (tried.fired) found ??= { by: 'rule', rule: tried.fired };
      else if (granted.length) found ??= { by: 'closeness', reason: tried.reason };
      else return undefined;
    }
  }
  return found;
}
