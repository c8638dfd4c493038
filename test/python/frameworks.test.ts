/** Checks the adapters with real frameworks and fake models, offline: each passes one contract. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startGate } from './gate.ts';
import type { GateServer } from './gate-server.ts';
import { CLIENT, frameworksPython, runPython, SUITES } from './packages.ts';

let python: string;
let gate: GateServer;
beforeAll(async () => {
  python = await frameworksPython();
  gate = await startGate();
});
afterAll(() => gate?.close());

/** Nothing leaves this machine, whatever a framework reports by default. */
const OFFLINE = {
  HTTP_PROXY: 'http://127.0.0.1:9',
  HTTPS_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1',
  LANGSMITH_TRACING: 'false',
  OPENAI_AGENTS_DISABLE_TRACING: '1',
};

test.each(['langgraph', 'openai_agents', 'pydantic_ai'])('the adapter of %s passes the contract', async (name) => {
  const discover = ['discover', '-s', `${SUITES}/frameworks`, '-t', SUITES, '-p', `test_${name}.py`];
  const ran = await runPython(
    python,
    ['-m', 'unittest', ...discover],
    { ...gate.environmentOf('coder'), ...OFFLINE },
    100_000,
  );
  expect(ran.output.split('\n').slice(-3)).toEqual([expect.stringMatching(/^Ran (?:9|[12]\d) tests/), '', 'OK']);
});

test('mypy finds nothing in the adapters under --strict', async () => {
  const files = [`${CLIENT}/countersign`, `${SUITES}/frameworks`];
  const config = ['--config-file', `${CLIENT}/pyproject.toml`];
  const ran = await runPython(python, ['-m', 'mypy', ...config, ...files], {}, 110_000);
  expect(ran.output).toMatch(/^Success/);
});
