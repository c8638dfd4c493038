/** Exchanges messages between an agent and the gate: proposals one way, decisions the other. */
import type { Decision } from '../contract/decision.ts';
import { LIMITS, MESSAGE_VERSIONS } from '../contract/primitives.ts';
import type { Proposal } from '../contract/proposal.ts';
import { pidOf } from '../domain/digest.ts';
import { durationMs } from '../domain/duration.ts';
import { readProposal } from '../domain/read-proposal.ts';
import { unreadableId } from '../domain/reserved-ids.ts';
import type { CallOptions, PendingCall, ProposedCall } from './calls.ts';
import { DigestMismatchError, InvalidProposalError, NoDecisionError } from './errors.ts';
import type { Options } from './options.ts';
import { sendable, withoutGaps } from './sending.ts';
import { SentProposals } from './sent-proposals.ts';
import { type WaitOptions, waitForDecision } from './wait.ts';

/** A proposal may wait in its queue, and its end may be told, for so long beyond the time that people have. */
const GRACE_MS = 15 * 60_000;

export class Exchange {
  readonly #options: Options;
  readonly #sent = new SentProposals();
  /** Whether the gate has recorded anything under this deployment's name yet. */
  #isKnown = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Waits, and unless the caller leaves it to others withdraws what nobody waits for any more. */
  async waitOrWithdraw(
    proposalId: string,
    { onAbort, ...options }: WaitOptions & Pick<CallOptions, 'onAbort'>,
  ): Promise<Decision> {
    try {
      return await this.wait(proposalId, options);
    } catch (error) {
      const isGivenUp = error instanceof NoDecisionError || options.signal?.aborted;
      // Nobody may approve now what this process no longer waits for. The reason why it stopped is worth more than this one's failure.
      if (isGivenUp && onAbort !== 'leave')
        await this.cancel(proposalId, 'the agent no longer waits').catch(() => undefined);
      throw error;
    }
  }

  /** Sends one call, and gives its input as it crossed the wire. */
  async propose(
    call: ProposedCall,
  ): Promise<{ readonly proposalId: string; readonly input: Readonly<Record<string, unknown>> }> {
    const { newId, sessionId } = this.#options;
    const { toolName, input, toolCallId = 'call', cwd, ...envelope } = withoutGaps(call);
    const one = { id: toolCallId, toolName, input: sendable(input, 'input'), ...(cwd === undefined ? {} : { cwd }) };
    const stated = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'tool-call', proposalId: newId(), sessionId };
    const proposal = await this.send({ ...stated, ...envelope, calls: [one] });
    const [sent] = proposal.kind === 'tool-call' ? proposal.calls : [];
    return { proposalId: proposal.proposalId, input: sent?.input as Readonly<Record<string, unknown>> };
  }

  /** Sends exactly the bytes that the gate's own reader took, and resolves with what it read in them. */
  async send(message: Readonly<Record<string, unknown>>): Promise<Proposal> {
    const { queue, agent, clock } = this.#options;
    const now = clock.now();
    const raw = JSON.stringify(sendable({ ...message, sentAt: new Date(now).toISOString() }, ''));
    const read = readProposal(raw, now);
    if (!read.ok) throw new InvalidProposalError(read.fault);
    await queue.publish(raw, agent);
    this.#sent.remember(read.proposal, raw, now);
    return read.proposal;
  }

  /** As the client's `cancel`. */
  async cancel(proposalId: string, reason?: string): Promise<void> {
    const { newId } = this.#options;
    const envelope = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'cancel', proposalId: newId() };
    await this.send({ ...envelope, cancels: proposalId, ...(reason ? { reason } : {}) });
  }

  /** As the client's `wait`. */
  async wait(proposalId: string, { timeout, signal }: WaitOptions = {}): Promise<Decision> {
    const { agent, deployment, reader, clock, sleep, random } = this.#options;
    const timeoutMs = timeout === undefined ? undefined : durationMs(timeout, 'timeout');
    const sent = this.#sent.get(proposalId);
    const longest = (sent?.endsAt ?? clock.now() + LIMITS.approvalMs) + GRACE_MS - clock.now();
    const awaited = {
      agent,
      proposalId,
      pid: pidOf(deployment, agent, proposalId),
      unreadablePid: sent && pidOf(deployment, agent, unreadableId(sent.rawDigest)),
      // Another process may have sent it long ago; and a gate that has answered before is behind now, not unknown.
      mayBeUnknown: sent !== undefined && !this.#isKnown,
    };
    const ports = { reader, clock, sleep, random };
    const decision = await waitForDecision(awaited, timeoutMs ?? Math.max(0, longest), signal, ports);
    this.#isKnown = true;
    for (const call of sent?.digests ? decision.calls : []) {
      // Of a call with an effective input the decision names what was proposed beside what may run.
      const about = call.effective ? call.effective.proposedDigest : call.actionDigest;
      if (about !== null && about !== sent?.digests?.get(call.id)) throw new DigestMismatchError(proposalId);
    }
    return decision;
  }

  /** As the client's `pending`. */
  async *pending({ signal }: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<PendingCall> {
    const { agent, deployment, reader, clock } = this.#options;
    for (const [proposalId, { proposedAt, endsAt, toolName, title }] of this.#sent.all()) {
      signal?.throwIfAborted();
      const pid = pidOf(deployment, agent, proposalId);
      const claim = await reader.read(agent, pid, 'evaluated');
      const isAsked = claim?.verdict === 'ask';
      const decided = claim?.decision ?? (isAsked ? (await reader.read(agent, pid, 'decided'))?.decision : undefined);
      if (decided || clock.now() > endsAt + GRACE_MS) continue;
      const named = { ...(toolName === undefined ? {} : { toolName }), ...(title === undefined ? {} : { title }) };
      yield { proposalId, ...named, proposedAt: new Date(proposedAt), until: new Date(endsAt), isAsked };
    }
  }
}
