/** Checks the `guardrails` section: every mistake is named with its path, and layers resolve. */
import { describe, expect, it, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy, PolicyFileError } from '../../../shared/config/index.ts';
import { resolveCall } from '../../../shared/config/readers/guardrails-of.ts';
import { originOf } from '../../../shared/config/readers/tool-origin.ts';

const BASE = `people:
  olga: { team: T0DEMO, user: U0OLGA, name: Olga }
agents:
  coder: { owner: olga }
tools:
  Search: { permissions: [Network], effect: IdempotentWrite }
  Refund: { permissions: [Sensitive] }
  mcp__github__create_issue: { permissions: [Network] }
guardrails:
`;

const policyWith = (section: string) => compilePolicy(loadPolicy(BASE + section, 'countersign.yaml'));

function problemOf(section: string): string {
  try {
    policyWith(section);
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message;
    throw error;
  }
  return 'loaded';
}

describe('G29 a limit that is none is refused at load, with its place', () => {
  for (const value of ['.nan', '.inf', '-.inf', '-1', '0', '"5"', 'null', 'true']) {
    for (const setting of ['timeoutMs', 'ratePerSecond', 'maxConcurrent', 'failureThreshold']) {
      it(`${setting}: ${value}`, () => {
        const problem = problemOf(`  environments: { production: { ${setting}: ${value} } }\n`);
        expect(problem).toMatch(
          new RegExp(`^countersign\\.yaml:10:\\d+: guardrails\\.environments\\.production\\.${setting}: `),
        );
      });
    }
  }
  it('refuses budgets and costs that are none', () => {
    for (const value of ['.nan', '.inf', '-1', '0']) {
      const budget = `  environments: { production: { budget: { costPerDay: ${value} } } }\n`;
      expect(problemOf(budget)).toContain('countersign.yaml:10:');
      expect(problemOf(`  agents: { coder: { budget: { timeMsPerMinute: ${value} } } }\n`)).toContain(
        'timeMsPerMinute',
      );
    }
    for (const value of ['.nan', '-0.01']) {
      expect(problemOf(`  tools: { Search: { costPerCall: ${value} } }\n`)).toContain('costPerCall');
    }
  });
});

test.each([
  ['  environment: prod\n', '10:16: guardrails.environment: prod is no declared environment; declared: production'],
  ['  environment: producton\n', 'declared: production; did you mean production?'],
  ['  agents: { stranger: {} }\n', 'guardrails.agents.stranger: stranger is not declared under agents'],
  ['  agents: { coder: { roles: [batch] } }\n', '10:30: guardrails.agents.coder.roles[0]: role batch is not declared'],
  ['  tools: { Serch: {} }\n', 'guardrails.tools.Serch: Serch is neither declared under tools nor built in'],
  ['  tools: { Refund: { maxRetries: 1 } }\n', 'guardrails.tools.Refund.maxRetries: retries need effect: Idempotent'],
  ['  tools: { Bash: { maxRetries: 1 } }\n', 'guardrails.tools.Bash.maxRetries: retries need effect: Idempotent'],
  ['  origins: { github: {} }\n', 'must be local or mcp::<server>'],
  ['  environments: { production: { timeout: 5 } }\n', 'unknown key timeout; allowed here: timeoutMs, maxRetries'],
])('R3-088 R3-109 refuses %s', (section, problem) => {
  expect(problemOf(section)).toContain(problem);
});

describe('R3-078 the layers', () => {
  const policy = policyWith(`  environment: staging
  environments:
    staging: { timeoutMs: 20000, ratePerSecond: 8, budget: { costPerDay: 50 } }
  origins: { 'mcp::github': { maxConcurrent: 2 } }
  roles: { batch: { ratePerSecond: 4, maxConcurrent: 3 } }
  agents: { coder: { roles: [batch], maxConcurrent: 5 } }
  tools: { Search: { maxRetries: 2, timeoutMs: 60000 } }
`);
  const resolve = (toolName: string, limits = {}) =>
    resolveCall(policy, { toolName, agentId: 'coder', limits, now: 1_000 });

  it('the most specific wins, looser or not; the agent over its role; every setting names its layer', () => {
    const { settings, layers, effect, budgets } = resolve('Search');
    expect(settings).toMatchObject({ timeoutMs: 60_000, ratePerSecond: 4, maxConcurrent: 5, maxRetries: 2 });
    expect(layers).toMatchObject({
      timeoutMs: 'tool:Search',
      ratePerSecond: 'role:batch',
      maxConcurrent: 'agent:coder',
      backoffBaseMs: 'built-in',
    });
    expect(effect).toBe('IdempotentWrite');
    expect(budgets).toMatchObject([{ id: 'environment:staging', kind: 'cost', limit: 50 }]);
  });

  it('the call itself only tightens', () => {
    const { settings, clamped, layers } = resolve('Search', { timeoutMs: 5_000, maxRetries: 9 });
    expect(settings).toMatchObject({ timeoutMs: 5_000, maxRetries: 2 });
    expect(clamped).toEqual(['maxRetries']);
    expect(layers.timeoutMs).toBe('invocation');
    expect(() => resolve('Search', { timeoutMs: Number.NaN })).toThrow('timeoutMs');
  });

  it('R3-087 R3-090 an MCP tool has the stricter overlay, and is listed only where the file lists it', () => {
    const known = resolve('mcp__github__create_issue');
    expect(known).toMatchObject({ listed: true, effect: 'NonIdempotentWrite', provider: { id: 'mcp::github' } });
    expect(known.settings.timeoutMs).toBe(10_000);
    expect(resolve('mcp__github__delete_repo').listed).toBe(false);
    expect(resolve('Other').listed).toBe(true);
  });

  it('the origin is in the name', () => {
    expect(originOf('mcp__my_server__a__b')).toBe('mcp::my_server');
    expect(originOf('mcp__')).toBe('local');
    expect(originOf('mcp_x')).toBe('local');
  });
});

test('without the section the safe defaults hold (R3-107)', () => {
  const policy = policyWith('  {}\n');
  const { settings, effect, budgets } = resolveCall(policy, { toolName: 'Bash', agentId: 'coder', now: 0 });
  expect(settings).toMatchObject({ timeoutMs: 30_000, maxRetries: 0, ratePerSecond: 10, maxConcurrent: 1 });
  expect(effect).toBe('NonIdempotentWrite');
  expect(budgets).toEqual([]);
});
