/** Runs stage 3: deny of all sources, then ask, then allow; priority orders rules of one effect. */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';
import { ruleAsks } from '../../domain/text/sentence.ts';
import { firingRules } from '../matching/match.ts';
import type { Decided, RuleRef } from '../model/types.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { MinimumVerdict } from './minimum-verdict.ts';
import { decide, pass, type Stage, type StageInput, severityOf } from './stage.ts';

function reasonOf(rule: CompiledRule): string {
  const words = rule.input.reason ?? rule.input.description;
  return words === undefined || words === '' ? '' : ` ${words}`;
}

/** The built-in ask rules: `decode-and-run` and critical deletes. */
function builtIn(minimumVerdict: MinimumVerdict): RuleRef {
  const rule = { effect: 'ask', pattern: `builtin(${minimumVerdict.code})`, source: 'managed' } as const;
  return { id: `builtin:${minimumVerdict.code}`, ...rule, digest: sha256Hex(canonicalJson(rule)) };
}

function denied(rule: CompiledRule, { prepared }: StageInput): Decided {
  return {
    verdict: 'deny',
    reason: 'rule_match',
    source: 'rules',
    code: 'rule_match',
    rule: rule.ref,
    message: rule.input.reason ?? `Denied by the rule ${rule.ref.pattern} (${rule.ref.source}).${reasonOf(rule)}`,
    severity: severityOf(prepared, rule),
  };
}

function askedBy(rule: CompiledRule, { prepared, minimumVerdict }: StageInput): Decided {
  return {
    verdict: 'ask',
    reason: 'rule_match',
    source: 'rules',
    code: 'rule_match',
    rule: rule.ref,
    message: `${ruleAsks(rule.ref.pattern, rule.ref.source)}${reasonOf(rule)}`,
    severity: severityOf(prepared, rule),
    suggestions: rule.input.suggestions,
    humanRequired: true,
    notUnderstood: minimumVerdict?.code === 'not-understood',
  };
}

export const rulesStage: Stage = {
  name: 'rules',
  looked: 'deny, ask and allow rules of all sources',
  run(input) {
    const { prepared, facts, minimumVerdict } = input;
    const deny = firingRules('deny', prepared, facts.now)[0];
    if (deny !== undefined) return decide(denied(deny, input), `a deny rule matches`);

    const ask = firingRules('ask', prepared, facts.now)[0];
    if (ask !== undefined) return decide(askedBy(ask, input), 'an ask rule matches');
    if (minimumVerdict?.humanRequired === true) {
      return decide(
        {
          verdict: 'ask',
          reason: 'rule_match',
          source: 'rules',
          code: minimumVerdict.code,
          rule: builtIn(minimumVerdict),
          message: minimumVerdict.why,
          severity: severityOf(prepared),
          humanRequired: true,
        },
        'a built-in ask rule matches',
      );
    }
    const covered = input.coverage();
    if (covered.kind === 'covered' && minimumVerdict !== undefined)
      return pass(`an allow does not cover this: ${minimumVerdict.why}`);
    if (covered.kind === 'none') return pass('no rule matches');
    if (covered.kind === 'needless') return pass('the command needs no rule');
    if (covered.kind === 'not-covered') return pass(covered.why);
    return decide(
      {
        verdict: 'allow',
        reason: 'rule_match',
        source: 'rules',
        code: 'rule_match',
        rule: covered.rule.ref,
        message: `Allowed by the rule ${covered.rule.ref.pattern} (${covered.rule.ref.source}).`,
        severity: severityOf(prepared, covered.rule),
        effective: covered.effective,
      },
      'an allow rule covers the call',
    );
  },
};
