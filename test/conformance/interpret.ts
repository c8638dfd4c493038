/** Finds the interpreter of a case: by its seed, or by its area. */
import type { SecurityCase } from './security/cases.ts';
import { DATA_AREAS, decideSecurity } from './security/decide.ts';
import { isSlackData } from './security/slack-shape.ts';
import type { SeedCase } from './seeds/judge.ts';

export interface CaseOutcome {
  readonly passed: boolean;
  readonly expected: unknown;
  readonly got: unknown;
}

/** By the number of the seed. Each is loaded when a case of its is met, so that a run of one seed needs only that seed's parts. */
const SEEDS: Readonly<Record<string, () => Promise<(one: SeedCase) => Promise<CaseOutcome>>>> = {
  0: async () => (await import('./seeds/policies.ts')).interpretPolicies,
  1: async () => (await import('./seeds/tool-gate.ts')).interpretToolGate,
  2: async () => (await import('./seeds/task-agent.ts')).interpretTaskAgent,
  3: async () => (await import('./seeds/guardrails.ts')).interpretGuardrails,
  4: async () => (await import('./seeds/permissions.ts')).interpretPermissions,
};

async function interpreterOf(seed: number): Promise<(one: SeedCase) => Promise<CaseOutcome>> {
  const load = Object.hasOwn(SEEDS, seed) ? SEEDS[seed] : undefined;
  if (!load) throw new Error(`there is no interpreter for seed ${seed}`);
  return load();
}

/** Loaded when a case of its is met: it brings Bolt, and the endpoint's log, which is no part of a report. */
function slackInterpreter() {
  process.env['POWERTOOLS_LOG_LEVEL'] = 'SILENT';
  process.env['POWERTOOLS_METRICS_DISABLED'] = 'true';
  return import('./security/decide-slack.ts');
}

export async function interpretCase(one: {
  readonly id: string;
  readonly seed?: number;
  readonly area?: string;
  readonly given?: unknown;
  readonly expect?: unknown;
}): Promise<CaseOutcome> {
  try {
    if (one.seed !== undefined) return await (await interpreterOf(one.seed))(one as SeedCase);
    if (one.area !== undefined && DATA_AREAS.includes(one.area)) return await decideSecurity(one as SecurityCase);
    if (isSlackData(one)) return await (await slackInterpreter()).decideSlack(one as SecurityCase);
    throw new Error(`there is no interpreter for ${one.area === undefined ? 'this case' : `the area ${one.area}`}`);
  } catch (error) {
    return { passed: false, expected: one.expect, got: { error: String(error) } };
  }
}
