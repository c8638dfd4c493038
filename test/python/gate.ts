/**
 * Runs the gate that the Python suites propose to.
 *
 * Has rules, and a person who answers as each input asks for.
 */
import type { Approver } from '../../shared/testing/index.ts';
import { type GateServer, startGateServer } from './gate-server.ts';

const POLICY = `
people:
  olga: { team: T1, user: U1, name: Olga }
  alice: { team: T1, user: U2, name: Alice }
agents:
  coder: { owner: olga }
channels:
  approvals: { team: T1, id: C1 }
approvers:
  platform: { members: [olga, alice], channel: approvals }
approvals:
  approvers: platform
  timeout: 1h
  # The suites ask faster than people answer.
  newCards: { burst: 1000, perMinute: 600 }
rules:
  deny: [Delete]
  ask: [Refund]
  allow: [Lookup, Slow]
tools:
  Slow: { permissions: [Network] }
  Lookup: { permissions: [Network] }
guardrails:
  tools:
    Slow: { timeoutMs: 300 }
`;

/** `input.person` is the answer of the person; without it nobody answers. */
const alice: Approver = ({ proposal, round }) => {
  if (proposal.kind === 'input-request')
    return proposal.choices ? { choice: 'respond', answer: proposal.choices.at(-1) ?? '' } : undefined;
  const [call] = proposal.kind === 'tool-call' ? proposal.calls : [];
  const { person, ...input } = (call?.input ?? {}) as Readonly<Record<string, unknown>>;
  switch (person) {
    case 'approves':
      return { choice: 'approve' };
    case 'rejects':
      return { choice: 'reject', reason: 'Too much for one order.' };
    case 'edits':
      // An edited call is asked about anew, in its edited form.
      return round > 1 ? { choice: 'approve' } : { choice: 'edit', input: { ...input, amount: 5 } };
    case 'answers':
      return { choice: 'respond', answer: 'Use the voucher instead.' };
    default:
      return undefined;
  }
};

export const startGate = (approver: Approver = alice): Promise<GateServer> =>
  startGateServer({ policy: POLICY, approver });
