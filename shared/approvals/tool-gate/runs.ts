/**
 * Cuts a batch into contiguous runs of one route.
 *
 * Runs follow each other; within a run, the route decides.
 */
import { type ConcurrencySettings, limitOf } from './concurrency.ts';
import type { ToolRegistry } from './registry.ts';
import { type AgentToolCall, classOf } from './tool.ts';
import type { ToolPolicy } from './tool-policy.ts';

/** `ShortCircuit`: denied by policy or missing, answered at once. */
type Route = 'ReadOnly' | 'ConcurrentMut' | 'SerialMut' | 'ShortCircuit';

export interface Run {
  readonly route: Route;
  readonly calls: readonly AgentToolCall[];
}

interface Routing {
  readonly registry: ToolRegistry;
  readonly policy: ToolPolicy;
  readonly concurrency: ConcurrencySettings;
}

function routeOf({ registry, policy, concurrency }: Routing, name: string): Route {
  const tool = isAllowed(policy, name) ? registry.get(name) : undefined;
  if (!tool) return 'ShortCircuit';
  if (classOf(tool) === 'ReadOnly') return 'ReadOnly';
  return limitOf(concurrency, name) === undefined ? 'SerialMut' : 'ConcurrentMut';
}

/** A policy that throws lets nothing through. */
export function isAllowed(policy: ToolPolicy, name: string): boolean {
  try {
    return policy.isAllowed(name) === true;
  } catch {
    return false;
  }
}

export function runsOf(routing: Routing, calls: readonly AgentToolCall[]): readonly Run[] {
  const runs: { route: Route; calls: AgentToolCall[] }[] = [];
  for (const call of calls) {
    const route = routeOf(routing, call.name);
    const last = runs.at(-1);
    if (last?.route === route) last.calls.push(call);
    else runs.push({ route, calls: [call] });
  }
  return runs;
}
