/** Redeems permits with the client itself, and takes down the request and the report that it sends. */
import { CountersignClient } from '../../../shared/client/index.ts';
import type { Decision } from '../../../shared/contract/decision.ts';
import type { RedeemAnswer, RedeemRequest } from '../../../shared/contract/execution.ts';
import type { Permit } from '../../../shared/contract/permit.ts';
import { actionDigest, sha256Hex } from '../../../shared/domain/digest.ts';
import { executionError, GuardrailError } from '../../../shared/guardrails/settings/errors.ts';

const BEGAN = Date.parse('2026-11-21T09:00:01.250Z');
const TOOK_MS = 250;

const ACTIONS = {
  plain: { toolName: 'Refund', input: { orderId: 'o-1', amount: 25.5 } },
  'in a folder that moved': { toolName: 'Bash', input: { command: 'git status' }, cwd: '/srv/app' },
  'of a sub-agent': { toolName: 'Task', input: { prompt: 'look' }, starts: { agentId: 'helper', sessionId: 's-2' } },
} as const;

const GRANTED = {
  granted: true,
  redemptionId: 'r-1',
  idempotencyKey: sha256Hex('key').slice(0, 32),
  effect: 'NonIdempotentWrite',
  timeoutMs: 8000,
  deadlineAt: '2026-11-21T09:00:09.250Z',
  reportBy: '2026-11-21T09:01:09.250Z',
} as const satisfies RedeemAnswer;
const REFUSED: RedeemAnswer = {
  granted: false,
  permit: 'usable',
  error: {
    category: 'PolicyError',
    code: 'RateLimited',
    message: 'Too many calls of Refund (ratePerSecond 0.01, burst 1). Nothing was run. Try again in 90000 ms.',
    details: { scope: 'tool', throttlingScope: 'Refund', retryAfterMs: 90_000 },
    isRetryable: true,
  },
};

/** `unknown`: an error of the tool's own. `failed`: the tool knows that nothing happened. `late`: it never ends. */
type Ending = 'succeeds' | 'unknown' | 'failed' | 'late';

const PROPOSAL = 'run-7:call_1';

async function vector(name: string, action: keyof typeof ACTIONS, answer: RedeemAnswer, ending: Ending) {
  const call = ACTIONS[action];
  const digest = actionDigest(call);
  const permit = {
    permitId: sha256Hex(`permit of ${digest}`).slice(0, 32),
    actionDigest: digest,
    permitEpoch: 0,
    issuedAt: '2026-11-21T09:00:00.000Z',
    expiresAt: '2026-11-21T09:15:00.000Z',
  };
  const movedLinks = 'cwd' in call ? { [call.cwd]: '/srv/other' } : {};
  const folders = ['/srv/app', '/srv/other'];
  let request: RedeemRequest | undefined;
  let report: unknown = null;
  let now = BEGAN;
  const client = new CountersignClient({
    agent: 'coder',
    deployment: 'prod',
    queue: { publish: async () => undefined },
    reader: { read: async () => ({ verdict: 'allow', decision: decisionWith(permit) }) },
    redeemer: {
      async redeem(asked) {
        request = asked;
        return answer;
      },
    },
    outcomes: {
      async publish(body) {
        report = JSON.parse(body);
      },
    },
    clock: { now: () => now },
    realPath: async () => folders.shift(),
    sleep: (_, signal) =>
      ending === 'late'
        ? Promise.resolve()
        : new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  });
  const tool = async () => {
    now += ending === 'late' ? GRANTED.timeoutMs : TOOK_MS;
    if (ending === 'unknown') throw new Error('the connection broke');
    if (ending === 'failed') throw executionError('The order is closed.', { code: 'OrderClosed' });
    if (ending === 'late') await new Promise(() => undefined);
  };
  const { toolName, input, ...more } = call;
  const error = await client
    .gate(toolName, tool)(input, { ...more, id: PROPOSAL })
    .then(
      () => null,
      (thrown: unknown) => (thrown instanceof GuardrailError ? { code: thrown.code, category: thrown.category } : null),
    );
  const asked = { proposalId: PROPOSAL, callId: 'call', call, permit, movedLinks };
  return { name, agent: 'coder', ...asked, request, answer, ending, error, report };
}

function decisionWith(permit: Permit): Decision {
  const verdict = {
    outcome: 'approved',
    message: 'A rule allows it.',
    reasonCode: 'rule',
    decidedBy: { type: 'rule', id: 'project:1' },
    actionDigest: permit.actionDigest,
  } as const;
  return {
    schemaVersion: '2026-11-01',
    proposalId: PROPOSAL,
    ...verdict,
    policyVersion: sha256Hex('policy'),
    decidedAt: '2026-11-21T09:00:00.000Z',
    calls: [{ id: 'call', ...verdict, permit }],
  };
}

export const permitVectors = () =>
  Promise.all([
    vector('granted, and it succeeds', 'plain', GRANTED, 'succeeds'),
    vector('granted in a folder that leads elsewhere now', 'in a folder that moved', GRANTED, 'succeeds'),
    vector('granted for what starts a sub-agent', 'of a sub-agent', GRANTED, 'succeeds'),
    vector('granted, and the tool throws', 'plain', GRANTED, 'unknown'),
    vector('granted, and the tool knows that it did nothing', 'plain', GRANTED, 'failed'),
    vector('granted, and the tool does not end in time', 'plain', GRANTED, 'late'),
    vector('refused', 'plain', REFUSED, 'succeeds'),
  ]);
