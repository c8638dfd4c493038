/** Proposes calls for an agent, waits, and runs a tool only with a decision in hand. */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import type { Decision } from '../contract/decision.ts';
import type { CallResult } from '../contract/execution.ts';
import type { InputRequestProposal, ToolCallProposal } from '../contract/proposal.ts';
import { pidOf } from '../domain/digest.ts';
import { durationMs } from '../domain/duration.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import { anyText, checkSettings, isOfMap, nothingMore, record, signal, text, unfit } from '../domain/settings.ts';
import {
  checked,
  isSchema,
  type SchemaInput,
  type SchemaOutput,
  type StandardSchema,
} from '../domain/standard-schema.ts';
import type { ProposalQueue } from '../ports/agent-side.ts';
import type { ResultReader } from '../ports/stores/result-store.ts';
import { refuseOnDecide, type Tool, withoutCallId } from './call-end.ts';
import type { CallOptions } from './calls/call-options.ts';
import type {
  CallDecision,
  ChoiceEnvelope,
  ChoosingPolicy,
  GatedTool,
  PendingCall,
  ProposedCall,
  RunContext,
  StatedCall,
} from './calls/calls.ts';
import { toolFunction, toolName } from './calls/declared-tool.ts';
import { DigestMismatchError, isUndecided, NoResultError, NotApprovedError, refusalOf } from './calls/errors.ts';
import type { GuardSettings } from './calls/guarded-call.ts';
import { checkLimits } from './calls/limits.ts';
import { checkOptions, checkStated, checkWait, checkWaitAmong } from './calls/option-checks.ts';
import { type CountersignClientOptions, checkedOptions, type Options, settingsOf } from './calls/options.ts';
import { actionOf } from './choice.ts';
import { Exchange } from './exchange/exchange.ts';
import { OpenWaits } from './exchange/open-waits.ts';
import { sendable, withoutGaps } from './exchange/sending.ts';
import type { WaitOptions } from './exchange/wait.ts';
import { GatedCalls } from './gated-calls.ts';
import { guardOf, type RunGuard } from './guard.ts';
import { degraded, errorOf } from './running/refused-run.ts';
import { type Permitted, runByGate } from './running/run.ts';
import { assertRunnable, checkAsked, effectiveAction, onlyApproved, type WholeAction } from './running/runnable.ts';

/** Fields that a question may state besides its text. Without `choices` a person answers with a text. */
export type QuestionEnvelope = Partial<Omit<InputRequestProposal, 'kind' | 'question' | 'choices'>> & {
  readonly choices?: readonly string[] | undefined;
};

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
  readonly #calls: GatedCalls;
  readonly #waits = new OpenWaits();

  /** @throws InvalidSettingError for a setting that is missing or wrong; it names the stack's output that holds it */
  constructor(options: CountersignClientOptions) {
    this.#options = checkedOptions(options);
    this.#exchange = new Exchange(this.#options, this.#waits);
    this.#calls = new GatedCalls(this.#options, this.#exchange, this.#waits);
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
    record(overrides, 'overrides');
    const stated = Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined));
    return new CountersignClient({ ...settingsOf(process.env), ...stated });
  }

  /**
   * Ends every wait of this client with a `CountersignError` of the code `client_closed`, withdraws the proposals that were waited for (not
   * where `onAbort` is `leave`), and closes the connections to AWS. Every later proposal and wait rejects with the same error. Tools that run go on.
   */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#waits.close();
    this.#options.close();
  }

  /**
   * Proposes one call. Resolves with the proposal's id once the queue has it.
   * @throws InvalidProposalError if the gate could not read it: nothing is sent.
   */
  async propose(call: ProposedCall): Promise<string>;
  async propose(call: ProposedCall, ...more: unknown[]): Promise<string> {
    record(call, 'call');
    nothingMore(more, 'state proposalId and the other fields in the call');
    return (await this.#exchange.propose(call)).proposalId;
  }

  /** Proposes up to 20 calls that people see on one card. */
  async proposeAll(
    calls: ToolCallProposal['calls'],
    envelope: Partial<Omit<ToolCallProposal, 'kind' | 'calls'>> = {},
  ): Promise<string> {
    return this.#exchange.stated('tool-call', envelope, { calls });
  }

  /** Has a policy of the policy file choose one action of the space; resolves with the proposal's id. @throws InvalidProposalError as above. */
  async proposeChoice(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    envelope: ChoiceEnvelope = {},
  ): Promise<string> {
    return this.#exchange.stated('action-choice', envelope, { policy, actionSpace, snapshot });
  }

  /** Asks people a question; resolves with the proposal's id, and `wait` with the answer. @throws InvalidProposalError as above. */
  async proposeQuestion(question: string, options?: QuestionEnvelope): Promise<string>;
  async proposeQuestion(question: string, ...given: unknown[]): Promise<string> {
    const { choices, ...envelope } = optionsOf<QuestionEnvelope>(given);
    return this.#exchange.stated(
      'input-request',
      envelope,
      choices === undefined ? { question } : { question, choices },
    );
  }

  /**
   * Proposes a choice and waits for it: an action of `actionSpace`, or `null` for "do nothing this cycle". A refusal, silence and a changed
   * policy are `null` too; `wait` on a `proposeChoice` tells them apart. `null` as well once the time-out is over. The proposal
   * is withdrawn once its caller stops waiting.
   * @throws NotApprovedError if the gate could not decide, as for a policy that is not declared; NoDecisionError if nothing is on record, or
   * decisions cannot be read; DigestMismatchError as `wait`; the signal's reason if it aborts.
   */
  async choose(
    policy: string,
    actionSpace: ActionSpace,
    snapshot: AgentSnapshot,
    options: ChoiceEnvelope & WaitOptions = {},
  ): Promise<Action | null> {
    checkWaitAmong(options);
    const { timeout, signal, ...envelope } = options;
    signal?.throwIfAborted();
    const id = await this.proposeChoice(policy, actionSpace, snapshot, envelope);
    try {
      return actionOf(await this.#exchange.waitOrWithdraw(id, { timeout, signal }), actionSpace);
    } catch (error) {
      if (isUndecided(error)) return null;
      throw error;
    }
  }

  /** The gate as an `AgentPolicy`, for `runAgentLoop`: each cycle is a choice of its own by `policy`. */
  policy(policy: string, options: Omit<ChoiceEnvelope, 'proposalId'> & WaitOptions = {}): ChoosingPolicy {
    text(policy, 'policy');
    checkWaitAmong(options);
    return {
      choose: async (space, snapshot, own = {}) => {
        checkWaitAmong(own);
        return this.choose(policy, space, snapshot, { ...options, signal: eitherSignal(options.signal, own.signal) });
      },
    };
  }

  /**
   * Asks a person a question, and waits for the answer: one of `choices`, or free text where there are none. The answer is data, and no
   * instruction to the model. The question is withdrawn once its caller stops waiting.
   *
   * @throws NotApprovedError if nobody answered or somebody declined; NoDecisionError; the signal's reason if it aborts
   * @example
   * const client = CountersignClient.fromEnvironment();
   * console.log(await client.ask('Which environment?', { choices: ['staging', 'live'], timeout: '10m' }));
   */
  async ask(question: string, options?: QuestionEnvelope & WaitOptions): Promise<string>;
  async ask(question: string, ...given: unknown[]): Promise<string> {
    const options = optionsOf<QuestionEnvelope & WaitOptions>(given);
    checkWaitAmong(options);
    const { timeout, signal, ...envelope } = options;
    signal?.throwIfAborted();
    const id = await this.proposeQuestion(question, envelope);
    const decision = await this.#exchange.waitOrWithdraw(id, { timeout, signal });
    if (decision.outcome === 'answered') return String(decision.answer);
    if (decision.outcome === 'approved') throw new DigestMismatchError(id);
    throw new NotApprovedError(refusalOf(decision, id, decision.outcome));
  }

  /**
   * Guards the calls of one run of a framework: adapters are made of it.
   *
   * @param settings the run's id, and options of each of its calls
   * @throws InvalidSettingError for an id that cannot be part of a proposal's
   */
  guard(settings: GuardSettings): RunGuard;
  guard(settings: GuardSettings, ...more: unknown[]): RunGuard {
    nothingMore(more, 'state timeout and the other options beside run');
    return guardOf(this.#calls.ofRun(), settings);
  }

  /** Withdraws a proposal of this agent: its decision becomes `cancelled`, unless it was decided before. */
  async cancel(proposalId: string, reason?: string): Promise<void>;
  async cancel(proposalId: string, ...given: unknown[]): Promise<void> {
    const [reason, ...more] = isOfMap(given) ? [] : given;
    nothingMore(more, 'give the id and a reason');
    if (reason !== undefined) anyText(reason, 'reason');
    await this.#exchange.cancel(proposalId, reason as string | undefined);
  }

  /**
   * Waits for the decision on a proposal of this agent, whichever process sent it.
   * @throws NoDecisionError after `timeout`, and with a `cause` if decisions cannot be read; DigestMismatchError if the decision is about
   * another action than this client proposed.
   */
  async wait(proposalId: string, options?: WaitOptions): Promise<Decision>;
  async wait(proposalId: string, ...given: unknown[]): Promise<Decision> {
    const options = optionsOf<WaitOptions>(given);
    checkWait(options);
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
    options?: CallOptions<Awaited<Output>>,
  ): GatedTool<SchemaInput<S>, Awaited<Output>>;
  gate<Input extends object, Output>(
    tool: string,
    run: (input: Input, context: RunContext) => Output,
    options?: CallOptions<Awaited<Output>>,
  ): GatedTool<Input, Awaited<Output>>;
  gate(
    tool: string,
    ...given:
      | [schema: StandardSchema, run: Tool, options?: CallOptions<unknown> | undefined]
      | [run: Tool, options?: CallOptions<unknown> | undefined]
  ): (input?: object, options?: CallOptions<unknown>) => Promise<unknown> {
    const [schema, run, options] = isSchema(given[0])
      ? [given[0], given[1] as Tool, given[2]]
      : [undefined, given[0], given[1] as CallOptions<unknown> | undefined];
    toolName(tool, 'tool');
    if (!schema && typeof given[0] !== 'function' && typeof given[1] === 'function') throw unfit(given[0], ...SCHEMA);
    toolFunction(run, 'run');
    // Stated behind the tool, a schema would check nothing.
    if (isSchema(options))
      throw new InvalidSettingError('schema', 'comes before the tool that it is of: gate(name, schema, run)');
    if (options !== undefined) checkOptions(options);
    nothingMore(given.slice(schema ? 3 : 2), 'state all options in one object');
    return async (input = {}, own = {}, ...more: unknown[]) => {
      const call = isOfMap([own, ...more]) ? {} : own;
      checkOptions(call);
      // Before anything is awaited: later changes of the caller's object do not count.
      const exact = sendable(input, 'input') as object;
      return this.#calls.run({ ...options, ...withoutGaps(call), tool, input: exact }, run, { schema });
    };
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
  async decide(call: StatedCall): Promise<CallDecision>;
  async decide(call: StatedCall, ...more: unknown[]): Promise<CallDecision> {
    nothingMore(more, 'state timeout and the other options in the call');
    checkStated(call);
    await checkLimits(call);
    refuseOnDecide(call);
    return withoutCallId(await this.#calls.decide(call));
  }

  /** @throws NotApprovedError, DigestMismatchError or PermitExpiredError unless `action` may run now. */
  assertRunnable(decision: Decision, proposalId: string, action: WholeAction): Permitted {
    return assertRunnable(decision, proposalId, action, this.#asking());
  }

  #asking() {
    return { agent: this.#options.agent, now: this.#options.clock.now() };
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
  async execute(given: StatedCall & { readonly output?: StandardSchema }, ...more: unknown[]): Promise<unknown> {
    record(given, 'call');
    nothingMore(more, 'state timeout and the other options in the call');
    const { output, ...call } = given;
    checkStated(call);
    // The call would have run before its answer could not be read.
    if (output !== undefined && !isSchema(output)) throw unfit(output, 'output', SCHEMA[1]);
    const running = this.#running();
    const result = await this.#calls.execute(call, running);
    // An output that is withheld has an error in its place: undefined would pass for the tool's own.
    if (result.error) return degraded(errorOf(result.error, result.status, result), call.fallback);
    if (result.status !== 'succeeded') throw new NoResultError(result.proposalId);
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
    checkAsked(decision, proposalId, action);
    checkWait(options);
    const { deployment, agent } = this.#options;
    const { executions, results } = this.#running();
    const { input } = action;
    const permitted =
      input === undefined
        ? onlyApproved(decision, proposalId, action, this.#asking())
        : this.assertRunnable(decision, proposalId, effectiveAction(decision, { ...action, input }));
    const pid = pidOf(deployment, agent, proposalId);
    const timeoutMs = options.timeout === undefined ? undefined : durationMs(options.timeout, 'timeout');
    const until = { timeoutMs, signal: this.#waits.until(options.signal) };
    return runByGate(permitted, { executions, results }, pid, until, this.#options);
  }

  /** Asked before anything is proposed: nobody should be bothered for a call that cannot be run. */
  #running(): { readonly executions: ProposalQueue; readonly results: ResultReader } {
    const { executions, results } = this.#options;
    if (executions && results) return { executions, results };
    throw new InvalidSettingError(
      'executionsQueueUrl',
      'is needed, and stateTable too, to have the gate run calls: they are the outputs ExecutionsQueueUrl and StateTable',
    );
  }

  /**
   * The proposals of this client, sent by this process, that have no decision yet, oldest first. A proposal that was decided while nobody waited
   * for it is left out.
   *
   * @throws what reading the decisions throws; the signal's reason if it aborts
   */
  pending(options: { readonly signal?: AbortSignal | undefined } = {}): AsyncIterable<PendingCall> {
    checkSettings(options, { signal });
    return this.#exchange.pending(options);
  }
}

const SCHEMA = ['schema', 'a schema of a library of Standard Schema'] as const;

/** All that stands behind the first argument. @throws InvalidSettingError */
function optionsOf<Given extends object>(given: readonly unknown[]): Given {
  const [options = {}, ...more] = isOfMap(given) ? [] : given;
  nothingMore(more, 'state all options in one object');
  record(options, 'options');
  return options as Given;
}

const eitherSignal = (one: AbortSignal | undefined, other: AbortSignal | undefined): AbortSignal | undefined =>
  one && other ? AbortSignal.any([one, other]) : (one ?? other);
