/** Interprets cases of the guardrails: layers, the MCP overlay, and what a single call may tighten. */
import { memoryGuardrailState } from '../../../shared/adapters/memory/guardrails/state.ts';
import { Guardrails } from '../../../shared/guardrails/pipeline.ts';
import { type GuardrailsConfig, loadGuardrails } from '../../../shared/guardrails/settings/config.ts';
import { GuardrailError } from '../../../shared/guardrails/settings/errors.ts';
import { type ResolveRequest, resolveGuardrails } from '../../../shared/guardrails/settings/resolve.ts';
import { type Fields, isFields } from '../fields.ts';
import { clampedNames, type Given, inCaseNames, layerOf, shownError } from './guardrails-given.ts';
import { noteError } from './guardrails-world.ts';

const NOW = 1_800_000_000_000;

export async function resolution(given: Given): Promise<Fields> {
  try {
    return await resolved(given);
  } catch (error) {
    if (!(error instanceof GuardrailError)) throw error;
    noteError(shownError(error));
    return { error: shownError(error) };
  }
}

async function resolved(given: Given): Promise<Fields> {
  const origin = given.text('origin', 'local');
  const environment = given.text('env_name', 'test');
  const withBudget = (fields: unknown) => {
    const { settings, budget } = layerOf(fields);
    return { ...settings, ...(Object.keys(budget).length > 0 ? { budget } : {}) };
  };
  const base = given.get(given.has('policy') ? 'policy' : 'env');
  const envs = given.get('envs');
  const environments = isFields(envs)
    ? Object.fromEntries(Object.entries(envs).map(([name, layer]) => [name, withBudget(layer)]))
    : { [environment]: withBudget(base) };
  const mcp = given.get('mcp_defaults');
  const tool = given.get('tool');
  const { effect = given.get('effect'), ...toolFields } = isFields(tool) ? tool : ({} as Fields);
  // A case about layers does not speak of effects: its tool may be retried unless it says otherwise.
  const toolEntry = { origin, effect: effect ?? 'IdempotentWrite', ...layerOf(toolFields).settings };
  const [listing] = given.unreadOf('listed', 'is_listed');
  const isListed = listing === undefined ? tool !== undefined : given.get(listing);
  // Resolved twice it is in any case (R3-089).
  for (const key of given.unreadOf('runs', 'times', 'repeat')) given.get(key);
  const config = loadGuardrails({
    environment,
    environments,
    ...(mcp === undefined ? {} : { mcp: layerOf(mcp).settings }),
    roles: { r: withBudget(given.get('role')) },
    agents: { a1: { roles: ['r'], ...withBudget(given.get('agent')) } },
    ...(isListed === true ? { tools: { t: toolEntry } } : {}),
  });
  const invocation = given.get('invocation');
  const { deadline_in_ms: inside, ...stated } = isFields(invocation) ? invocation : ({} as Fields);
  const outside = given.get('deadline_in_ms');
  const deadlineIn = inside ?? outside;
  const { settings, budget } = layerOf(stated);
  const limits = {
    ...settings,
    ...budget,
    ...(typeof deadlineIn === 'number' ? { deadlineAt: NOW + deadlineIn } : {}),
  };
  const request = { toolName: 't', origin, agentId: 'a1', limits, now: NOW };
  const first = resolveGuardrails(config, request);
  // R3-089: asked twice, the answer is the same.
  const again = resolveGuardrails(config, request);
  const budgets = Object.fromEntries(
    first.budgets.toReversed().map(({ kind, limit }) => [kind === 'time' ? 'timeMsPerMinute' : 'costPerDay', limit]),
  );
  return {
    // Only what is refused whatever the limits: a case about layers does not call anything else.
    ...(listing !== undefined || first.settings.timeoutMs <= 0 ? await called(config, request) : {}),
    ...inCaseNames({ ...first.settings, ...budgets }),
    clamped: clampedNames(first.clamped, invocation),
    allowed: first.listed,
    layers: first.layers,
    same: JSON.stringify(first) === JSON.stringify(again),
  };
}

/** The result of a call with these limits. */
async function called(
  config: GuardrailsConfig,
  { toolName, origin, agentId, limits }: ResolveRequest,
): Promise<Fields> {
  let provider = false;
  const guardrails = new Guardrails({
    config,
    state: memoryGuardrailState(() => NOW),
    runtime: { now: () => NOW, random: () => 0.5, newId: () => 'id', sleep: () => new Promise(() => {}) },
    events: { emit: () => {} },
    findTool: () => ({
      name: toolName,
      origin,
      execute: async () => {
        provider = true;
      },
    }),
  });
  const { status, error } = await guardrails.invoke({ toolName, input: {}, agentId, limits });
  noteError(shownError(error));
  return { status, provider_called: provider, ...(error ? { error } : {}) };
}
