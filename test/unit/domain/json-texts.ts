/**
 * Makes texts near JSON for fuzzing.
 *
 * Valid ones, cut ones, spliced ones, and ones that JSON.parse would silently repair.
 */
import fc from 'fast-check';
import { unicodeText } from '../../support/unicode-text.ts';

const key = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'proposalId', 'calls', 'input', 'toolName', 'kind'),
);

const scalar = fc.oneof(
  fc.jsonValue({ maxDepth: 0 }).map((value) => JSON.stringify(value)),
  fc.constantFrom('1e999', '9007199254740993', '-0', '"\\ud800"', '"\\udc00\\ud800"', '01', 'NaN', 'undefined', "'x'"),
);

/** JSON text put together by hand, so that a key may stand there twice. */
export const jsonText: fc.Arbitrary<string> = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 6, depthIdentifier: 'json' },
    scalar,
    fc.array(tie('node'), { maxLength: 4 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(key, tie('node')), { maxLength: 4 })
      .map((entries) => `{${entries.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`),
  ),
})).node;

export const anyText: fc.Arbitrary<string> = fc.oneof(
  jsonText,
  fc.tuple(jsonText, fc.nat(60)).map(([text, cut]) => text.slice(0, cut)),
  fc.tuple(jsonText, jsonText).map(([a, b]) => `${a}${b}`),
  unicodeText({ maxLength: 80 }),
  fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
);

/** A proposal with some of its fields replaced by anything. */
export const nearProposal: fc.Arbitrary<string> = fc
  .tuple(
    fc.record(
      {
        kind: fc.constantFrom('tool-call', 'cancel', 'input-request', 'action-choice', 'wish'),
        proposalId: fc.constantFrom('p1', 'a b', '', 'x'.repeat(129)),
        toolName: fc.constantFrom('Bash', 'Read'),
        input: fc.jsonValue({ maxDepth: 2 }),
        cancels: fc.constant('p0'),
        question: fc.string({ maxLength: 10 }),
        sentAt: fc.constantFrom('2026-11-21T09:00:00Z', 'now'),
        mode: fc.constantFrom('default', 'yolo'),
        calls: fc.array(
          fc.record({
            id: fc.constantFrom('a', 'b'),
            toolName: fc.constant('Bash'),
            input: fc.jsonValue({ maxDepth: 1 }),
          }),
        ),
      },
      { requiredKeys: ['proposalId'] },
    ),
    fc.dictionary(key, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 2 }),
  )
  .map(([proposal, more]) => JSON.stringify({ ...proposal, ...more }));
