/** Lists every resolved setting with the layer that set it, for commands and reviews. */
import type { ResolvedGuardrails } from './resolve.ts';
import type { SettingName } from './settings.ts';

/** One setting that holds, and the layer that it comes from. */
export interface ExplainedSetting {
  readonly setting: string;
  readonly value: string | number;
  /** A layer, or from which other setting it follows. */
  readonly from: string;
}

/** Sorted by name; budgets last. */
export function explainGuardrails(resolved: ResolvedGuardrails): ExplainedSetting[] {
  const { settings, layers, budgets, provider, effect, effectFrom } = resolved;
  const own = Object.entries(settings).map(([setting, value]) => ({
    setting,
    value,
    from: `${layers[setting as SettingName] ?? 'ratePerSecond, rounded up'}${unused(setting, resolved)}`,
  }));
  const ofProvider = Object.entries(provider)
    .filter((entry): entry is [string, number] => typeof entry[1] === 'number')
    .map(([setting, value]) => ({ setting: `provider.${setting}`, value, from: `provider:${provider.id}` }));
  const ofBudgets = budgets.map(({ id, kind, limit, windowMs }) => ({
    setting: `budget.${kind}`,
    value: `${limit}${kind === 'time' ? ' ms' : ''} per ${windowMs / 1000} s`,
    from: id,
  }));
  const sorted = [...own, { setting: 'effect', value: effect, from: effectFrom }, ...ofProvider];
  return [...sorted.toSorted((a, b) => (a.setting < b.setting ? -1 : 1)), ...ofBudgets];
}

/** A layer may set retries for all of its tools; those that are not idempotent get none. */
const unused = (setting: string, { settings, effect }: ResolvedGuardrails): string =>
  setting === 'maxRetries' && settings.maxRetries > 0 && effect !== 'IdempotentWrite'
    ? ', unused: the effect is not IdempotentWrite'
    : '';
