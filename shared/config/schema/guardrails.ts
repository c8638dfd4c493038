/**
 * Declares the `guardrails` section of countersign.yaml: limits in layers, the later one stronger.
 *
 * The `effect` of a tool stands once, under `tools`; its server (`mcp::github`) is in its name,
 * `mcp__github__create_issue`.
 */
import * as z from 'zod';
import { identifier, text } from '../../contract/primitives.ts';
import { agentLayer, origin, providerLimits, withBudget } from '../../guardrails/settings/config.ts';
import { budgetLimits, settingsLayer } from '../../guardrails/settings/settings.ts';
import { laterTime, name, section, toolName } from './common-fields.ts';

const DEFAULT_ENVIRONMENT = 'production';

/** A misspelt limit is refused with those that there are. */
const budget = section(budgetLimits.shape).optional().describe('What may be used up; absent: no limit.');
const budgeted = section({ ...withBudget.shape, budget });

export const guardrails = section({
  environment: identifier.default(DEFAULT_ENVIRONMENT).describe('The environment that this deployment is.'),
  environments: z
    .record(identifier, budgeted)
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
  roles: z.record(name, budgeted).default({}).describe('Layer 2: what several agents have in common.'),
  agents: z
    .record(name, section({ ...agentLayer.shape, budget }))
    .default({})
    .describe('Layer 2, above the roles.'),
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
    after: laterTime
      .default(60_000)
      .describe(
        'How long past its deadline a call that was begun may be reported; then its outcome is unknown. At most 90d.',
      ),
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
