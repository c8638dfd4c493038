/** Checks names of shared counters, and how they are written. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { budgetKey, circuitKey, toolRateKey } from '../../../../shared/guardrails/settings/keys.ts';

test('GR-029 a key holds a whole SHA-256, and no two choices of names give the same', () => {
  const keys = [
    circuitKey({ origin: 'local', toolName: 'a' }),
    circuitKey({ origin: 'loca', toolName: 'la' }),
    toolRateKey({ origin: 'local', toolName: 'a' }, 'agent:x'),
    toolRateKey({ origin: 'local', toolName: 'aagent:x' }, ''),
    budgetKey('agent:x', 'time'),
    budgetKey('agent:xt', 'ime'),
  ];
  expect(new Set(keys).size).toBe(keys.length);
  for (const key of keys) expect(key).toMatch(/^[a-z]+#[0-9a-f]{64}$/);
});

test('GR-012 no adapter reads a counter and puts it back: every change is one conditional update', () => {
  const folder = new URL('../../../../shared/adapters/dynamodb/guardrails/', import.meta.url);
  const sources = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  expect(sources.length).toBeGreaterThan(0);
  for (const source of sources) expect(source).not.toMatch(/PutItemCommand|TransactWrite|BatchWrite/);
  const budgets = readFileSync(new URL('budgets.ts', folder), 'utf8');
  expect(budgets).toContain('spent <= :most');
});
