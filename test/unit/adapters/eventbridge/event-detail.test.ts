/**
 * Checks the words of events: CloudEvents 1.0 beside the earlier words.
 *
 * The same event has the same id, and no event has the text of a tool.
 */
import { describe, expect, test } from 'vitest';
import { detailOf, readCloudEvent } from '../../../../shared/adapters/eventbridge/event-detail.ts';
import { EVENT_NAMES, EVENTS, eventTypeOf } from '../../../../shared/domain/record/event-catalogue.ts';
import type { EmittedEvent } from '../../../../shared/ports/gate-events.ts';

const AT = Date.parse('2026-11-23T05:00:00.000Z');
const CONTEXT = { deployment: 'My Shop', requestId: 'r-1' };
const decided: EmittedEvent = {
  name: 'ProposalDecided',
  eventVersion: 1,
  at: AT,
  pid: 'a'.repeat(64),
  proposalId: 'refund-17',
  agentId: 'billing',
  detail: { outcome: 'approved' },
};
const failed: EmittedEvent = {
  name: 'ToolFailed',
  eventVersion: 1,
  at: AT,
  correlationId: 'c-1',
  tool: 'Refund',
  origin: 'local',
  agentId: 'billing',
  detail: { error: { category: 'ExecutionError', code: 'ToolFailed', message: 'card 4242 was refused' } },
};
const anchored: EmittedEvent = { name: 'RecordAnchored', eventVersion: 1, at: AT, detail: { number: 3, hash: 'f' } };

describe('the detail of an event', () => {
  test('is a CloudEvent 1.0, with ids and figures as its data', () => {
    expect(readCloudEvent(detailOf(decided, CONTEXT))).toEqual({
      specversion: '1.0',
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      source: '/countersign/My%20Shop',
      type: 'dev.countersign.proposal.decided.v1',
      subject: 'refund-17',
      time: '2026-11-23T05:00:00.000Z',
      datacontenttype: 'application/json',
      data: { pid: 'a'.repeat(64), proposalId: 'refund-17', agentId: 'billing', outcome: 'approved' },
    });
  });

  test('has the id of its entry where it tells of one, whatever figures it has, and no word of it', () => {
    const ofEntry = (entry: string, more: object = {}) => detailOf({ ...decided, entry, ...more }, CONTEXT);
    const first = ofEntry('billing#1#decided', { detail: { outcome: 'approved', latencyMs: 4 } });
    expect(ofEntry('billing#1#decided')['id']).toBe(first['id']);
    expect(ofEntry('billing#2#decided')['id']).not.toBe(first['id']);
    expect(ofEntry('billing#1#decided', { name: 'ApprovalOpened' })['id']).not.toBe(first['id']);
    expect(detailOf({ ...decided, entry: 'billing#1#decided' }, { ...CONTEXT, deployment: 'else' })['id']).not.toBe(
      first['id'],
    );
    expect(JSON.stringify(first)).not.toContain('billing#1');
  });

  test('keeps the words from before, for rules that were written for them', () => {
    expect(detailOf(decided, CONTEXT)).toMatchObject({
      event: 'ProposalDecided',
      eventVersion: 1,
      pid: 'a'.repeat(64),
      agentId: 'billing',
      at: '2026-11-23T05:00:00.000Z',
      deployment: 'My Shop',
      requestId: 'r-1',
      detail: { outcome: 'approved' },
    });
  });

  test('has the same id when it is told again, and another one for another event', () => {
    const idOf = (event: EmittedEvent, deployment = 'shop', requestId = 'r') =>
      detailOf(event, { deployment, requestId })['id'];
    expect(idOf(decided, 'shop', 'later')).toBe(idOf(decided));
    const others = [failed, anchored, { ...decided, at: AT + 1 }, { ...decided, detail: { outcome: 'denied' } }];
    expect(new Set([decided, ...others].map((one) => idOf(one))).size).toBe(5);
    expect(idOf(decided, 'other')).not.toBe(idOf(decided));
  });

  test('names the tool of a call, and nothing where nothing is named', () => {
    expect(detailOf(failed, CONTEXT)['subject']).toBe('Refund');
    expect(detailOf(anchored, CONTEXT)).not.toHaveProperty('subject');
    expect(detailOf({ ...decided, proposalId: null }, CONTEXT)['subject']).toBe('a'.repeat(64));
  });

  test('G37 has no text of a tool in what may leave the account', () => {
    const { data } = readCloudEvent(detailOf(failed, CONTEXT)) ?? {};
    expect(data?.['error']).toEqual({ category: 'ExecutionError', code: 'ToolFailed' });
  });

  test.each([{}, { specversion: '0.3', id: 'a', type: 'b', time: 'c' }, { specversion: '1.0', type: 'b', time: 'c' }])(
    '%j is no CloudEvent',
    (detail) => {
      expect(readCloudEvent(detail)).toBeUndefined();
    },
  );
});

test('every event has a type of its own, and a sentence', () => {
  const types = EVENT_NAMES.map((name) => eventTypeOf(name, 1));
  expect(new Set(types).size).toBe(EVENT_NAMES.length);
  for (const type of types) expect(type).toMatch(/^dev\.countersign\.[a-z]+\.[a-z-]+\.v1$/);
  expect(eventTypeOf('CircuitHalfOpen', 2)).toBe('dev.countersign.circuit.half-open.v2');
  for (const { about } of Object.values(EVENTS)) expect(about).toMatch(/^[A-Z].*\.$/);
});
