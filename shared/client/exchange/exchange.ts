/** Exchanges messages between an agent and the gate: proposals one way, decisions the other. */
import { isIdentifier, LIMITS, MESSAGE_VERSIONS } from '../../contract/bounds.ts';
import type { Decision } from '../../contract/decision.ts';
import type { Proposal } from '../../contract/proposal.ts';
import { pidOf } from '../../domain/digest.ts';
import { durationMs } from '../../domain/duration.ts';
import type { readProposal } from '../../domain/proposal/read-proposal.ts';
import { unreadableId } from '../../domain/proposal/reserved-ids.ts';
import { list, record } from '../../domain/settings.ts';
import type { ReadDecision } from '../../ports/agent-side.ts';
import type { CallOptions } from '../calls/call-options.ts';
import type { PendingCall, ProposedCall } from '../calls/calls.ts';
import { DigestMismatchError, InvalidProposalError, isUndecided, NoDecisionError } from '../calls/errors.ts';
import type { Options } from '../calls/options.ts';
import { OpenWaits } from './open-waits.ts';
import { pendingCalls } from './pending.ts';
import { checkInputs, inFieldsOfCall, inFieldsOfCancel, sendable, withoutGaps, withPart } from './sending.ts';
import { SentProposals } from './sent-proposals.ts';
import type { Part } from './together.ts';
import { type Until, type WaitOptions, waitForRow } from './wait.ts';

/** Loaded with the first proposal: the schemas of messages are most of what this package loads. */
let read: typeof readProposal | undefined;

/** A proposal may wait in its queue, and its end may be told, for so long beyond the time that people have. */
const GRACE_MS = 15 * 60_000;
/** A gate that works has recorded at least its claim by then. */
const UNANSWERED_MS = 50_000;

export interface SentCall {
  readonly proposalId: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Nothing is ever decided under such an id: the wait would last for a month. */
const NO_ID = {
  code: 'invalid_proposal',
  message: 'proposalId: must be 1 to 128 of A-Z a-z 0-9 . _ : -',
  field: 'proposalId',
} as const;

export class Exchange {
  readonly #options: Options;
  readonly #sent = new SentProposals();
  readonly #waits: OpenWaits;
  /** Batches on their way, by the id of the proposal. */
  readonly #sending = new Map<string, Promise<Proposal>>();
  /** Whether the gate has recorded anything under this deployment's name yet. */
  #isKnown = false;

  constructor(options: Options, waits = new OpenWaits()) {
    this.#options = options;
    this.#waits = waits;
  }

  /** Waits, and unless the caller leaves it to others withdraws what nobody waits for any more. */
  async waitOrWithdraw(proposalId: string, options: WaitOptions & Pick<CallOptions, 'onAbort'>): Promise<Decision> {
    return this.#unlessGivenUp(proposalId, options, () => this.wait(proposalId, options));
  }

  async #unlessGivenUp<Row>(
    proposalId: string,
    { onAbort, signal }: WaitOptions & Pick<CallOptions, 'onAbort'>,
    wait: () => Promise<Row>,
  ): Promise<Row> {
    const withdrawn = async (error: unknown): Promise<never> => {
      const isGivenUp = error instanceof NoDecisionError || this.#waits.until(signal).aborted;
      let isOpen = onAbort === 'leave';
      // Nobody may approve now what this process no longer waits for. The reason why it stopped is worth more than this one's failure.
      if (isGivenUp && !isOpen && !this.#waits.isAwaited(proposalId))
        isOpen = await this.#withdraw(proposalId, 'the agent no longer waits').then(
          () => false,
          () => true,
        );
      // The last of several calls on a card that waits withdraws it: none of them is waited for again.
      throw !isOpen && isUndecided(error) ? new NoDecisionError(proposalId, { isGivenUp: true }) : error;
    };
    return this.#waits.keep(this.#waits.on(proposalId, wait()).catch(withdrawn));
  }

  /** Sends a proposal of the kind, and resolves with its id. */
  async stated(kind: string, envelope: object, fields: object): Promise<string> {
    record(envelope, 'envelope');
    if ('calls' in fields) list(fields.calls, 'calls');
    const { newId, sessionId } = this.#options;
    const own = { schemaVersion: MESSAGE_VERSIONS[0], kind, proposalId: newId(), sessionId };
    return (await this.send({ ...own, ...withoutGaps(envelope), ...fields })).proposalId;
  }

  /** As `propose`, without sending again what this process has sent under the same id. */
  async proposeOnce(call: ProposedCall): Promise<SentCall> {
    const { proposalId = '', toolName, cwd, starts } = call;
    if (!this.#sent.get(proposalId)?.digests) return this.propose(call);
    const input = sendable(call.input, 'input') as SentCall['input'];
    const isSame = this.#sent.isSameCall(proposalId, { toolName, input, cwd, starts });
    return isSame ? { proposalId, input } : this.propose(call);
  }

  /** Sends the batch of a call, unless this process has sent exactly this one. */
  async proposeTogether({ batch, callId }: Part): Promise<SentCall | undefined> {
    const { proposalId, calls, envelope } = batch;
    const own = calls.find(({ id }) => id === callId);
    if (!own) return undefined;
    const { sessionId } = this.#options;
    const sent = { proposalId, input: own.input as SentCall['input'] };
    // The calls of one turn come here side by side.
    for (let other = this.#sending.get(proposalId); other; other = this.#sending.get(proposalId))
      await other.catch(() => undefined);
    if (this.#sent.isSame(batch)) return sent;
    const message = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'tool-call', sessionId, ...withoutGaps(envelope) };
    const sending = this.send({ ...message, proposalId, calls });
    this.#sending.set(proposalId, sending);
    await sending.finally(() => this.#sending.delete(proposalId));
    return sent;
  }

  /** Sends one call, and gives its input as it crossed the wire. */
  async propose(call: ProposedCall): Promise<SentCall> {
    const { newId, sessionId } = this.#options;
    const { toolName, input, toolCallId = 'call', cwd, annotations, ...envelope } = withoutGaps(call);
    const own = withoutGaps({ cwd, annotations });
    const one = { id: toolCallId, toolName, input: sendable(input, 'input'), ...own };
    const stated = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'tool-call', proposalId: newId(), sessionId };
    const proposal = await this.send({ ...stated, ...envelope, calls: [one] }).catch(inFieldsOfCall);
    const [sent] = proposal.kind === 'tool-call' ? proposal.calls : [];
    return { proposalId: proposal.proposalId, input: sent?.input as Readonly<Record<string, unknown>> };
  }

  /** Sends exactly the bytes that the gate's own reader took, and resolves with what it read in them. */
  async send(message: Readonly<Record<string, unknown>>): Promise<Proposal> {
    this.#waits.refuseIfClosed();
    return this.#publish(message);
  }

  async #publish(message: Readonly<Record<string, unknown>>): Promise<Proposal> {
    const { queue, agent, clock } = this.#options;
    const now = clock.now();
    const raw = JSON.stringify(sendable({ ...message, sentAt: new Date(now).toISOString() }, ''));
    read ??= (await import('../../domain/proposal/read-proposal.ts')).readProposal;
    const taken = read(raw, now);
    if (!taken.ok) throw new InvalidProposalError(await withPart(taken.fault, raw));
    checkInputs(taken.proposal);
    await queue.publish(raw, agent);
    this.#sent.remember(taken.proposal, raw, now);
    return taken.proposal;
  }

  /** As the client's `cancel`. */
  async cancel(proposalId: string, reason?: string): Promise<void> {
    this.#waits.refuseIfClosed();
    await this.#withdraw(proposalId, reason).catch(inFieldsOfCancel);
  }

  async #withdraw(proposalId: string, reason?: string): Promise<void> {
    const { newId } = this.#options;
    const envelope = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'cancel', proposalId: newId() };
    await this.#publish({ ...envelope, cancels: proposalId, ...(reason ? { reason } : {}) });
  }

  /** Waits until the gate has judged the proposal: whether it asks people. Withdraws it as `waitOrWithdraw` does. */
  async isAsked(proposalId: string, options: WaitOptions & Pick<CallOptions, 'onAbort'>): Promise<boolean> {
    const row = await this.#unlessGivenUp(proposalId, options, () => this.#row(proposalId, 'evaluated', options));
    return row.verdict === 'ask';
  }

  /** As the client's `wait`. */
  async wait(proposalId: string, options: WaitOptions = {}): Promise<Decision> {
    if (!isIdentifier(proposalId)) throw new InvalidProposalError(NO_ID);
    const { decision } = await this.#row(proposalId, 'decided', options);
    if (!decision) throw new NoDecisionError(proposalId);
    const sent = this.#sent.get(proposalId);
    for (const call of sent?.digests ? decision.calls : []) {
      // A decision about a call with an effective input names both the proposed and the effective digest.
      const about = call.effective ? call.effective.proposedDigest : call.actionDigest;
      if (about !== null && about !== sent?.digests?.get(call.id)) throw new DigestMismatchError(proposalId);
    }
    return decision;
  }

  async #row(proposalId: string, until: Until, { timeout, signal }: WaitOptions): Promise<ReadDecision> {
    const { agent, deployment, reader, clock, sleep, random } = this.#options;
    const timeoutMs = timeout === undefined ? undefined : durationMs(timeout, 'timeout');
    const sent = this.#sent.get(proposalId);
    const longest = (sent?.endsAt ?? clock.now() + LIMITS.approvalMs) + GRACE_MS - clock.now();
    const awaited = {
      agent,
      proposalId,
      pid: pidOf(deployment, agent, proposalId),
      unreadablePid: sent && pidOf(deployment, agent, unreadableId(sent.rawDigest)),
      judgedWithinMs: sent && this.#judgedWithinMs(sent.proposedAt),
    };
    const ports = { reader, clock, sleep, random };
    const row = await waitForRow(awaited, until, timeoutMs ?? Math.max(0, longest), this.#waits.until(signal), ports);
    this.#isKnown = true;
    return row;
  }

  /** A gate that has answered before is behind now, not unknown. A proposal is never judged after a day, as where a queue was emptied. */
  #judgedWithinMs(proposedAt: number): number {
    const leftMs = proposedAt + LIMITS.judgedWithinMs + GRACE_MS - this.#options.clock.now();
    // Also of a wait that begins later one failing read is not the end: people may have been asked long ago.
    return this.#isKnown ? Math.max(UNANSWERED_MS, leftMs) : UNANSWERED_MS;
  }

  /** As the client's `pending`. */
  pending(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<PendingCall> {
    return pendingCalls(this.#sent, GRACE_MS, this.#waits.until(options.signal), this.#options);
  }
}
