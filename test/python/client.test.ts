/** The Python client: its suites against a gate on this machine, its types and its style. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate } from './gate.ts';
import type { GateServer } from './gate-server.ts';
import { CLIENT, lightPython, runPython, SUITES } from './packages.ts';

const EXAMPLE = 'test/examples/agent.py';

let python: string;
let gate: GateServer;
beforeAll(async () => {
  python = await lightPython();
  gate = await startGate();
});
afterAll(() => gate?.close());

test('the suites pass, the vectors among them', async () => {
  const ran = await runPython(
    python,
    ['-W', 'error', '-m', 'unittest', 'discover', '-s', `${SUITES}/suite`, '-t', SUITES],
    gate.environmentOf('coder'),
  );
  expect(ran.output.split('\n').slice(-3)).toEqual([expect.stringMatching(/^Ran (?:[4-9]\d|\d{3}) tests/), '', 'OK']);
  expect(ran.code).toBe(0);
});

test('mypy finds nothing under --strict, in client, adapters and suites', async () => {
  const files = [`${CLIENT}/countersign`, `${SUITES}/suite`, EXAMPLE];
  const ran = await runPython(python, ['-m', 'mypy', '--config-file', `${CLIENT}/pyproject.toml`, ...files]);
  expect(ran.output).toMatch(/^Success/);
});

test.each([['check'], ['format', '--check']])('ruff %s finds nothing', async (...command) => {
  const config = ['--config', `${CLIENT}/pyproject.toml`];
  const ran = await runPython(python, ['-m', 'ruff', ...command, '--no-cache', ...config, CLIENT, SUITES, EXAMPLE]);
  expect(ran).toMatchObject({ code: 0 });
});
