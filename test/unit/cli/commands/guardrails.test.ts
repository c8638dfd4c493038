/** Checks `countersign guardrails`: every resolved setting, with the layer that set it (R3-108). */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cli } from '../run-cli.ts';

const POLICY = `people: { o: { team: T1A, user: U1A, name: O } }
agents: { coder: { owner: o }, other: { owner: o } }
tools:
  search: { permissions: [Network], effect: Pure }
  pay: { permissions: [Network], effect: IdempotentWrite }
  mcp__github__create_issue: { permissions: [Network] }
guardrails:
  environments:
    production: { timeoutMs: 20000, maxRetries: 2, budget: { costPerDay: 50 } }
    staging: { timeoutMs: 5000 }
  roles: { builders: { maxConcurrent: 3, budget: { timeMsPerMinute: 30000 } } }
  agents: { coder: { roles: [builders], ratePerSecond: 2 } }
  tools: { search: { timeoutMs: 3000 }, pay: { maxRetries: 3 } }
  providers: { "mcp::github": { ratePerSecond: 8 } }
`;
let cwd: string;
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  writeFileSync(join(cwd, 'countersign.yaml'), POLICY);
});
afterAll(() => rmSync(cwd, { recursive: true }));

const guardrails = (...argv: string[]) => cli(['guardrails', ...argv], { cwd });
interface Printed {
  readonly settings: readonly { readonly setting: string; readonly value: unknown; readonly from: string }[];
}
async function settingsOf(...argv: string[]) {
  const ran = await guardrails(...argv, '--json');
  expect(ran).toMatchObject({ code: 0, err: '' });
  const [printed] = ran.lines as Printed[];
  return Object.fromEntries(printed?.settings.map(({ setting, value, from }) => [setting, `${value} ${from}`]) ?? []);
}

describe('R3-108 every resolved setting, with the layer that set it', () => {
  test('a tool goes above its agent, role, environment and built-in', async () => {
    expect(await settingsOf('--tool', 'search', '--agent', 'coder')).toMatchObject({
      timeoutMs: '3000 tool:search',
      ratePerSecond: '2 agent:coder',
      burst: '2 ratePerSecond, rounded up',
      maxConcurrent: '3 role:builders',
      maxRetries: '2 environment:production, unused: the effect is not IdempotentWrite',
      failureThreshold: '5 built-in',
      effect: 'Pure tool:search',
      'budget.time': '30000 ms per 60 s role:builders',
      'budget.cost': '50 per 86400 s environment:production',
    });
  });

  test('another agent and another environment have settings of their own', async () => {
    const settings = await settingsOf('--tool', 'pay', '--agent', 'other', '--env', 'staging');
    expect(settings).toMatchObject({ timeoutMs: '5000 environment:staging', maxRetries: '3 tool:pay' });
    expect(Object.keys(settings).filter((name) => name.startsWith('budget'))).toEqual([]);
  });

  test('R3-087 a tool of an MCP server, by its name', async () => {
    expect(await settingsOf('--tool', 'mcp__github__create_issue', '--agent', 'other')).toMatchObject({
      timeoutMs: '10000 origin:mcp',
      'provider.ratePerSecond': '8 provider:mcp::github',
      effect: 'NonIdempotentWrite built-in',
    });
  });

  test('prints a table', async () => {
    const ran = await guardrails('--tool', 'search', '--agent', 'coder');
    expect(ran.out).toMatch(/^search of local, called by coder in production\n\nSETTING +VALUE +UNIT +SET BY\n/);
    expect(ran.out).toMatch(/\ntimeoutMs +3000 +ms +tool:search\n/);
  });

  test('R3-090 says that an MCP tool that is not listed would not be run', async () => {
    const ran = await guardrails('--tool', 'search', '--agent', 'coder', '--origin', 'mcp::x');
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.out).toContain('Not run: a tool of an MCP server has to be listed first');
  });
});

test.each([
  [['--tool', 'nope', '--agent', 'coder'], 'the policy file lists no tool nope; it lists Read, '],
  [['--tool', 'constructor', '--agent', 'coder'], 'the policy file lists no tool constructor'],
  [['--tool', 'search', '--agent', 'nobody'], 'the policy file declares no agent nobody; it declares coder, other'],
  [['--tool', 'search', '--agent', 'coder', '--env', 'dev'], 'no environment dev; it declares production, staging'],
  [['--tool', 'serch', '--agent', 'coder'], '; did you mean search?'],
  [['--tool', 'search', '--agent', 'coder', '--env', 'stagng'], '; did you mean staging?'],
  [['--tool', 'search', '--agent', 'coder', '--env', 'toString'], 'no environment toString'],
  [['--tool', 'search', '--agent', 'coder', '--origin', 'gh'], 'there is no origin gh: it is local or mcp::<server>'],
  [['--agent', 'coder'], 'give --tool'],
  [['--tool', 'search'], 'name the agent with --agent: coder, other'],
])('%j is refused in one line', async (argv, says) => {
  const ran = await guardrails(...argv);
  expect(ran).toMatchObject({ code: 2, out: '' });
  expect(ran.err).toContain(says);
  expect(ran.err.trim().split('\n')).toHaveLength(1);
});
