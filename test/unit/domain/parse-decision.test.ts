/** Checks that a decision is read from JSON, and that a wrong field is named. */
import { describe, expect, test } from 'vitest';
import { EXAMPLES } from '../../../shared/contract/examples.ts';
import { parseDecision } from '../../../shared/domain/proposal/parse-decision.ts';

const [decision] = EXAMPLES.decision;

test('reads a decision, also one with properties of a later version', () => {
  const later = { ...decision, comment: 'new', decidedBy: { ...decision.decidedBy, team: 'T1' } };
  expect(parseDecision(JSON.stringify(decision))).toEqual(decision);
  expect(parseDecision(JSON.stringify(later))).toEqual(later);
});

describe('names the field that is wrong', () => {
  test.each([
    ['', 'no JSON'],
    ['', '{"outcome":"denied","outcome":"approved"}'],
    ['schemaVersion', '{}'],
    ['outcome', JSON.stringify({ ...decision, outcome: 'aproved' })],
    ['decidedBy.type', JSON.stringify({ ...decision, decidedBy: { type: 'model', id: 'x' } })],
    ['calls[0].id', JSON.stringify({ ...decision, calls: [{ ...decision.calls[0], id: '' }] })],
  ])('%s', (field, text) => {
    expect(() => parseDecision(text)).toThrow(expect.objectContaining({ code: 'invalid_decision', field }));
  });
});
