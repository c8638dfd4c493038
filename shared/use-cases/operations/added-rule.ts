/** Looks at a rule that an operator adds: whether it can be read, and has an effect. */
import type { RuleOperation } from '../../contract/operation.ts';
import { unseenIn } from '../../domain/text/invisible-characters.ts';
import { checkRules } from '../../permissions/rules/check-rules.ts';
import type { OperatorDependencies } from './dependencies.ts';

type Added = Pick<RuleOperation, 'effect' | 'pattern'>;

/** Why it may not be added, or undefined. Asynchronous, because the functions import it when it is called. */
export async function problemOfRule(
  { effect, pattern }: Added,
  { policy }: Pick<OperatorDependencies, 'policy'>,
): Promise<'invalid_rule' | 'rule_without_effect' | undefined> {
  const { problems } = checkRules([{ effect, pattern, source: 'session' }], policy);
  if (problems.some(({ level }) => level === 'error') || unseenIn(pattern) !== undefined) return 'invalid_rule';
  // An allow that never counts would be believed to.
  return problems.some(({ code }) => code === 'grants_nothing' || code === 'never_matches')
    ? 'rule_without_effect'
    : undefined;
}
