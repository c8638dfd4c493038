/**
 * Proposes calls, waits for their decisions, and runs tools under the permits.
 *
 * Every way to run a call goes through here.
 */
import type { CallResult } from '../contract/execution.ts';
import { idempotencyKeyOf, pidOf } from '../domain/digest.ts';
import { durationMs } from '../domain/duration.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import { checked, type StandardSchema } from '../domain/standard-schema.ts';
import type { CallOptions } from './call-options.ts';
import type { Approved, CallDecision, RunContext, StatedCall } from './calls.ts';
import { changeOf } from './change.ts';
import { NotApprovedError, PlaceChangedError, refusalOf } from './errors.ts';
import type { Exchange } from './exchange.ts';
import { movedLinks } from './folder.ts';
import type { OpenWaits } from './open-waits.ts';
import type { Options } from './options.ts';
import { runByGate, runUnderPermit } from './run.ts';
import { assertRunnable, effectiveAction } from './runnable.ts';
import { checkTimeout } from './sending.ts';

export type Tool = (input: unknown, context: RunContext) => unknown;

/** An approved call as it may run: `callId` is its id within the proposal. */
type Runnable = Approved & { readonly callId: string };
export type CallEnd = Runnable | Exclude<CallDecision, Approved>;

export class GatedCalls {
  readonly #options: Options;
  readonly #exchange: Exchange;
  readonly #waits: OpenWaits;

  constructor(options: Options, exchange: Exchange, waits: OpenWaits) {
    this.#options = options;
    this.#exchange = exchange;
    this.#waits = waits;
  }

  /**
   * Proposes the call unless this process did so before, and resolves once the gate has judged it.
   * @returns whether people are or were asked; the answer does not change once they have answered
   */
  async asks(call: StatedCall): Promise<boolean> {
    call.signal?.throwIfAborted();
    const { proposalId } = await this.#propose(call);
    return this.#exchange.isAsked(proposalId, call);
  }

  async withdraw(proposalId: string): Promise<void> {
    await this.#exchange.cancel(proposalId, 'the agent no longer waits');
  }

  /** Where the folder of a call leads now: undefined without a folder. */
  async folderOf({ cwd }: Pick<CallOptions, 'cwd'>): Promise<string | undefined> {
    return cwd === undefined ? undefined : this.#options.realPath(cwd);
  }

  /** As the client's `decide`. */
  async decide(call: StatedCall, schema?: StandardSchema): Promise<CallEnd> {
    const { signal, timeout, onAbort, tool, cwd, starts } = call;
    checkTimeout(call);
    signal?.throwIfAborted();
    if (schema) await checked(schema, call.input, 'invalid_input');
    const { proposalId, input } = await this.#propose(call);
    const decision = await this.#exchange.waitOrWithdraw(proposalId, { timeout, signal, onAbort });
    const { outcome, calls, ...verdict } = decision;
    if (outcome !== 'approved') return refusalOf(verdict, proposalId, outcome);
    const action = effectiveAction(decision, { toolName: tool, input, cwd, starts });
    const asking = { agent: this.#options.agent, now: this.#options.clock.now() };
    const { callId, permit } = assertRunnable(decision, proposalId, action, asking);
    const { message, reasonCode, decidedBy } = calls.find((one) => one.id === callId) ?? verdict;
    const edited = action.input !== input;
    const change = changeOf(action.input, edited);
    const approved = {
      outcome,
      proposalId,
      callId,
      message,
      reasonCode,
      decidedBy,
      permit,
      input: action.input,
      edited,
    };
    return change === undefined ? approved : { ...approved, change };
  }

  /** Decides the call, and runs the tool in this process. `before`: where the call's folder led when it was proposed. */
  async run(call: StatedCall, tool: Tool, schema?: StandardSchema, before?: string): Promise<unknown> {
    const { deployment, agent, redeemer, outcomes } = this.#options;
    const { cwd = '', starts, signal, limits, fallback } = call;
    if (!redeemer) refuseWithoutGuardrails(call);
    const proposedIn = before ?? (await this.folderOf(call));
    const approved = await this.decide(call, schema);
    if (approved.outcome !== 'approved') throw new NotApprovedError(approved);
    const { proposalId, callId, permit, edited, change, decidedBy } = approved;
    const input = schema ? await checked(schema, approved.input, 'invalid_edit') : approved.input;
    const fs = movedLinks(cwd, proposedIn, await this.folderOf(call));
    const idempotencyKey =
      call.idempotencyKey ?? idempotencyKeyOf({ pid: pidOf(deployment, agent, proposalId), callId });
    const context = { proposalId, idempotencyKey, edited, change, decidedBy };
    signal?.throwIfAborted();
    if (redeemer && outcomes) {
      const action = { toolName: call.tool, input: approved.input, cwd: call.cwd, starts };
      const permitted = { agent, proposalId, callId, permit, action, fs, limits };
      const inTime = (granted: Pick<RunContext, 'signal' | 'idempotencyKey'>) =>
        tool(input, { ...context, ...granted });
      return runUnderPermit(permitted, inTime, { redeemer, outcomes }, { signal, fallback }, this.#options);
    }
    if (fs) throw new PlaceChangedError(proposalId);
    return tool(input, { ...context, signal: signal ?? new AbortController().signal });
  }

  /** Decides the call, and has the gate run it. */
  async execute(call: StatedCall, gate: Parameters<typeof runByGate>[1]): Promise<CallResult> {
    const { deployment, agent } = this.#options;
    const { tool, signal, timeout, cwd, starts, limits } = call;
    const approved = await this.decide(call);
    if (approved.outcome !== 'approved') throw new NotApprovedError(approved);
    const { proposalId, callId, permit, input } = approved;
    const permitted = { agent, proposalId, callId, permit, action: { toolName: tool, input, cwd, starts }, limits };
    const timeoutMs = timeout === undefined ? undefined : durationMs(timeout, 'timeout');
    const until = { timeoutMs, signal: this.#waits.until(signal) };
    return runByGate(permitted, gate, pidOf(deployment, agent, proposalId), until, this.#options);
  }

  #propose({ tool, id, signal, timeout, onAbort, limits, fallback, ...stated }: StatedCall) {
    return this.#exchange.proposeOnce({ ...stated, toolName: tool, proposalId: id });
  }
}

/** Without guardrails nothing would hold the call to its limits. */
function refuseWithoutGuardrails({ limits, fallback }: CallOptions): void {
  const stated = limits ? 'limits' : fallback ? 'fallback' : undefined;
  if (stated)
    throw new InvalidSettingError(stated, 'has no effect without redeemFunction and outcomesQueueUrl, or on execute');
}

/** A decision as programs get it: which of a proposal's calls it was is the client's own to know. */
export function withoutCallId(decided: CallEnd): CallDecision {
  if (decided.outcome !== 'approved') return decided;
  const { callId: _, ...approved } = decided;
  return approved;
}
