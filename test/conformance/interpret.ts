/** Finds the interpreter of a case: by its seed, or by its area. */

import type { SecurityCase } from './security/cases.ts';
import { DATA_AREAS, decideSecurity } from './security/decide.ts';
import { isSlackData } from './security/slack-shape.ts';

export interface CaseOutcome {
  readonly passed: boolean;
  readonly expected: unknown;
  readonly got: unknown;
}

type SeedModule = Readonly<Record<string, unknown>>;

/** Loaded when a case of theirs is met, so that a run of one seed needs only that seed's parts. */
const SEEDS: Readonly<Record<string, () => Promise<SeedModule>>> = {
  0: () => import('./seeds/seed-0.ts'),
  1: () => import('./seeds/seed-1.ts'),
  2: () => import('./seeds/seed-2.ts'),
  3: () => import('./seeds/seed-3.ts'),
  4: () => import('./seeds/seed-4.ts'),
};

/** Names of the interpreters in each seed's module. */
async function interpreterOf(seed: number): Promise<(one: unknown) => Promise<CaseOutcome>> {
  const module = await SEEDS[String(seed)]?.();
  const interpret = module?.[`interpretSeed${seed}`];
  if (typeof interpret !== 'function') throw new Error(`there is no interpreter for seed ${seed}`);
  return interpret as (one: unknown) => Promise<CaseOutcome>;
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
    if (one.seed !== undefined) return await (await interpreterOf(one.seed))(one);
    if (one.area !== undefined && DATA_AREAS.includes(one.area)) return await decideSecurity(one as SecurityCase);
    if (isSlackData(one)) return await (await slackInterpreter()).decideSlack(one as SecurityCase);
    throw new Error(`there is no interpreter for ${one.area === undefined ? 'this case' : `the area ${one.area}`}`);
  } catch (error) {
    return { passed: false, expected: one.expect, got: { error: String(error) } };
  }
}
