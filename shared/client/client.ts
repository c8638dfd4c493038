/** The client that agents use: propose, wait, and run a tool only with a decision in hand. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { CLIENT_OPTIONS } from '../adapters/client-options.ts';
import { dynamoDecisionReader } from '../adapters/dynamodb/decision-reader.ts';
import { dynamoResultStore } from '../adapters/dynamodb/result-store.ts';
import { lambdaRedeemer } from '../adapters/lambda/redeemer.ts';
import { sqsProposalQueue } from '../adapters/sqs/proposal-queue.ts';
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { CallDecision, Decision } from '../contract/decision.ts';
import type { CallResult } from '../contract/execution.ts';
import { LIMITS, MESSAGE_VERSIONS } from '../contract/primitives.ts';
import type { ActionChoiceProposal, Proposal, ToolCallProposal } from '../contract/proposal.ts';
import type { SessionName } from '../contract/session.ts';
import { actionDigest, pidOf, sha256Hex } from '../domain/digest.ts';
import { readProposal } from '../domain/read-proposal.ts';
import { unreadableId } from '../domain/reserved-ids.ts';
import type { DecisionReader, ProposalQueue, Redeemer } from '../ports/agent-side.ts';
import { type Clock, systemClock } from '../ports/clock.ts';
import type { ResultReader } from '../ports/result-store.ts';
import { actionOf } from './choice.ts';
import {
  DigestMismatchError,
  InvalidProposalError,
  NoDecisionError,
  NoResultError,
  NotApprovedError,
  PermitExpiredError,
  PlaceChangedError,
} from './errors.ts';
import { movedLinks, type RealPath, realPathHere } from './place.ts';
import { errorOf, type Permitted, runByGate, runUnderPermit } from './run.ts';
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
  /** The stack's outputs `ExecutionsQueueUrl` and `StateTable`: lets the gate run approved calls (`execute`). */
  readonly executionsQueueUrl?: string;
  readonly stateTable?: string;
  /**
   * The stack's outputs `RedeemFunction` and `OutcomesQueueUrl`: wrapped tools then redeem their permit first, run within the guardrails, and
   * report their outcome. The process needs `grantRedeem`.
   */
  readonly redeemFunction?: string;
  readonly outcomesQueueUrl?: string;
  /** Conversation that grants and denials are counted in. Default: `main`. */
  readonly sessionId?: string;
  /** Replaced in tests; by default SQS and DynamoDB with the process's credentials. */
  readonly queue?: ProposalQueue;
  readonly reader?: DecisionReader;
  readonly executions?: ProposalQueue;
  readonly results?: ResultReader;
  readonly redeemer?: Redeemer;
  readonly outcomes?: ProposalQueue;
  readonly clock?: Clock;
  readonly newId?: () => string;
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
  readonly random?: () => number;
  readonly realPath?: RealPath;
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

type Ports = 'executions' | 'results' | 'redeemer' | 'outcomes';
type Places = 'queueUrl' | 'auditTable' | 'executionsQueueUrl' | 'stateTable' | 'redeemFunction' | 'outcomesQueueUrl';
/** A call with its arguments. */
type WholeAction = Permitted['action'] & { readonly input: Readonly<Record<string, unknown>> };

type Options = Required<Omit<CountersignClientOptions, Places | Ports>> & {
  readonly [Port in Ports]: CountersignClientOptions[Port] | undefined;
};
/** What a choice may say besides policy, space and snapshot. */
export type ChoiceEnvelope = Partial<Omit<ActionChoiceProposal, 'kind' | 'policy' | 'actionSpace' | 'snapshot'>>;

/** What `runAgentLoop` takes as its policy. */
export interface ChoosingPolicy {
  choose(actionSpace: ActionSpace, snapshot: AgentSnapshot): Promise<Action | null>;
}

/** One proposal as this client sent it. */
interface Proposed {
  /** Action digests by call id: decisions are compared with them before anything runs. Undefined: no tool calls. */
  readonly digests: ReadonlyMap<string, string> | undefined;
  readonly rawDigest: string;
  /** Milliseconds since 1970: nobody answers it after this. */
  readonly endsAt: number;
}

/** The oldest is forgotten then: a process that proposes and never waits does not grow. */
const MAX_PROPOSED = 10_000;
/** A proposal may wait in its queue, and its end may be told, for so long beyond the time that people have. */
const GRACE_MS = 15 * 60_000;

export class CountersignClient {
  readonly #options: Options;
  readonly #proposed = new Map<string, Proposed>();

  constructor(options: CountersignClientOptions) {
    const { executionsQueueUrl, stateTable, redeemFunction, outcomesQueueUrl } = options;
    const queueAt = (url: string | undefined) =>
      url === undefined ? undefined : sqsProposalQueue(new SQSClient(CLIENT_OPTIONS), url);
    this.#options = {
      agent: options.agent,
      deployment: options.deployment,
      sessionId: options.sessionId ?? 'main',
      queue: options.queue ?? sqsProposalQueue(new SQSClient(CLIENT_OPTIONS), options.queueUrl),
      reader: options.reader ?? dynamoDecisionReader(new DynamoDBClient(CLIENT_OPTIONS), options.auditTable),
      clock: options.clock ?? systemClock,
      newId: options.newId ?? randomUUID,
      sleep: options.sleep ?? sleepUntil,
      random: options.random ?? Math.random,
      realPath: options.realPath ?? realPathHere,
      executions: options.executions ?? queueAt(executionsQueueUrl),
      results:
        options.results ??
        (stateTable ? dynamoResultStore(new DynamoDBClient(CLIENT_OPTIONS), { state: stateTable }) : undefined),
      redeemer: options.redeemer ?? (redeemFunction ? lambdaRedeemer(redeemFunction) : undefined),
      outcomes: options.outcomes ?? queueAt(outcomesQueueUrl),
    };
  }

  /**
   * Proposes one call. Resolves with the proposal's id once the queue has it.
   * @throws InvalidProposalError if the gate could not read it: nothing is sent.
   */
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
    return this.#send({
      schemaVersion: MESSAGE_VERSIONS[0],
      kind: 'tool-call',
      proposalId: newId(),
      sessionId,
      ...envelope,
      calls,
    });
  }

  /** Has a policy of the policy file choose one action of the space; resolves with the proposal's id. @throws InvalidProposalError as above. */
  async proposeChoice(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    envelope: ChoiceEnvelope = {},
  ): Promise<string> {
    const { newId, sessionId } = this.#options;
    return this.#send({
      schemaVersion: MESSAGE_VERSIONS[0],
      kind: 'action-choice',
      proposalId: newId(),
      sessionId,
      ...envelope,
      policy,
      actionSpace,
      snapshot,
    });
  }

  /**
   * Proposes a choice and waits for it: an action of `actionSpace`, or `null` for "do nothing this cycle". A refusal, silence and a changed
   * policy are `null` too; `wait` on a `proposeChoice` tells them apart. `null` as well once the time-out is over.
   * @throws NotApprovedError if the gate could not decide, as for a policy that is not declared; DigestMismatchError as `wait`.
   */
  async choose(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    { timeout, signal, ...envelope }: ChoiceEnvelope & WaitOptions = {},
  ): Promise<Action | null> {
    const id = await this.proposeChoice(policy, actionSpace, snapshot, envelope);
    try {
      return actionOf(await this.wait(id, { timeout, signal }), actionSpace);
    } catch (error) {
      if (!(error instanceof NoDecisionError)) throw error;
      // Nobody may approve now what this cycle no longer waits for.
      await this.cancel(id, 'the agent no longer waits');
      return null;
    }
  }

  /** The gate as an `AgentPolicy`, for `runAgentLoop`: each cycle is a choice of its own by `policy`. */
  policy(policy: string, options: Omit<ChoiceEnvelope, 'proposalId'> & WaitOptions = {}): ChoosingPolicy {
    return { choose: (actionSpace, snapshot) => this.choose(policy, actionSpace, snapshot, options) };
  }

  /** Withdraws a proposal of this agent: its decision becomes `cancelled`, unless it was decided before. */
  async cancel(proposalId: string, reason?: string): Promise<void> {
    const { newId } = this.#options;
    const envelope = { schemaVersion: MESSAGE_VERSIONS[0], kind: 'cancel', proposalId: newId() };
    await this.#send({ ...envelope, cancels: proposalId, ...(reason ? { reason } : {}) });
  }

  /**
   * Waits for the decision on a proposal of this agent, whichever process sent it.
   * @throws NoDecisionError after `timeout`, and with a `cause` if decisions cannot be read; DigestMismatchError if the decision is about
   * another action than this client proposed.
   */
  async wait(proposalId: string, { timeout, signal }: WaitOptions = {}): Promise<Decision> {
    const { agent, deployment, reader, clock, sleep, random } = this.#options;
    const proposed = this.#proposed.get(proposalId);
    const longest = (proposed?.endsAt ?? clock.now() + LIMITS.approvalMs) + GRACE_MS - clock.now();
    const awaited = {
      agent,
      proposalId,
      pid: pidOf(deployment, agent, proposalId),
      unreadablePid: proposed && pidOf(deployment, agent, unreadableId(proposed.rawDigest)),
    };
    const ports = { reader, clock, sleep, random };
    const decision = await waitForDecision(awaited, timeout ?? Math.max(0, longest), signal, ports);
    for (const call of proposed?.digests ? decision.calls : []) {
      // Of a call with an effective input the decision names what was proposed beside what may run.
      const about = call.effective ? call.effective.proposedDigest : call.actionDigest;
      if (about !== null && about !== proposed?.digests?.get(call.id)) throw new DigestMismatchError(proposalId);
    }
    return decision;
  }

  /**
   * Wraps a tool: each call is proposed, waited for, and run only with an approval whose permit is for exactly this input, or for what a
   * person made of it or the gate printed of it: then it runs with `effective.input` of the decision.
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
      const { redeemer, outcomes, realPath } = this.#options;
      const place = async () => (call.cwd === undefined ? undefined : realPath(call.cwd));
      const before = await place();
      const proposalId = await this.propose({ ...call, toolName, input: exact });
      const decision = await this.wait(proposalId, { timeout, signal });
      const action = effectiveAction(decision, { toolName, input: exact, cwd: call.cwd, starts: call.starts });
      const permitted = this.assertRunnable(decision, proposalId, action);
      const fs = movedLinks(call.cwd ?? '', before, await place());
      if (redeemer && outcomes)
        return runUnderPermit({ ...permitted, fs }, () => run(action.input), { redeemer, outcomes }, this.#options);
      if (fs) throw new PlaceChangedError(proposalId);
      return run(action.input);
    };
  }

  /** @throws NotApprovedError, DigestMismatchError or PermitExpiredError unless `action` may run now. */
  assertRunnable(decision: Decision, proposalId: string, action: WholeAction): Permitted {
    const digest = actionDigest(action);
    if (decision.outcome !== 'approved') throw new NotApprovedError(decision);
    const call = decision.calls.find((one) => one.outcome === 'approved' && one.actionDigest === digest);
    if (call?.permit?.actionDigest !== digest) throw new DigestMismatchError(proposalId);
    return this.#permitted(call, proposalId, action);
  }

  #permitted({ id, permit }: CallDecision, proposalId: string, action: Permitted['action']): Permitted {
    if (!permit) throw new DigestMismatchError(proposalId);
    if (this.#options.clock.now() >= Date.parse(permit.expiresAt)) throw new PermitExpiredError(proposalId);
    return { agent: this.#options.agent, proposalId, callId: id, permit, action };
  }

  /** The gate keeps what people approved, and compares it with the permit: it has only to be clear which call is meant. */
  #onlyApproved(decision: Decision, proposalId: string, action: Permitted['action']): Permitted {
    if (decision.outcome !== 'approved') throw new NotApprovedError(decision);
    const [call, ...others] = decision.calls.filter(({ outcome }) => outcome === 'approved');
    if (!call || others.length) throw new DigestMismatchError(proposalId);
    return this.#permitted(call, proposalId, action);
  }

  /**
   * Proposes a call, waits for its decision, has the gate run it, and gives what the tool answered.
   * @throws NotApprovedError; GuardrailError with `code`, `details` and `isRetryable` if it was refused or failed; NoResultError.
   */
  async execute(call: ProposedCall, options: WaitOptions = {}): Promise<unknown> {
    this.#running();
    const proposalId = await this.propose(call);
    const decision = await this.wait(proposalId, options);
    const { toolName, input, cwd, starts } = call;
    const result = await this.runApproved(decision, proposalId, { toolName, input, cwd, starts }, options);
    if (result.status === 'succeeded') return result.output;
    throw result.error ? errorOf(result.error) : new NoResultError(proposalId);
  }

  /**
   * Has the gate run an approved call, again after a refusal that left its permit `usable`. Without `input` it runs what people approved, in
   * a process that never had it or after a restart; a decision on several calls needs it.
   */
  async runApproved(
    decision: Decision,
    proposalId: string,
    action: Permitted['action'],
    options: WaitOptions = {},
  ): Promise<CallResult> {
    const { deployment, agent } = this.#options;
    const { executions, results } = this.#running();
    const { input } = action;
    const permitted =
      input === undefined
        ? this.#onlyApproved(decision, proposalId, action)
        : this.assertRunnable(decision, proposalId, effectiveAction(decision, { ...action, input }));
    const pid = pidOf(deployment, agent, proposalId);
    return runByGate(permitted, { executions, results }, pid, options, this.#options);
  }

  /** Asked before anything is proposed: nobody should be bothered for a call that cannot be run. */
  #running(): { readonly executions: ProposalQueue; readonly results: ResultReader } {
    const { executions, results } = this.#options;
    if (executions && results) return { executions, results };
    throw new Error('executionsQueueUrl and stateTable are needed to have the gate run calls');
  }

  /** Sends exactly the bytes that the gate's own reader took, and resolves with the proposal's id. */
  async #send(message: Readonly<Record<string, unknown>>): Promise<string> {
    const { queue, agent, clock } = this.#options;
    const now = clock.now();
    const raw = JSON.stringify({ ...message, sentAt: new Date(now).toISOString() });
    const read = readProposal(raw, now);
    if (!read.ok) throw new InvalidProposalError(read.fault);
    await queue.publish(raw, agent);
    this.#remember(read.proposal, raw, now);
    return read.proposal.proposalId;
  }

  #remember(proposal: Proposal, raw: string, now: number): void {
    if (proposal.kind === 'cancel') return;
    const [oldest] = this.#proposed.size >= MAX_PROPOSED ? this.#proposed.keys() : [];
    if (oldest !== undefined) this.#proposed.delete(oldest);
    const expiresAt = 'expiresAt' in proposal ? proposal.expiresAt : undefined;
    this.#proposed.set(proposal.proposalId, {
      digests:
        proposal.kind === 'tool-call'
          ? new Map(proposal.calls.map((call) => [call.id, actionDigest({ ...call, starts: proposal.starts })]))
          : undefined,
      rawDigest: sha256Hex(raw),
      endsAt: expiresAt === undefined ? now + LIMITS.approvalMs : Date.parse(expiresAt),
    });
  }
}

async function sleepUntil(ms: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(ms, undefined, signal ? { signal } : {});
}

/** What may run: the action as it was proposed, or with the arguments that the decision puts in their place. Its digest is checked after. */
function effectiveAction<Action extends WholeAction>(decision: Decision, action: Action): Action {
  const digest = actionDigest(action);
  const changed = decision.calls.find(({ effective }) => effective?.proposedDigest === digest);
  return changed?.effective ? { ...action, input: changed.effective.input } : action;
}
