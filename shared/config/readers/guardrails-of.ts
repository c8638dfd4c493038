/** Reads the limits of a policy file for the guardrails, with each tool's effect and origin. */
import { ownValue } from '../../domain/own.ts';
import type { Effect, GuardrailsConfig } from '../../guardrails/settings/config.ts';
import { type ResolvedGuardrails, resolveGuardrails } from '../../guardrails/settings/resolve.ts';
import type { InvocationLimits } from '../../guardrails/settings/settings.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import { taskTools } from './task-agent-tools.ts';
import { originOf } from './tool-origin.ts';

/** The digest that pins an MCP tool: who approved it, and what was remembered of it, spoke of this definition. */
export const definitionOf = ({ tools }: Pick<PolicyFile, 'tools'>, toolName: string): string | undefined =>
  ownValue(tools, toolName)?.definition;

/** The section as the guardrails read it: with the effect and the origin of each tool that the file lists. */
export function guardrailsOf(file: PolicyFile): GuardrailsConfig {
  const { guardrails: limits, tools } = file;
  const { unreported: _, ...config } = limits;
  const effects = effectsOf(file);
  const names = new Set([...Object.keys(tools), ...Object.keys(limits.tools)]);
  const merged = [...names].map((tool) => {
    const effect = effects.get(tool);
    return [tool, { ...ownValue(limits.tools, tool), origin: originOf(tool), ...(effect ? { effect } : {}) }] as const;
  });
  return { ...config, tools: Object.fromEntries(merged) };
}

/** The effects that the file states of its tools; of the task agent's, their own. */
export const effectsOf = (file: PolicyFile): ReadonlyMap<string, Effect | undefined> =>
  new Map([
    ...taskTools(file).map(({ name: tool, effect }) => [tool, effect] as const),
    ...Object.entries(file.tools).map(([tool, { effect }]) => [tool, effect] as const),
  ]);

export interface GuardedCall {
  readonly toolName: string;
  /** The authenticated agent. */
  readonly agentId: string;
  /** Layer 4: what the call states for itself, only to tighten. */
  readonly limits?: InvocationLimits | undefined;
  readonly now: number;
}

/** Every setting of one call, with the layer that set it. Pure. @throws GuardrailError for limits that are none. */
export function resolveCall(
  { guardrails: config }: { readonly guardrails: GuardrailsConfig },
  call: GuardedCall,
): ResolvedGuardrails {
  return resolveGuardrails(config, { ...call, origin: originOf(call.toolName) });
}
