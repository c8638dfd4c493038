/**
 * Checks that the AsyncAPI document follows the contract's schemas.
 *
 * The document describes real messages and events.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import { detailOf } from '../../../shared/adapters/eventbridge/event-detail.ts';
import { WORD_NAMES } from '../../../shared/contract/json-schema.ts';
import type { EmittedEvent } from '../../../shared/ports/gate-events.ts';
import { ASYNCAPI_FILE, asyncapiDocument } from '../../docs/asyncapi/document.ts';

const document = JSON.parse(readFileSync(join(import.meta.dirname, '../../..', ASYNCAPI_FILE), 'utf8')) as {
  readonly components: { readonly schemas: Readonly<Record<string, object>> };
};
const { schemas } = document.components;

const validate = (name: string) => {
  const ajv = new Ajv({ strict: false, validateFormats: false });
  return ajv.compile(schemas[name] ?? false);
};

test('it is current', () => {
  const computed = JSON.parse(JSON.stringify(asyncapiDocument())) as unknown;
  expect(document, `${ASYNCAPI_FILE} is stale: run npm run schemas`).toEqual(computed);
});

test('every reference leads to something', () => {
  const found = [...JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path = '']) => path);
  const target = (path: string) =>
    path.split('/').reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], document);
  expect(found.length).toBeGreaterThan(60);
  expect(found.filter((path) => target(path) === undefined)).toEqual([]);
});

test('it has every word that crosses the wire by itself', () => {
  const withinOthers = ['approval', 'permit', 'audit-entry', 'journal-entry'];
  const words = WORD_NAMES.filter((name) => !withinOthers.includes(name));
  expect(Object.keys(schemas).toSorted()).toEqual([...words, 'event'].toSorted());
});

describe('its schemas', () => {
  const proposal = validate('proposal');
  test('take a proposal, and refuse one with an unknown field', () => {
    const call = { proposalId: 'p-1', toolName: 'Bash', input: { command: 'ls' } };
    expect(proposal(call)).toBe(true);
    expect(proposal({ ...call, approved: true })).toBe(false);
  });

  test.each<EmittedEvent>([
    {
      name: 'ProposalDecided',
      eventVersion: 1,
      at: 1_700_000_000_000,
      pid: null,
      proposalId: null,
      agentId: 'coder',
      detail: {},
    },
    {
      name: 'RateLimited',
      eventVersion: 1,
      at: 1_700_000_000_000,
      correlationId: 'c',
      causationId: 'p',
      tool: 'Refund',
      origin: 'gate',
      agentId: 'coder',
      detail: { retryAfterMs: 5 },
    },
  ])('take the event $name as it is put on the bus', (event) => {
    const check = validate('event');
    expect(check(detailOf(event, { deployment: 'prod', requestId: 'r' }))).toBe(true);
    expect(check({ ...detailOf(event, { deployment: 'prod' }), event: 'Other' })).toBe(false);
  });
});
