/** Checks the Python client: its suites against a gate on this machine, its types and its style. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { blocksOf, userDocuments } from '../unit/docs/documents.ts';
import { startGate } from './gate.ts';
import type { GateServer } from './gate-server.ts';
import { CLIENT, lightPython, runPython, SUITES } from './packages.ts';

const EXAMPLE = 'test/examples/agent.py';
/** The frameworks of these files are not installed here: `frameworks.test.ts` checks them. */
const ADAPTERS = '/(langgraph(_\\w+)?|openai_agents(_\\w+)?|pydantic_ai(_\\w+)?)\\.py$';

let python: string;
let gate: GateServer;
let agreeing: GateServer;
beforeAll(async () => {
  python = await lightPython();
  gate = await startGate();
  agreeing = await startGate(({ proposal }) =>
    proposal.kind === 'input-request' ? { choice: 'respond', answer: 'Berlin' } : { choice: 'approve' },
  );
});
afterAll(() => Promise.all([gate?.close(), agreeing?.close()]));

test('the suites pass, the vectors among them', async () => {
  const ran = await runPython(
    python,
    ['-W', 'error', '-m', 'unittest', 'discover', '-s', `${SUITES}/suite`, '-t', SUITES],
    gate.environmentOf('coder'),
  );
  expect(ran.output.split('\n').slice(-3)).toEqual([expect.stringMatching(/^Ran (?:[4-9]\d|\d{3}) tests/), '', 'OK']);
  expect(ran.code).toBe(0);
});

const blocks = userDocuments()
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'python');

test.each(blocks.map((block) => [`${block.file}:${block.line}`, block] as const))(
  'the example %s passes mypy --strict, and runs once people agree',
  async (_where, { text }) => {
    const checked = await runPython(python, ['-m', 'mypy', '--config-file', `${CLIENT}/pyproject.toml`, '-c', text]);
    expect(checked.output).toMatch(/^Success/);
    const ran = await runPython(python, ['-c', text], agreeing.environmentOf('coder'));
    expect(ran.output).toMatch(/^o-1 [0-9a-f]{32}\nBerlin$/);
  },
);

test('mypy finds nothing under --strict, in client and suites', async () => {
  const files = [`${CLIENT}/countersign`, `${SUITES}/suite`, EXAMPLE];
  const config = ['--config-file', `${CLIENT}/pyproject.toml`, '--exclude', ADAPTERS];
  const ran = await runPython(python, ['-m', 'mypy', ...config, ...files]);
  expect(ran.output).toMatch(/^Success/);
});

test.each([['check'], ['format', '--check']])('ruff %s finds nothing', async (...command) => {
  const config = ['--config', `${CLIENT}/pyproject.toml`];
  const ran = await runPython(python, ['-m', 'ruff', ...command, '--no-cache', ...config, CLIENT, SUITES, EXAMPLE]);
  expect(ran).toMatchObject({ code: 0 });
});
