/** Computes the test vectors of the wire with the gate's own code, for clients in other languages. */
import { InvalidProposalError } from '../../../shared/client/calls/errors.ts';
import { inFieldsOfCall } from '../../../shared/client/exchange/sending.ts';
import { LIMITS } from '../../../shared/contract/primitives.ts';
import { actionDigest, canonicalJson, idempotencyKeyOf, pidOf, sha256Hex } from '../../../shared/domain/digest.ts';
import type { Fault } from '../../../shared/domain/errors.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';
import { decisionVectors } from './decisions.ts';
import { numbers } from './numbers.ts';
import { permitVectors } from './permits.ts';

/** Path in this repository, and below `countersign/` in the package. */
export const VECTORS_FILE = 'shared/contract/schemas/vectors/wire.json';

const SENT_AT = '2026-11-21T09:00:00.000Z';

const NAMES = [
  ['prod', 'coder', 'p-1'],
  ['prod', 'coder', 'run-7:call_1'],
  ['a', 'b', 'c'],
  ['a:1', '1:b', 'c'],
  ['a', '1:b1:c', 'c'],
] as const;

const ACTIONS = [
  { toolName: 'Bash', input: { command: 'git status' } },
  { toolName: 'Bash', input: { command: 'git status' }, cwd: '/srv/app' },
  { toolName: 'Bash', input: { command: 'git status' }, cwd: '' },
  { toolName: 'Refund', input: { amount: 25, orderId: 'o-1' } },
  { toolName: 'Refund', input: { orderId: 'o-1', amount: 25 } },
  { toolName: 'Refund', input: { orderId: 'o-1', amount: 25.5, rate: 1e-7, tiny: -0 } },
  { toolName: 'Task', input: {}, starts: { agentId: 'helper', sessionId: 's-2' } },
  { toolName: 'Écrire', input: { '€': 1, '\u{1f600}': 2, '\ufb33': 3, '\r': 4, '1': 5, '\u0080': 6, ö: 7 } },
  { toolName: 'Write', input: { text: '\u0000\u001f"\\/\b\f\n\r\t\u007f\u2028', list: [null, true, [], {}, ''] } },
] as const;

const nested = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

/** Inputs as they stand in a message: the message, its calls, the call and the input are four levels already. */
const INPUTS = [
  '{}',
  '{"n":9007199254740991}',
  '{"n":9007199254740993}',
  '{"n":1e400}',
  '{"list":[1,{"x":-9007199254740992}]}',
  '{"text":"half \\ud83d"}',
  '{"half \\ude00":1}',
  '{"text":"whole \\ud83d\\ude00"}',
  '{"__proto__":1}',
  '{"constructor":{"a":1}}',
  '{"constructor":"a text"}',
  '{"a":{"prototype":{}}}',
  '[]',
  '"a text"',
  'null',
  `{"deep":${nested(LIMITS.depth - 4)}}`,
  `{"deep":${nested(LIMITS.depth - 3)}}`,
] as const;

const ENVELOPES = [
  { proposalId: 'p-1' },
  { proposalId: 'no blanks' },
  { proposalId: '' },
  { proposalId: 'x'.repeat(128) },
  { proposalId: 'x'.repeat(129) },
  { proposalId: 'slack:1' },
  { proposalId: 'unreadable:1' },
  { proposalId: 'p-1', title: '\u{1f600}'.repeat(200) },
  { proposalId: 'p-1', title: '\u{1f600}'.repeat(201) },
  { proposalId: 'p-1', description: 'x'.repeat(3001) },
  { proposalId: 'p-1', reason: 'x'.repeat(3001) },
  { proposalId: 'p-1', state: 'x'.repeat(4097) },
  { proposalId: 'p-1', sessionId: '' },
  { proposalId: 'p-1', sessionId: 'a/b' },
  { proposalId: 'p-1', expiresAt: '2026-11-21T10:00:00Z' },
  { proposalId: 'p-1', expiresAt: 'tomorrow' },
  { proposalId: 'p-1', expiresAt: '2026-13-21T10:00:00Z' },
  { proposalId: 'p-1', starts: { agentId: 'helper', sessionId: 's 2' } },
  { proposalId: 'p-1', expiresAt: '2026-11-21T23:59:60Z' },
  { proposalId: 'p-1', expiresAt: '2026-02-29T10:00:00Z' },
  { proposalId: 'p-1', expiresAt: '2026-11-21T10:00:00.0123456789Z' },
  { proposalId: 'p-1', expiresAt: '2026-11-21T10:00:00+01:00' },
  { proposalId: 'p-1', starts: { agentId: 'helper' } },
  { proposalId: 'p-1', starts: { agentId: 'helper', sessionId: 's', mode: 'plan' } },
  { proposalId: 'p-1', starts: 'helper' },
  { proposalId: 'p-1', urgency: 'urgent' },
  { proposalId: 'p-1', idempotencyKey: 'a b' },
] as const;

const CALLS = [
  { id: 'c 1', toolName: 'T', input: {} },
  { id: 'c-1', toolName: '', input: {} },
  { toolName: 'T', input: {} },
  { id: 'c-1', input: {} },
  { id: 'c-1', toolName: 'T' },
  { id: 'c-1', toolName: 'T', input: {}, cwd: 'x'.repeat(4097) },
  { id: 'c-1', toolName: 'T', input: {}, annotations: { title: 'T', readOnlyHint: true, openWorldHint: false } },
  { id: 'c-1', toolName: 'T', input: {}, annotations: { readOnlyHint: 'yes' } },
  { id: 'c-1', toolName: 'T', input: {}, annotations: { readonlyHint: true } },
  { id: 'c-1', toolName: 'T', input: {}, annotations: { title: '\u{1f600}'.repeat(201) } },
  { id: 'c-1', toolName: 'T', input: {}, annotations: [] },
] as const;

function proposalVectors() {
  const messages = [
    ...INPUTS.map((input) => [{ proposalId: 'p-1' }, `[{"id":"c-1","toolName":"T","input":${input}}]`] as const),
    ...ENVELOPES.map((envelope) => [envelope, '[{"id":"c-1","toolName":"T","input":{}}]'] as const),
    ...CALLS.map((call) => [{ proposalId: 'p-1' }, JSON.stringify([call])] as const),
  ];
  return messages.map(([envelope, calls]) => {
    const stated = JSON.stringify({ kind: 'tool-call', ...envelope, sentAt: SENT_AT });
    const json = `${stated.slice(0, -1)},"calls":${calls}}`;
    const read = readProposal(json, Date.parse(SENT_AT));
    // The gate reads an input that is no object, and answers with an error then: an agent can know it before.
    const isNoObject = read.ok && read.proposal.kind === 'tool-call' && !isObject(read.proposal.calls[0]?.input);
    if (isNoObject) return { json, code: 'invalid_proposal', message: 'input: must be an object' };
    return read.ok ? { json, code: null } : { json, code: read.fault.code, message: inWordsOfClient(read.fault) };
  });
}

/** As both clients tell it, which state one call. */
function inWordsOfClient(fault: Fault): string {
  try {
    return inFieldsOfCall(new InvalidProposalError(fault));
  } catch (error) {
    return (error as Error).message;
  }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value);

/** Everything that two clients have to compute alike. */
export async function wireVectors() {
  return {
    $comment:
      'Test vectors of the wire. numbers: the bits of a double and its text in canonical JSON (RFC 8785). proposals: code null is accepted; message is what a client says of one call. ' +
      'decisions: the attribute `decision` of a row in DynamoDB JSON, and the decision in it. permits: the request, the answer, ' +
      'the end of the tool, and the report of it.',
    numbers: numbers().map((number) => ({ bits: bitsOf(number), text: canonicalJson(number) })),
    pids: NAMES.map(([deployment, agent, proposalId]) => {
      const pid = pidOf(deployment, agent, proposalId);
      const permitId = sha256Hex(`permit of ${pid}`).slice(0, 32);
      return { deployment, agent, proposalId, pid, permitId, idempotencyKey: idempotencyKeyOf({ permitId }) };
    }),
    actions: ACTIONS.map((action) => ({
      ...action,
      canonicalInput: canonicalJson(action.input),
      digest: actionDigest(action),
    })),
    proposals: proposalVectors(),
    decisions: decisionVectors(),
    permits: await permitVectors(),
  };
}

/** Big-endian IEEE 754, in hex: a text that no reader of JSON changes. */
function bitsOf(number: number): string {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(number);
  return bytes.toString('hex');
}
