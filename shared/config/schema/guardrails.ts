/**
 * The `guardrails` section of countersign.yaml: limits in layers, the later one stronger (R3-078 … R3-088). What a tool does (`effect`) is said
 * once, under `tools`; where it comes from (`mcp::github`) is in its name, `mcp__github__create_issue`.
 */

import * as z from 'zod';
import { identifier, text } from '../../contract/primitives.ts';
import { ownValue } from '../../domain/own.ts';
import {
  agentLayer,
  type Effect,
  type GuardrailsConfig,
  origin,
  providerLimits,
  withBudget,
} from '../../guardrails/config.ts';
import { type ResolvedGuardrails, resolveGuardrails } from '../../guardrails/resolve.ts';
import { type InvocationLimits, settingsLayer } from '../../guardrails/settings.ts';
import { createToolRegistry } from '../../permissions/model/tools.ts';
import { orNearest } from '../../permissions/rules/nearest.ts';
import type { PolicyProblem } from '../problems.ts';
import type { PolicyFile } from './policy-file.ts';
import { taskTools } from './task-agent.ts';
import { duration, name, section, toolName } from './words.ts';

const DEFAULT_ENVIRONMENT = 'production';

export const guardrails = section({
  environment: identifier.default(DEFAULT_ENVIRONMENT).describe('The environment that this deployment is.'),
  environments: z
    .record(identifier, section(withBudget.shape))
    .default({ [DEFAULT_ENVIRONMENT]: {} })
    .describe('Layer 1: what holds for every call, and the budgets of all agents together.'),
  mcp: section(settingsLayer.shape)
    .optional()
    .describe('Every MCP server, instead of the built-in overlay: 10 s, 5 calls a second, one at a time, no retries.'),
  origins: z.record(origin, section(settingsLayer.shape)).default({}).describe('One MCP server: mcp::<server>.'),
  providers: z
    .record(origin, section(providerLimits.shape))
    .default({})
    .describe('What all tools of one origin share: local, or mcp::<server>.'),
  roles: z.record(name, section(withBudget.shape)).default({}).describe('Layer 2: what several agents have in common.'),
  agents: z.record(name, section(agentLayer.shape)).default({}).describe('Layer 2, above the roles.'),
  tools: z
    .record(
      toolName,
      section({
        ...settingsLayer.shape,
        idempotency: text(1000).optional().describe('Why a repeated call does no harm; for whoever reviews retries.'),
      }),
    )
    .default({})
    .describe('Layer 3: the most specific one wins, looser or not.'),
  unreported: section({
    after: duration
      .default(60_000)
      .describe('How long past its deadline a call that was begun may be reported; then its outcome is unknown.'),
    charge: z
      .boolean()
      .default(true)
      .describe('Whether such a call keeps what it reserved of its budgets (true), or gives it back.'),
  })
    .prefault({})
    .describe('Calls that were begun and of which nothing was heard.'),
})
  .prefault({})
  .describe('Limits of calls in layers, the later one stronger; `countersign guardrails` shows what holds.');

/** `mcp::github` for `mcp__github__create_issue`, else `local` (R3-005). */
export function originOf(tool: string): string {
  const server = serverOf(tool);
  return server === undefined ? 'local' : `mcp::${server}`;
}

/** The MCP server of a tool, as its name says it; undefined for any other tool. */
export function serverOf(tool: string): string | undefined {
  if (!tool.startsWith('mcp__')) return undefined;
  const end = tool.indexOf('__', 'mcp__'.length + 1);
  return end < 0 ? undefined : tool.slice('mcp__'.length, end);
}

/** The digest that pins an MCP tool: who approved it, and what was remembered of it, spoke of this definition. */
export const definitionOf = ({ tools }: Pick<PolicyFile, 'tools'>, toolName: string): string | undefined =>
  ownValue(tools, toolName)?.definition;

/** The section as the guardrails read it: with the effect and the origin of each tool that the file lists (R3-090). */
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

/** What the file says of its tools; of the task agent's, what they are by themselves. */
const effectsOf = (file: PolicyFile): ReadonlyMap<string, Effect | undefined> =>
  new Map([
    ...taskTools(file).map(({ name: tool, effect }) => [tool, effect] as const),
    ...Object.entries(file.tools).map(([tool, { effect }]) => [tool, effect] as const),
  ]);

export interface GuardedCall {
  readonly toolName: string;
  /** The authenticated agent (G30). */
  readonly agentId: string;
  /** Layer 4: what the call states for itself, only to tighten. */
  readonly limits?: InvocationLimits | undefined;
  readonly now: number;
}

/** Every setting of one call, with the layer that set it. Pure (R3-089). @throws GuardrailError for limits that are none. */
export function resolveCall(
  { guardrails: config }: { readonly guardrails: GuardrailsConfig },
  call: GuardedCall,
): ResolvedGuardrails {
  return resolveGuardrails(config, { ...call, origin: originOf(call.toolName) });
}

/** Names that nothing declares, and retries of what may not be repeated (R3-088, R3-109). */
export function guardrailProblems(file: PolicyFile): PolicyProblem[] {
  const { environment, environments, roles, agents, tools } = file.guardrails;
  const problems: PolicyProblem[] = [];
  const refuse = (path: PolicyProblem['path'], message: string) =>
    problems.push({ path: ['guardrails', ...path], message });
  const declared = (record: object, what: string, name: string) => {
    const known = Object.keys(record);
    return `; ${known.length ? `declared: ${known.join(', ')}${orNearest(name, known)}` : `no ${what} is declared`}`;
  };
  if (!Object.hasOwn(environments, environment))
    refuse(
      ['environment'],
      `${environment} is no declared environment${declared(environments, 'environment', environment)}`,
    );
  for (const [agent, { roles: named = [] }] of Object.entries(agents)) {
    if (!Object.hasOwn(file.agents, agent))
      refuse(['agents', agent], `${agent} is not declared under agents${declared(file.agents, 'agent', agent)}`);
    for (const [index, role] of named.entries())
      if (!Object.hasOwn(roles, role))
        refuse(['agents', agent, 'roles', index], `role ${role} is not declared${declared(roles, 'role', role)}`);
  }
  const builtIn = createToolRegistry();
  const effects = effectsOf(file);
  for (const [tool, { maxRetries = 0 }] of Object.entries(tools)) {
    if (!effects.has(tool) && !builtIn.has(tool))
      refuse(
        ['tools', tool],
        `${tool} is neither declared under tools nor built in${declared(file.tools, 'tool', tool)}`,
      );
    if (maxRetries > 0 && effects.get(tool) !== 'IdempotentWrite')
      refuse(['tools', tool, 'maxRetries'], `retries need effect: IdempotentWrite at tools.${tool}`);
  }
  return problems;
}
