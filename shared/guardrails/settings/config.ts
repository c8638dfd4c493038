/**
 * Parses the guardrails section of countersign.yaml: explicit and strict.
 *
 * One wrong value refuses the whole section.
 */
import * as z from 'zod';
import { type Effect, effect, identifier, text } from '../../contract/primitives.ts';
import { contractError } from './errors.ts';
import { budgetLimits, settingsLayer } from './settings.ts';

export type { Effect };

/** `local`, or `mcp::` and the name of the server. */
export const origin = z
  .string()
  .max(256)
  .regex(/^(local|mcp::[A-Za-z0-9_.-]+)$/, 'must be local or mcp::<server>');

export const withBudget = z.strictObject({
  ...settingsLayer.shape,
  budget: budgetLimits.optional().describe('What may be used up; absent: no limit.'),
});

export const agentLayer = z.strictObject({
  ...withBudget.shape,
  roles: z.array(identifier).max(16).optional().describe('Of guardrails.roles; the later one is stronger.'),
});

const tool = z.strictObject({
  ...settingsLayer.shape,
  origin: origin.optional().describe('`local` if absent.'),
  effect: effect.optional().describe('NonIdempotentWrite if absent (R3-004).'),
  idempotency: text(1000)
    .optional()
    .describe('Why a repeated call does no harm; for whoever reviews retries (R3-109).'),
});

/** Limits that all tools of one provider share. The provider of a tool is its origin. */
export const providerLimits = settingsLayer.pick({ ratePerSecond: true, burst: true, maxConcurrent: true });
export type ProviderLimits = z.infer<typeof providerLimits>;

export const guardrailsConfig = z
  .strictObject({
    environment: identifier.describe('The environment of this deployment.'),
    environments: z.record(identifier, withBudget),
    mcp: settingsLayer.optional().describe('Replaces the built-in overlay of MCP origins.'),
    origins: z.record(origin, settingsLayer).optional().describe('Overlays of single MCP origins, above `mcp`.'),
    providers: z.record(origin, providerLimits).optional(),
    roles: z.record(identifier, withBudget).optional(),
    agents: z.record(identifier, agentLayer).optional(),
    tools: z.record(text(128), tool).optional(),
  })
  .superRefine((config, context) => {
    const refuse = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message });
    // No silent defaults for a name that nobody declared.
    if (!Object.hasOwn(config.environments, config.environment)) refuse(['environment'], 'is no declared environment');
    for (const [name, entry] of Object.entries(config.agents ?? {}))
      for (const role of entry.roles ?? [])
        if (!Object.hasOwn(config.roles ?? {}, role)) refuse(['agents', name, 'roles'], `role ${role} is not declared`);
    // A retry needs a reason why a repeated call does no harm, and an idempotent write (R3-109, R3-022).
    for (const [name, entry] of Object.entries(config.tools ?? {}))
      if ((entry.maxRetries ?? 0) > 0 && entry.effect !== 'IdempotentWrite')
        refuse(['tools', name, 'maxRetries'], 'retries need effect: IdempotentWrite');
  });
/** The section `guardrails` of a policy file. */
export type GuardrailsConfig = z.infer<typeof guardrailsConfig>;
export type ToolEntry = z.infer<typeof tool>;

/** Loads the section whole or not at all; throws `ContractError.InvalidConfig` that names the first wrong value. */
export function loadGuardrails(raw: unknown): GuardrailsConfig {
  const parsed = guardrailsConfig.safeParse(raw);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  const path = first?.path.map(String).join('.') || 'guardrails';
  throw contractError('InvalidConfig', `${path}: ${first?.message ?? 'is invalid'}.`, { path });
}
