/** Says which mutating tools may run beside others. */
import { unfit } from '../../domain/settings.ts';

/** Whether a mutating tool may run beside others: off unless switched on, tool by tool. */
export type ToolConcurrency = { readonly type: 'off' } | { readonly type: 'on'; readonly limit: number };

export const ToolConcurrency = {
  /** One at a time, in order, like every mutating tool. */
  off: (): ToolConcurrency => ({ type: 'off' }),
  /** Beside others of its kind; at most `limit` calls of this tool at once. */
  on: (limit: number = Number.POSITIVE_INFINITY): ToolConcurrency => {
    if (limit !== Number.POSITIVE_INFINITY && !(Number.isSafeInteger(limit) && limit >= 1))
      throw unfit(limit, 'limit', 'a whole number of one or more, or Infinity');
    return { type: 'on', limit };
  },
} as const;

/** The setting of each tool by its name; a mutating tool without one runs alone. */
export type ConcurrencySettings = Readonly<Record<string, ToolConcurrency>>;

/** How many promoted mutating calls of a batch run at once, whatever their tools. */
export const DEFAULT_MUTATOR_POOL = 16;

export function limitOf(settings: ConcurrencySettings, toolName: string): number | undefined {
  const setting = Object.hasOwn(settings, toolName) ? settings[toolName] : undefined;
  return setting?.type === 'on' ? setting.limit : undefined;
}
