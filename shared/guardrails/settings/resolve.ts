/** Resolves the settings of one call, and the layer that set each. Pure: same inputs, same answer. */
import type { Effect, GuardrailsConfig, ProviderLimits, ToolEntry } from './config.ts';
import { contractError } from './errors.ts';
import {
  BUDGET_KINDS,
  BUILT_IN,
  type BudgetLimits,
  type InvocationLimits,
  invocationLimits,
  MCP_OVERLAY,
  type SettingName,
  type Settings,
  type SettingsLayer,
} from './settings.ts';

export interface ResolveRequest {
  readonly toolName: string;
  readonly origin: string;
  /** From the authenticated principal, never from the message. */
  readonly agentId: string;
  /** The deployment's own if absent. */
  readonly environment?: string | undefined;
  readonly limits?: InvocationLimits | undefined;
  /** Only to turn a deadline into what remains of it. */
  readonly now: number;
}

/** `built-in`, `environment:…`, `origin:…`, `role:…`, `agent:…`, `tool:…` or `invocation`. */
type LayerName = string;

export interface ResolvedBudget {
  readonly id: string;
  readonly kind: keyof typeof BUDGET_KINDS;
  readonly limit: number;
  readonly windowMs: number;
}

export interface ResolvedGuardrails {
  readonly settings: Settings;
  readonly layers: Readonly<Partial<Record<SettingName, LayerName>>>;
  /** Looser values of the call that the policy overruled. */
  readonly clamped: readonly string[];
  /** The limits without the call's own: what shared buckets and slots count with. */
  readonly shared: Pick<Settings, 'ratePerSecond' | 'burst' | 'maxConcurrent'>;
  /** The callers that a limit counts together: everybody (``), or the role or agent whose layer set it. */
  readonly countedFor: { readonly rate: string; readonly concurrency: string };
  /** Limits that the call set for itself, and that bind it beside the shared ones. */
  readonly own: { readonly ratePerSecond?: number; readonly burst?: number; readonly maxConcurrent?: number };
  readonly budgets: readonly ResolvedBudget[];
  readonly effect: Effect;
  /** The tool's own declaration, or `built-in` without one. */
  readonly effectFrom: LayerName;
  readonly provider: ProviderLimits & { readonly id: string };
  /** False for an MCP tool that the file does not name: it is not run. */
  readonly listed: boolean;
  readonly deadlineAt?: number;
}

const own = <T>(record: Readonly<Record<string, T>> | undefined, key: string): T | undefined =>
  record && Object.hasOwn(record, key) ? record[key] : undefined;

/** Throws `ContractError` for an unknown environment and for values that are no limits. */
export function resolveGuardrails(config: GuardrailsConfig, request: ResolveRequest): ResolvedGuardrails {
  const limits = parseLimits(request.limits);
  const environment = request.environment ?? config.environment;
  const base = own(config.environments, environment);
  if (!base) throw contractError('UnknownEnvironment', `${environment} is no declared environment.`);
  const agent = own(config.agents, request.agentId);
  const roles = (agent?.roles ?? []).map((name) => [name, own(config.roles, name) ?? {}] as const);
  const tool = toolEntry(config, request);
  const isMcp = request.origin.startsWith('mcp::');

  const stack: (readonly [LayerName, SettingsLayer])[] = [
    ['built-in', BUILT_IN],
    [`environment:${environment}`, base],
    ...(isMcp ? [['origin:mcp', config.mcp ?? stricterThan(base)] as const] : []),
    [`origin:${request.origin}`, own(config.origins, request.origin) ?? {}],
    ...roles.map(([name, layer]) => [`role:${name}`, layer] as const),
    [`agent:${request.agentId}`, agent ?? {}],
    [`tool:${request.toolName}`, tool ?? {}],
  ];
  const { values, layers } = merge(stack);
  const merged = { ...values, burst: values.burst ?? burstOf(values.ratePerSecond) };
  const overlay = tighten(merged, limits, request.now);

  const scopes = [
    [`agent:${request.agentId}`, agent?.budget],
    ...roles.map(([name, layer]) => [`role:${name}`, layer.budget] as const),
    [`environment:${environment}`, base.budget],
  ] as const;
  const budgets = resolveBudgets(scopes, limits, overlay.clamped);
  const countedFor = { rate: namedScope(layers.ratePerSecond), concurrency: namedScope(layers.maxConcurrent) };
  for (const name of overlay.tightened) layers[name] = 'invocation';
  return {
    settings: overlay.settings,
    layers,
    clamped: overlay.clamped,
    shared: { ratePerSecond: merged.ratePerSecond, burst: merged.burst, maxConcurrent: merged.maxConcurrent },
    countedFor,
    own: overlay.own,
    budgets,
    effect: tool?.effect ?? 'NonIdempotentWrite',
    effectFrom: tool?.effect ? `tool:${request.toolName}` : 'built-in',
    provider: { id: request.origin, ...own(config.providers, request.origin) },
    listed: !isMcp || tool !== undefined,
    ...(limits.deadlineAt === undefined ? {} : { deadlineAt: limits.deadlineAt }),
  };
}

/** An entry counts for its own origin only: a server cannot take over the settings of a tool of the same name. */
function toolEntry(config: GuardrailsConfig, request: ResolveRequest): ToolEntry | undefined {
  const entry = own(config.tools, request.toolName);
  return entry && (entry.origin ?? 'local') === request.origin ? entry : undefined;
}

/** The built-in overlay only makes settings stricter: a stricter environment stays. An overlay of the file counts as stated. */
function stricterThan(base: SettingsLayer): SettingsLayer {
  const names = Object.keys(MCP_OVERLAY) as (keyof typeof MCP_OVERLAY)[];
  const stricter = names.filter((name) => MCP_OVERLAY[name] < (base[name] ?? BUILT_IN[name]));
  return Object.fromEntries(stricter.map((name) => [name, MCP_OVERLAY[name]]));
}

/** Read for each layer of each call. */
const SETTING_NAMES = Object.keys(BUILT_IN).concat('burst', 'slowCallMs') as SettingName[];

/** Field by field, the last layer that sets it wins, looser or not. */
function merge(stack: readonly (readonly [LayerName, SettingsLayer])[]) {
  const values: Partial<Record<SettingName, unknown>> = {};
  const layers: Partial<Record<SettingName, LayerName>> = {};
  for (const [layer, fields] of stack)
    for (const name of SETTING_NAMES) {
      const value = fields[name];
      if (value !== undefined) {
        values[name] = value;
        layers[name] = layer;
      }
    }
  // The first layer sets every field but the optional two.
  return { values: values as Omit<Settings, 'burst'> & { burst?: number }, layers };
}

/** Where nobody states it: the rate, rounded up. */
const burstOf = (ratePerSecond: number): number => Math.max(1, Math.ceil(ratePerSecond));

const namedScope = (layer: LayerName | undefined): string => (layer && /^(role|agent):/.test(layer) ? layer : '');

function parseLimits(limits: InvocationLimits | undefined): InvocationLimits {
  if (limits === undefined) return {};
  const parsed = invocationLimits.safeParse(limits);
  if (parsed.success) return parsed.data;
  const first = parsed.error.issues[0];
  throw contractError('InvalidLimit', `${first?.path.join('.') || 'limits'}: ${first?.message ?? 'is invalid'}.`);
}

const TIGHTENABLE = [
  'timeoutMs',
  'maxRetries',
  'maxRetryTotalMs',
  'ratePerSecond',
  'burst',
  'maxConcurrent',
  'maxQueue',
] as const;

/** Layer 4 may tighten, never loosen. */
function tighten(policy: Settings, limits: InvocationLimits, now: number) {
  const settings: Partial<Record<SettingName, unknown>> = { ...policy };
  const clamped: string[] = [];
  const tightened: SettingName[] = [];
  const stated: Partial<Record<SettingName, number>> = {};
  for (const name of TIGHTENABLE) {
    const value = limits[name];
    if (value === undefined) continue;
    if (value > policy[name]) clamped.push(name);
    else if (value < policy[name]) {
      settings[name] = value;
      stated[name] = value;
      tightened.push(name);
    }
  }
  // A bucket of its own rate holds what that rate fills in a second, as everywhere.
  if (stated.ratePerSecond !== undefined) {
    stated.burst = Math.min(policy.burst, limits.burst ?? burstOf(stated.ratePerSecond));
    settings.burst = stated.burst;
    if (stated.burst < policy.burst && !tightened.includes('burst')) tightened.push('burst');
  }
  // A deadline that has passed leaves nothing: the call ends in Timeout before the tool is called.
  if (limits.deadlineAt !== undefined && limits.deadlineAt - now < (settings.timeoutMs as number)) {
    settings.timeoutMs = Math.max(0, limits.deadlineAt - now);
    if (!tightened.includes('timeoutMs')) tightened.push('timeoutMs');
  }
  const { ratePerSecond, burst, maxConcurrent } = stated;
  const own = {
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
    ...(burst === undefined ? {} : { burst }),
    ...(maxConcurrent === undefined ? {} : { maxConcurrent }),
  };
  return { settings: settings as unknown as Settings, clamped, tightened, own };
}

/** All that apply must admit. The call's own limit narrows each, and stands alone where there is none. */
function resolveBudgets(
  scopes: readonly (readonly [string, BudgetLimits | undefined])[],
  limits: InvocationLimits,
  clamped: string[],
): ResolvedBudget[] {
  return (['time', 'cost'] as const).flatMap((kind) => {
    const { setting, windowMs } = BUDGET_KINDS[kind];
    const stated = limits[setting];
    const declared = scopes.flatMap(([id, budget]) => {
      const limit = budget?.[setting];
      return limit === undefined ? [] : [{ id, kind, limit, windowMs }];
    });
    if (stated === undefined) return declared;
    const [first] = scopes;
    if (declared.length === 0) return first ? [{ id: first[0], kind, limit: stated, windowMs }] : [];
    if (declared.every(({ limit }) => stated > limit)) clamped.push(setting);
    return declared.map((budget) => ({ ...budget, limit: Math.min(budget.limit, stated) }));
  });
}
