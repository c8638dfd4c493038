/** The client that agents use: propose, wait, and run a tool only with a decision in hand. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { CallDecision as CallVerdict, Decision } from '../contract/decision.ts';
import type { CallResult } from '../contract/execution.ts';
import { MESSAGE_VERSIONS } from '../contract/primitives.ts';
import type { ToolCallProposal } from '../contract/proposal.ts';
import { actionDigest, idempotencyKeyOf, pidOf } from '../domain/digest.ts';
import { durationMs } from '../domain/duration.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import {
  checked,
  isSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
} from '../domain/standard-schema.ts';
import type { ProposalQueue } from '../ports/agent-side.ts';
import type { ResultReader } from '../ports/result-store.ts';
import type {
  Approved,
  CallDecision,
  CallOptions,
  ChoiceEnvelope,
  ChoosingPolicy,
  GatedTool,
  PendingCall,
  ProposedCall,
  RunContext,
  StatedCall,
} from './calls.ts';
import { actionOf } from './choice.ts';
import {
  DigestMismatchError,
  NoDecisionError,
  NoResultError,
  NotApprovedError,
  PermitExpiredError,
  PlaceChangedError,
  refusalOf,
} from './errors.ts';
import { Exchange } from './exchange.ts';
import { type CountersignClientOptions, checkedOptions, type Options, settingsOf } from './options.ts';
import { movedLinks } from './place.ts';
import { errorOf, type Permitted, runByGate, runUnderPermit } from './run.ts';
import { checkTimeout, sendable, withoutGaps } from './sending.ts';
import type { WaitOptions } from './wait.ts';

/** A call with its arguments. */
export type WholeAction = Permitted['action'] & { readonly input: Readonly<Record<string, unknown>> };

/**
 * The client of a deployed gate: proposes calls, waits for decisions, and runs a tool only with a decision in hand.
 *
 * @example
 * const client = CountersignClient.fromEnvironment();
 * const refund = client.gate('Refund', async (input: { orderId: string; amount: number }, { signal }) => {
 *   const response = await fetch('https://pay.example/refunds', { method: 'POST', body: JSON.stringify(input), signal });
 *   return response.status;
 * });
 * console.log(await refund({ orderId: 'o-1', amount: 25 }));
 */
export class CountersignClient implements AsyncDisposable {
  readonly #options: Options;
  readonly #exchange: Exchange;

  /** @throws InvalidSettingError for a setting that is missing or wrong; it names the stack's output that holds it */
  constructor(options: CountersignClientOptions) {
    this.#options = checkedOptions(options);
    this.#exchange = new Exchange(this.#options);
  }

  /**
   * A client with the settings of the variables `COUNTERSIGN_AGENT`, `COUNTERSIGN_DEPLOYMENT`, `COUNTERSIGN_QUEUE_URL` and
   * `COUNTERSIGN_AUDIT_TABLE`, and where they are set `COUNTERSIGN_STATE_TABLE`, `COUNTERSIGN_EXECUTIONS_QUEUE_URL`,
   * `COUNTERSIGN_REDEEM_FUNCTION` and `COUNTERSIGN_OUTCOMES_QUEUE_URL`. The construct's `connect` sets them.
   *
   * @param overrides settings that count before the environment's
   * @throws InvalidSettingError for one that is missing or wrong
   */
  static fromEnvironment(overrides: CountersignClientOptions = {}): CountersignClient {
    const stated = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
    return new CountersignClient({ ...settingsOf(process.env), ...stated });
  }

  /** Closes the connections to AWS. Nothing may be proposed or waited for after it. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#options.close();
  }

  /**
   * Proposes one call. Resolves with the proposal's id once the queue has it.
   * @throws InvalidProposalError if the gate could not read it: nothing is sent.
   */
  async propose(call: ProposedCall): Promise<string> {
    return (await this.#exchange.propose(call)).proposalId;
  }

  /** Proposes up to 20 calls that people see on one card. */
  async proposeAll(
    calls: ToolCallProposal['calls'],
    envelope: Partial<Omit<ToolCallProposal, 'kind' | 'calls'>> = {},
  ): Promise<string> {
    const { newId, sessionId } = this.#options;
    const { proposalId } = await this.#exchange.send({
      schemaVersion: MESSAGE_VERSIONS[0],
      kind: 'tool-call',
      proposalId: newId(),
      sessionId,
      ...withoutGaps(envelope),
      calls,
    });
    return proposalId;
  }

  /** Has a policy of the policy file choose one action of the space; resolves with the proposal's id. @throws InvalidProposalError as above. */
  async proposeChoice(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    envelope: ChoiceEnvelope = {},
  ): Promise<string> {
    const { newId, sessionId } = this.#options;
    const { proposalId } = await this.#exchange.send({
      schemaVersion: MESSAGE_VERSIONS[0],
      kind: 'action-choice',
      proposalId: newId(),
      sessionId,
      ...withoutGaps(envelope),
      policy,
      actionSpace,
      snapshot,
    });
    return proposalId;
  }

  /**
   * Proposes a choice and waits for it: an action of `actionSpace`, or `null` for "do nothing this cycle". A refusal, silence and a changed
   * policy are `null` too; `wait` on a `proposeChoice` tells them apart. `null` as well once the time-out is over. The proposal
   * is withdrawn once its caller stops waiting.
   * @throws NotApprovedError if the gate could not decide, as for a policy that is not declared; DigestMismatchError as `wait`; the signal's
   * reason if it aborts.
   */
  async choose(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    { timeout, signal, ...envelope }: ChoiceEnvelope & WaitOptions = {},
  ): Promise<Action | null> {
    signal?.throwIfAborted();
    const id = await this.proposeChoice(policy, actionSpace, snapshot, envelope);
    try {
      return actionOf(await this.#exchange.waitOrWithdraw(id, { timeout, signal }), actionSpace);
    } catch (error) {
      if (error instanceof NoDecisionError && error.code === 'no_decision') return null;
      throw error;
    }
  }

  /** The gate as an `AgentPolicy`, for `runAgentLoop`: each cycle is a choice of its own by `policy`. */
  policy(policy: string, options: Omit<ChoiceEnvelope, 'proposalId'> & WaitOptions = {}): ChoosingPolicy {
    return {
      choose: (actionSpace, snapshot, { signal } = {}) =>
        this.choose(policy, actionSpace, snapshot, { ...options, signal: eitherSignal(options.signal, signal) }),
    };
  }

  /** Withdraws a proposal of this agent: its decision becomes `cancelled`, unless it was decided before. */
  async cancel(proposalId: string, reason?: string): Promise<void> {
    await this.#exchange.cancel(proposalId, reason);
  }

  /**
   * Waits for the decision on a proposal of this agent, whichever process sent it.
   * @throws NoDecisionError after `timeout`, and with a `cause` if decisions cannot be read; DigestMismatchError if the decision is about
   * another action than this client proposed.
   */
  async wait(proposalId: string, options: WaitOptions = {}): Promise<Decision> {
    return this.#exchange.wait(proposalId, options);
  }

  /**
   * Wraps a tool: each call is proposed, waited for, and run only with an approval whose permit is for exactly this input, or for what a
   * person made of it or the gate printed of it. The tool gets the parsed form of what was sent or of what took its place, and never an object
   * of the caller's.
   *
   * @param schema of zod, Valibot, ArkType or another library of Standard Schema. The schema checks the input before it is sent, and again before the
   * tool runs, for a person may have edited it; the tool gets the schema's result
   * @returns a function that throws NotApprovedError with the message for the model unless the call was approved; InvalidProposalError or
   * SchemaError, and then nothing was sent; SchemaError with the code `invalid_edit` for an edit that the schema refuses; GuardrailError for a
   * run that the guardrails refused or ended; NoDecisionError; the signal's reason if it aborts; and what the tool throws
   * @example
   * const client = CountersignClient.fromEnvironment();
   * const Refund = z.object({ orderId: z.string(), amount: z.number().positive() });
   * const refund = client.gate('Refund', Refund, ({ orderId, amount }, { idempotencyKey }) => `${orderId} ${amount} ${idempotencyKey}`);
   * await refund({ orderId: 'o-1', amount: 25 }, { timeout: '5m', reason: 'The parcel was lost.' });
   */
  gate<S extends StandardSchema, Output>(
    tool: string,
    schema: S,
    run: (input: SchemaOutput<S>, context: RunContext) => Output,
    options?: CallOptions,
  ): GatedTool<SchemaInput<S>, Awaited<Output>>;
  gate<Input extends object, Output>(
    tool: string,
    run: (input: Input, context: RunContext) => Output,
    options?: CallOptions,
  ): GatedTool<Input, Awaited<Output>>;
  gate(
    tool: string,
    ...given:
      | [schema: StandardSchema, run: Run, options?: CallOptions | undefined]
      | [run: Run, options?: CallOptions | undefined]
  ): (input?: object, options?: CallOptions) => Promise<unknown> {
    const [schema, run, options] = isSchema(given[0])
      ? [given[0], given[1] as Run, given[2]]
      : [undefined, given[0], given[1] as CallOptions | undefined];
    checkTimeout(options);
    return async (input = {}, call = {}) => {
      // Before anything is awaited: later changes of the caller's object do not count.
      const exact = sendable(input, 'input') as object;
      return this.#runGated(tool, schema, run, exact, { ...options, ...withoutGaps(call) });
    };
  }

  async #runGated(
    tool: string,
    schema: StandardSchema | undefined,
    run: Run,
    given: object,
    options: CallOptions,
  ): Promise<unknown> {
    const { deployment, agent, redeemer, outcomes, realPath } = this.#options;
    const { cwd = '', starts } = options;
    const place = async () => (options.cwd === undefined ? undefined : realPath(cwd));
    const before = await place();
    const approved = await this.#decideCall({ ...options, tool, input: given }, schema);
    if (approved.outcome !== 'approved') throw new NotApprovedError(approved);
    const { proposalId, edited, decidedBy, permit, callId } = approved;
    const input = schema ? await checked(schema, approved.input, 'invalid_edit') : approved.input;
    const action = { toolName: tool, input: approved.input, cwd: options.cwd, starts };
    const fs = movedLinks(cwd, before, await place());
    const idempotencyKey = idempotencyKeyOf({ pid: pidOf(deployment, agent, proposalId), callId });
    const context = { proposalId, idempotencyKey, edited, decidedBy };
    const permitted = { agent, proposalId, callId, permit, action, fs };
    options.signal?.throwIfAborted();
    if (redeemer && outcomes) {
      const inTime = (granted: Pick<RunContext, 'signal' | 'idempotencyKey'>) => run(input, { ...context, ...granted });
      return runUnderPermit(permitted, inTime, { redeemer, outcomes }, options.signal, this.#options);
    }
    if (fs) throw new PlaceChangedError(proposalId);
    return run(input, { ...context, signal: options.signal ?? new AbortController().signal });
  }

  /**
   * Proposes a call and waits for its end, without running anything: for adapters of frameworks that run the tool themselves. `approved` comes
   * with the `input` to run and its permit; every other outcome is a refusal with a message for the model.
   *
   * @throws InvalidProposalError, NoDecisionError, DigestMismatchError, PermitExpiredError, and the signal's reason if it aborts
   * @example
   * const client = CountersignClient.fromEnvironment();
   * const decision = await client.decide({ tool: 'Bash', input: { command: 'git push' }, timeout: '10m' });
   * console.log(decision.outcome === 'approved' ? decision.input : decision.message);
   */
  async decide(call: StatedCall): Promise<CallDecision> {
    const decided = await this.#decideCall(call, undefined);
    if (decided.outcome !== 'approved') return decided;
    const { callId: _, ...approved } = decided;
    return approved;
  }

  async #decideCall(
    { tool, input: given, ...options }: StatedCall,
    schema: StandardSchema | undefined,
  ): Promise<(Approved & { readonly callId: string }) | Exclude<CallDecision, Approved>> {
    const { id, signal, timeout, onAbort, cwd, starts, ...envelope } = options;
    checkTimeout(options);
    signal?.throwIfAborted();
    if (schema) await checked(schema, given, 'invalid_input');
    const call = { ...envelope, toolName: tool, input: given, proposalId: id, cwd, starts };
    const { proposalId, input } = await this.#exchange.propose(call);
    const decision = await this.#exchange.waitOrWithdraw(proposalId, { timeout, signal, onAbort });
    const { outcome, calls, ...verdict } = decision;
    if (outcome !== 'approved') return refusalOf(verdict, proposalId, outcome);
    const action = effectiveAction(decision, { toolName: tool, input, cwd, starts });
    const { callId, permit } = this.assertRunnable(decision, proposalId, action);
    const { message, reasonCode, decidedBy } = calls.find((one) => one.id === callId) ?? verdict;
    const edited = action.input !== input;
    return { outcome, proposalId, callId, message, reasonCode, decidedBy, permit, input: action.input, edited };
  }

  /** @throws NotApprovedError, DigestMismatchError or PermitExpiredError unless `action` may run now. */
  assertRunnable(decision: Decision, proposalId: string, action: WholeAction): Permitted {
    const digest = actionDigest(action);
    if (decision.outcome !== 'approved') throw new NotApprovedError(refusalOf(decision, proposalId, decision.outcome));
    const call = decision.calls.find((one) => one.outcome === 'approved' && one.actionDigest === digest);
    if (call?.permit?.actionDigest !== digest) throw new DigestMismatchError(proposalId);
    return this.#permitted(call, proposalId, action);
  }

  #permitted({ id, permit }: CallVerdict, proposalId: string, action: Permitted['action']): Permitted {
    if (!permit) throw new DigestMismatchError(proposalId);
    if (this.#options.clock.now() >= Date.parse(permit.expiresAt)) throw new PermitExpiredError(proposalId);
    return { agent: this.#options.agent, proposalId, callId: id, permit, action };
  }

  /** The gate keeps what people approved, and compares it with the permit: it has only to be clear which call is meant. */
  #onlyApproved(decision: Decision, proposalId: string, action: Permitted['action']): Permitted {
    if (decision.outcome !== 'approved') throw new NotApprovedError(refusalOf(decision, proposalId, decision.outcome));
    const [call, ...others] = decision.calls.filter(({ outcome }) => outcome === 'approved');
    if (!call || others.length) throw new DigestMismatchError(proposalId);
    return this.#permitted(call, proposalId, action);
  }

  /**
   * Proposes a call, waits for its decision, has the gate run it, and gives what the tool answered. Needs `executionsQueueUrl` and `stateTable`.
   *
   * @param call with `output`, a schema, the answer is what the schema makes of it; without it the answer is `unknown`
   * @throws NotApprovedError; GuardrailError with `code`, `details` and `isRetryable` if it was refused or failed; SchemaError with the code
   * `invalid_output`; NoResultError; NoDecisionError; the signal's reason if it aborts
   * @example
   * const client = CountersignClient.fromEnvironment();
   * const found = await client.execute({ tool: 'Search', input: { q: 'refunds' }, output: z.array(z.string()) });
   * console.log(found.length);
   */
  execute<S extends StandardSchema>(call: StatedCall & { readonly output: S }): Promise<SchemaOutput<S>>;
  execute(call: StatedCall): Promise<unknown>;
  async execute({ output, ...call }: StatedCall & { readonly output?: StandardSchema }): Promise<unknown> {
    this.#running();
    const { tool, input: given, id, signal, timeout, onAbort, cwd, starts, ...envelope } = call;
    checkTimeout(call);
    signal?.throwIfAborted();
    const proposed = { ...envelope, toolName: tool, input: given, proposalId: id, cwd, starts };
    const { proposalId, input } = await this.#exchange.propose(proposed);
    const decision = await this.#exchange.waitOrWithdraw(proposalId, { timeout, signal, onAbort });
    const result = await this.runApproved(
      decision,
      proposalId,
      { toolName: tool, input, cwd, starts },
      { timeout, signal },
    );
    if (result.status !== 'succeeded') throw result.error ? errorOf(result.error) : new NoResultError(proposalId);
    return output ? checked(output, result.output, 'invalid_output') : result.output;
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
    const timeoutMs = options.timeout === undefined ? undefined : durationMs(options.timeout, 'timeout');
    return runByGate(permitted, { executions, results }, pid, { timeoutMs, signal: options.signal }, this.#options);
  }

  /** Asked before anything is proposed: nobody should be bothered for a call that cannot be run. */
  #running(): { readonly executions: ProposalQueue; readonly results: ResultReader } {
    const { executions, results } = this.#options;
    if (executions && results) return { executions, results };
    throw new InvalidSettingError(
      'executionsQueueUrl',
      'executionsQueueUrl and stateTable are needed to have the gate run calls: they are the outputs ExecutionsQueueUrl and StateTable',
    );
  }

  /**
   * The proposals of this client, sent by this process, that have no decision yet, oldest first. A proposal that was decided while nobody waited
   * for it is left out.
   *
   * @throws what reading the decisions throws; the signal's reason if it aborts
   */
  pending(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<PendingCall> {
    return this.#exchange.pending(options);
  }
}

type Run = (input: unknown, context: RunContext) => unknown;

const eitherSignal = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);

/** The action as proposed, or with the arguments that the decision puts in their place. The caller checks the action's digest. */
function effectiveAction<Action extends WholeAction>(decision: Decision, action: Action): Action {
  const digest = actionDigest(action);
  const changed = decision.calls.find(({ effective }) => effective?.proposedDigest === digest);
  return changed?.effective ? { ...action, input: changed.effective.input } : action;
}
