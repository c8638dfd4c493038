/** The client that agents use: propose, wait, and run a tool only with a decision in hand. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoDecisionReader } from '../adapters/dynamodb/decision-reader.ts';
import { sqsProposalQueue } from '../adapters/sqs/proposal-queue.ts';
import type { Decision } from '../contract/decision.ts';
import { SCHEMA_VERSION } from '../contract/primitives.ts';
import { type Proposal, proposal as proposalSchema, type ToolCallProposal } from '../contract/proposal.ts';
import type { SessionName } from '../contract/session.ts';
import { actionDigest, pidOf } from '../domain/digest.ts';
import type { DecisionReader, ProposalQueue } from '../ports/agent-side.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import { DigestMismatchError, NotApprovedError, PermitExpiredError } from './errors.ts';
import { type WaitOptions, waitForDecision } from './wait.ts';

export interface CountersignClientOptions {
  /** This agent's name in the deployment's policy file. */
  readonly agent: string;
  /** The deployment's name, from the stack's output `Deployment`. */
  readonly deployment: string;
  /** The stack's output `ProposalsQueueUrl`. */
  readonly queueUrl: string;
  /** The stack's output `AuditTable`. */
  readonly auditTable: string;
  /** Conversation that grants and denials are counted in. Default: `main`. */
  readonly sessionId?: string;
  /** Replaced in tests; by default SQS and DynamoDB with the process's credentials. */
  readonly queue?: ProposalQueue;
  readonly reader?: DecisionReader;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random?: () => number;
}

/** One tool call as an agent states it. */
export interface ProposedCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** Default: a new id. The same id with the same content is the same proposal, so a retry is safe. */
  readonly proposalId?: string;
  readonly toolCallId?: string;
  readonly cwd?: string;
  readonly title?: string;
  readonly description?: string;
  readonly reason?: string;
  /** ISO 8601; the wait for people ends then at the latest. */
  readonly expiresAt?: string;
  readonly state?: string;
  /** Default: the client's. What the gate remembers, such as denials and approvals for the session, is kept by session. */
  readonly sessionId?: string;
  /** The session of a sub-agent that this call starts: once it is approved, this session is its parent. */
  readonly starts?: SessionName;
}

export class CountersignClient {
  readonly #options: Required<Omit<CountersignClientOptions, 'queueUrl' | 'auditTable'>>;
  /** What was proposed, to compare decisions with before anything runs. */
  readonly #proposed = new Map<string, ReadonlyMap<string, string>>();

  constructor(options: CountersignClientOptions) {
    this.#options = {
      agent: options.agent,
      deployment: options.deployment,
      sessionId: options.sessionId ?? 'main',
      queue: options.queue ?? sqsProposalQueue(new SQSClient(), options.queueUrl),
      reader: options.reader ?? dynamoDecisionReader(new DynamoDBClient(), options.auditTable),
      clock: options.clock ?? systemClock,
      newId: options.newId ?? randomUUID,
      sleep: options.sleep ?? sleepUntil,
      random: options.random ?? Math.random,
    };
  }

  /** Proposes one call. Resolves with the proposal's id once the queue has it. @throws ZodError if a field breaks the contract. */
  async propose(call: ProposedCall): Promise<string> {
    const { toolName, input, toolCallId, cwd, proposalId, ...envelope } = call;
    const one = { id: toolCallId ?? 'call', toolName, input, ...(cwd === undefined ? {} : { cwd }) };
    return this.proposeAll([one], { ...envelope, ...(proposalId ? { proposalId } : {}) });
  }

  /** Proposes up to 20 calls that people see on one card (A24). */
  async proposeAll(
    calls: ToolCallProposal['calls'],
    envelope: Partial<Omit<ToolCallProposal, 'kind' | 'calls'>> = {},
  ): Promise<string> {
    const { newId, sessionId } = this.#options;
    const proposal = proposalSchema.parse({
      schemaVersion: SCHEMA_VERSION,
      kind: 'tool-call',
      proposalId: newId(),
      sessionId,
      ...envelope,
      calls,
    });
    await this.#send(proposal);
    this.#proposed.set(proposal.proposalId, new Map(calls.map((call) => [call.id, actionDigest(call)])));
    return proposal.proposalId;
  }

  /** Withdraws a proposal of this agent: its decision becomes `cancelled`, unless it was decided before. */
  async cancel(proposalId: string, reason?: string): Promise<void> {
    const { newId } = this.#options;
    const message = { kind: 'cancel', proposalId: newId(), cancels: proposalId, ...(reason ? { reason } : {}) };
    await this.#send(proposalSchema.parse(message));
  }

  /**
   * Waits for the decision on a proposal of this agent, whichever process sent it.
   * @throws NoDecisionError after `timeout`; DigestMismatchError if the decision is about another action than this client proposed.
   */
  async wait(proposalId: string, options: WaitOptions = {}): Promise<Decision> {
    const { agent, deployment, reader, clock, sleep, random } = this.#options;
    const pid = pidOf(deployment, agent, proposalId);
    const decision = await waitForDecision(agent, proposalId, pid, options, { reader, clock, sleep, random });
    const proposed = this.#proposed.get(proposalId);
    for (const call of decision.calls) {
      const digest = proposed?.get(call.id);
      if (proposed && call.actionDigest !== null && call.actionDigest !== digest)
        throw new DigestMismatchError(proposalId);
    }
    return decision;
  }

  /**
   * Wraps a tool: each call is proposed, waited for, and run only with an approval whose permit is for exactly this input.
   * The wrapped function throws `NotApprovedError` with the message for the model in every other case.
   */
  gate<Input extends Readonly<Record<string, unknown>>, Output>(
    toolName: string,
    run: (input: Input) => Promise<Output> | Output,
    options: WaitOptions & Omit<ProposedCall, 'toolName' | 'input' | 'proposalId'> = {},
  ): (input: Input) => Promise<Output> {
    const { timeout, signal, ...call } = options;
    return async (input) => {
      // What runs is what was proposed, also if the caller changes its object meanwhile.
      const exact = structuredClone(input);
      const proposalId = await this.propose({ ...call, toolName, input: exact });
      const decision = await this.wait(proposalId, { timeout, signal });
      this.assertRunnable(decision, proposalId, { toolName, input: exact, cwd: call.cwd });
      return run(exact);
    };
  }

  /** @throws NotApprovedError, DigestMismatchError or PermitExpiredError unless `action` may run now. */
  assertRunnable(decision: Decision, proposalId: string, action: Parameters<typeof actionDigest>[0]): void {
    const digest = actionDigest(action);
    if (decision.outcome !== 'approved') throw new NotApprovedError(decision);
    const permit = decision.calls.find((call) => call.outcome === 'approved' && call.actionDigest === digest)?.permit;
    if (!permit || permit.actionDigest !== digest) throw new DigestMismatchError(proposalId);
    if (this.#options.clock.now() >= Date.parse(permit.expiresAt)) throw new PermitExpiredError(proposalId);
  }

  async #send(proposal: Proposal): Promise<void> {
    const { queue, agent, clock } = this.#options;
    await queue.publish(JSON.stringify({ ...proposal, sentAt: new Date(clock.now()).toISOString() }), agent);
  }
}

async function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {});
}
