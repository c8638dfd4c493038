/** Declares the settings of a guarded call: bounds, safe defaults, and those a call may tighten. */
import * as z from 'zod';

/** Longest time that any setting may name: a week. Longer is a mistake, and timers overflow at 24.8 days. */
const MAX_MS = 7 * 24 * 60 * 60 * 1000;
const ms = z.number().positive('must be above 0').max(MAX_MS, 'must be at most a week');
const count = z.int('must be a whole number').positive('must be above 0').max(1_000_000, 'must be at most a million');

/** Slower, a bucket is counted in numbers that no store keeps exactly. */
export const MIN_RATE = 1e-6;

/** zod's numbers refuse NaN and infinities by themselves. */
export const settingsLayer = z.strictObject({
  timeoutMs: ms.optional().describe('Hard deadline of each attempt, its waiting included (R3-013, R3-018, R3-066).'),
  maxRetries: z
    .int('must be a whole number')
    .min(0, 'must not be negative')
    .max(20, 'must be at most 20')
    .optional()
    .describe('Tries after the first (R3-030).'),
  backoffBaseMs: ms.optional().describe('Delay before the first retry.'),
  backoffMultiplier: z.number().min(1).max(100).optional().describe('How much longer each further delay is.'),
  backoffJitter: z
    .number()
    .min(0)
    .max(1)
    .optional()
    .describe('Share of a delay by which it is longer or shorter at random, 0 to 1.'),
  maxDelayMs: ms.optional().describe('Cap of one delay, before jitter (R3-031).'),
  maxRetryTotalMs: ms.optional().describe('No attempt starts later than this after the first (R3-032).'),
  ratePerSecond: z
    .number()
    .min(MIN_RATE, 'must be at least one in eleven days')
    .max(1_000_000)
    .optional()
    .describe('Calls a second.'),
  burst: count.optional().describe('Capacity of the bucket; the rate, rounded up, if absent.'),
  maxConcurrent: count
    .optional()
    .describe('Calls at a time, of all processes together. Further ones wait in their client.'),
  maxQueue: z.int().min(0).max(1000).optional().describe('Calls that may wait for a slot in one process.'),
  circuitMode: z
    .enum(['consecutive', 'ratio'])
    .optional()
    .describe('What opens the circuit: failures in a row, or their share.'),
  failureThreshold: count.optional().describe('Failures in a row that open the circuit.'),
  failureRatio: z
    .number()
    .positive('must be above 0')
    .max(1)
    .optional()
    .describe('Share of failures that opens the circuit, in mode ratio.'),
  windowCalls: count.max(200, 'must be at most 200').optional().describe('Results that the ratio looks at.'),
  minimumCalls: count.optional().describe('Results without which the ratio says nothing.'),
  slowCallMs: ms.optional().describe('A call slower than this counts as a failure (R3-043).'),
  resetAfterMs: ms.optional().describe('How long an open circuit refuses before it lets probes through.'),
  halfOpenProbes: count
    .max(100, 'must be at most 100')
    .optional()
    .describe('Calls at a time that an open circuit lets through to see whether the tool works again.'),
  costPerCall: z
    .number()
    .min(0, 'must not be negative')
    .max(1e6)
    .optional()
    .describe('The most that one call may cost; reserved before it (G28).'),
});
export type SettingsLayer = z.infer<typeof settingsLayer>;
export type SettingName = keyof SettingsLayer;

/** Resolved: all set, save the three that have a meaning of their own when absent. */
export type Settings = Required<{
  [K in Exclude<SettingName, 'burst' | 'slowCallMs'>]: NonNullable<SettingsLayer[K]>;
}> & {
  readonly burst: number;
  readonly slowCallMs?: number;
};

/** Below all layers. The contract names five of these figures; the others are the gate's own. */
export const BUILT_IN: Omit<Settings, 'burst'> = {
  timeoutMs: 30_000,
  maxRetries: 0,
  backoffBaseMs: 200,
  backoffMultiplier: 2,
  backoffJitter: 0.2,
  maxDelayMs: 10_000,
  maxRetryTotalMs: 30_000,
  ratePerSecond: 10,
  maxConcurrent: 1,
  maxQueue: 32,
  circuitMode: 'consecutive',
  failureThreshold: 5,
  failureRatio: 0.5,
  windowCalls: 20,
  minimumCalls: 10,
  resetAfterMs: 60_000,
  halfOpenProbes: 1,
  costPerCall: 0,
};

/** Overlay of every `mcp::` origin until its behaviour is known, unless the file states its own. The overlay only tightens the environment. */
export const MCP_OVERLAY = {
  timeoutMs: 10_000,
  maxRetries: 0,
  ratePerSecond: 5,
  maxConcurrent: 1,
} as const satisfies SettingsLayer;

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

/** Absent: unlimited. */
export const budgetLimits = z.strictObject({
  timeMsPerMinute: z.int().positive('must be above 0').max(1e12).optional().describe('Tool time per minute.'),
  costPerDay: z.number().positive('must be above 0').max(1e9).optional().describe('External cost per UTC day.'),
});
export type BudgetLimits = z.infer<typeof budgetLimits>;

export const BUDGET_KINDS = {
  time: { windowMs: MINUTE_MS, setting: 'timeMsPerMinute' },
  cost: { windowMs: DAY_MS, setting: 'costPerDay' },
} as const;

/** Limits that one call may state for itself (layer 4): only numbers where less is stricter, and the absolute deadline. */
export const invocationLimits = z.strictObject({
  ...settingsLayer.pick({
    timeoutMs: true,
    maxRetries: true,
    maxRetryTotalMs: true,
    ratePerSecond: true,
    burst: true,
    maxConcurrent: true,
    maxQueue: true,
  }).shape,
  ...budgetLimits.shape,
  deadlineAt: z.number().nonnegative().max(8.64e15).optional().describe('Milliseconds since the epoch (R3-015).'),
});
/** Limits that one call states for itself: they only tighten. Times in milliseconds. */
export type InvocationLimits = z.infer<typeof invocationLimits>;
