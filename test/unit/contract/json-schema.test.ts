/** Checks the published JSON Schemas: their ids, their parts, and examples that each takes. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import { policyFileSchema } from '../../../shared/config/json-schema.ts';
import { schemaFiles } from '../../../shared/config/write-schemas.ts';
import { EXAMPLES } from '../../../shared/contract/examples.ts';
import { WORD_NAMES, wordSchema } from '../../../shared/contract/json-schema.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';

test.each([...schemaFiles()])('%s is current', (path, text) => {
  const committed = JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as unknown;
  expect(committed, `${path} is stale: run npm run schemas`).toEqual(JSON.parse(text));
});

test('countersign.yaml names its schema', () => {
  const [first] = readFileSync(new URL('../../../countersign.yaml', import.meta.url), 'utf8').split('\n');
  expect(first).toBe('# yaml-language-server: $schema=shared/config/countersign.schema.json');
});

describe('the schema of a proposal, read back by another reader', () => {
  const schema = z.fromJSONSchema(wordSchema('proposal') as Parameters<typeof z.fromJSONSchema>[0]);
  const call = { toolName: 'Bash', input: { command: 'ls' } };
  test.each([
    [{ proposalId: 'p', ...call }],
    [{ proposalId: 'p', kind: 'tool-call', ...call, toolCallId: 'c', cwd: '/' }],
    [{ proposalId: 'p', calls: [{ id: 'c', ...call }] }],
    [{ proposalId: 'p', kind: 'cancel', cancels: 'q' }],
    [{ proposalId: 'p', kind: 'input-request', question: 'Which one?' }],
  ])('takes what the gate takes: %j', (message) => {
    expect(schema.safeParse(message).success).toBe(true);
    expect(readProposal(JSON.stringify(message), 0).ok).toBe(true);
  });

  test.each([
    [{ ...call }],
    [{ proposalId: 'p', ...call, bogus: 1 }],
    [{ proposalId: 'no blanks', ...call }],
    [{ proposalId: 'p', calls: [] }],
    [{ proposalId: 'p', kind: 'other', ...call }],
    [{ proposalId: 'p', ...call, schemaVersion: '1999-01-01' }],
  ])('refuses what the gate refuses: %j', (message) => {
    expect(schema.safeParse(message).success).toBe(false);
    expect(readProposal(JSON.stringify(message), 0).ok).toBe(false);
  });
});

test('the schema of the policy file has an id of its own', () => {
  const ids = WORD_NAMES.map((name) => wordSchema(name)['$id']);
  expect(policyFileSchema()['$id']).toBe('urn:countersign:schema:policy-file');
  expect(ids).not.toContain(policyFileSchema()['$id']);
});

describe.each([...WORD_NAMES])('the schema of %s', (name) => {
  const published = wordSchema(name);
  const schema = z.fromJSONSchema(published as Parameters<typeof z.fromJSONSchema>[0]);

  test('has an id of its own, and examples that it takes', () => {
    expect(published['$id']).toBe(`urn:countersign:schema:${name}:2026-11-01`);
    expect(published['examples']).toEqual(EXAMPLES[name]);
    expect(EXAMPLES[name].length).toBeGreaterThan(0);
    for (const example of EXAMPLES[name]) expect(schema.safeParse(example).error?.issues).toBeUndefined();
  });

  test('names its parts once, in $defs', () => {
    expect(Object.keys(published['$defs'] ?? {})).toContain('Identifier');
    expect(JSON.stringify(published)).not.toContain('__schema');
  });

  test('cites no id that its reader cannot look up', () => {
    expect(JSON.stringify(published)).not.toMatch(/\((?:R\d-\d{3}|AU-\d{3}|[DAG]\d{1,3}\b)/);
  });
});

test.each(['decision', 'approval', 'permit', 'call-result', 'redeem-answer', 'audit-entry', 'journal-entry'] as const)(
  'a reader of %s takes properties that a later version adds, at any depth',
  (name) => {
    const schema = z.fromJSONSchema(wordSchema(name) as Parameters<typeof z.fromJSONSchema>[0]);
    expect(JSON.stringify(wordSchema(name))).not.toContain('"additionalProperties":false');
    for (const example of EXAMPLES[name]) expect(schema.safeParse(later(example)).success).toBe(true);
  },
);

test('a reader of what the gate sends takes a value that a later version adds to an enum, and knows those of today', () => {
  const [example = {}] = EXAMPLES.decision as readonly Record<string, unknown>[];
  const decision = wordSchema('decision') as Parameters<typeof z.fromJSONSchema>[0];
  const later = { ...example, outcome: 'postponed', decidedBy: { type: 'committee', id: 'c1' } };
  expect(z.fromJSONSchema(decision).safeParse(later).success).toBe(true);
  expect(z.fromJSONSchema(decision).safeParse({ ...example, outcome: 7 }).success).toBe(false);
  expect(wordSchema('decision')).toMatchObject({
    properties: { outcome: { anyOf: [{ enum: expect.arrayContaining(['approved', 'denied']) }, { type: 'string' }] } },
  });
});

test('a value that a word of agents does not have is refused', () => {
  const [example = {}] = EXAMPLES.proposal as readonly Record<string, unknown>[];
  const proposal = z.fromJSONSchema(wordSchema('proposal') as Parameters<typeof z.fromJSONSchema>[0]);
  expect(proposal.safeParse({ ...example, urgency: 'whenever' }).success).toBe(false);
});

test.each(['proposal', 'outcome', 'execution-request', 'redeem-request', 'operation'] as const)(
  'the schema of %s, which comes in, names a property that it does not know',
  (name) => {
    const schema = z.fromJSONSchema(wordSchema(name) as Parameters<typeof z.fromJSONSchema>[0]);
    for (const example of EXAMPLES[name]) expect(schema.safeParse({ ...example, comment: 'x' }).success).toBe(false);
  },
);

/** The value with one more property in each of its objects. */
function later(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(later);
  if (typeof value !== 'object' || value === null) return value;
  return { ...Object.fromEntries(Object.entries(value).map(([key, each]) => [key, later(each)])), comment: 'later' };
}

test('the schema of the policy file takes the one of this repository, and names a misspelt key', () => {
  const schema = z.fromJSONSchema(policyFileSchema() as Parameters<typeof z.fromJSONSchema>[0]);
  const file = parse(readFileSync(new URL('../../../countersign.yaml', import.meta.url), 'utf8')) as object;
  expect(schema.safeParse(file).success).toBe(true);
  expect(schema.safeParse({ ...file, rulez: {} }).error?.issues[0]).toMatchObject({ keys: ['rulez'] });
});
