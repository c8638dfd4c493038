/** Proposes calls, waits for decisions and runs tools: every way to run a call goes through here. */
import type { CallResult } from '../contract/execution.ts';
import { idempotencyKeyOf, pidOf } from '../domain/digest.ts';
import { durationMs } from '../domain/duration.ts';
import { checked } from '../domain/standard-schema.ts';
import { type CallEnd, type Deciding, refuseWithoutGuardrails, type Tool, type Ways } from './call-end.ts';
import type { CallOptions } from './calls/call-options.ts';
import type { RunContext, StatedCall } from './calls/calls.ts';
import { begun } from './calls/declared-tool.ts';
import { NotApprovedError, PlaceChangedError, refusalOf } from './calls/errors.ts';
import { movedLinks } from './calls/folder.ts';
import { checkLimits } from './calls/limits.ts';
import type { Options } from './calls/options.ts';
import { asOuterCall, outerCall, untilOuterEnds } from './calls/outer-call.ts';
import type { Exchange, SentCall } from './exchange/exchange.ts';
import type { OpenWaits } from './exchange/open-waits.ts';
import { inFieldsOfStated } from './exchange/sending.ts';
import { ownPartOf, type Part, unlessUnreadable } from './exchange/together.ts';
import { changeOf } from './running/change.ts';
import { runByGate, runUnderPermit } from './running/run.ts';
import { assertRunnable, effectiveAction } from './running/runnable.ts';
import { asUnreachable, reachable } from './running/unreachable.ts';

export class GatedCalls {
  readonly #options: Options;
  readonly #exchange: Exchange;
  readonly #waits: OpenWaits;
  readonly #isOfRun: boolean;

  constructor(options: Options, exchange: Exchange, waits: OpenWaits, isOfRun = false) {
    this.#isOfRun = isOfRun;
    this.#options = options;
    this.#exchange = exchange;
    this.#waits = waits;
  }

  /** For calls of a framework, of which several may run at the same moment. */
  ofRun(): GatedCalls {
    const { redeemer } = this.#options;
    const options = { ...this.#options, redeemer: redeemer && reachable(redeemer) };
    return new GatedCalls(options, this.#exchange, this.#waits, true);
  }

  /**
   * Proposes the call unless this process did so before, and resolves once the gate has judged it.
   * @returns whether people are or were asked; the answer does not change once they have answered
   */
  async asks(call: StatedCall, part?: Part): Promise<boolean> {
    this.#waits.until(call.signal).throwIfAborted();
    return this.#exchange.isAsked((await this.#propose(call, part)).proposalId, call);
  }

  async withdraw(proposalId: string): Promise<void> {
    await this.#exchange.cancel(proposalId, 'the agent no longer waits');
  }

  /** Where the folder of a call leads now: undefined without a folder. */
  async folderOf({ cwd }: Pick<CallOptions, 'cwd'>): Promise<string | undefined> {
    return cwd === undefined ? undefined : this.#options.realPath(cwd);
  }

  /** As the client's `decide`. */
  async decide(call: StatedCall, { schema, part }: Deciding = {}): Promise<CallEnd> {
    const { signal, timeout, onAbort, tool, cwd, starts } = call;
    this.#waits.until(signal).throwIfAborted();
    if (schema) await checked(schema, call.input, 'invalid_input');
    const { proposalId, input, within } = await this.#propose(call, part);
    const whole = await this.#exchange.waitOrWithdraw(proposalId, { timeout, signal, onAbort });
    const decision = within === undefined ? whole : ownPartOf(whole, within);
    const { outcome, calls, ...verdict } = decision;
    if (outcome !== 'approved') return refusalOf(verdict, proposalId, outcome);
    const action = effectiveAction(decision, { toolName: tool, input, cwd, starts });
    const asking = { agent: this.#options.agent, now: this.#options.clock.now() };
    const { callId, permit } = assertRunnable(decision, proposalId, action, asking);
    const { message, reasonCode, decidedBy } = calls.find((one) => one.id === callId) ?? verdict;
    const edited = action.input !== input;
    const change = changeOf(action.input, edited);
    const verdictOfCall = { outcome, proposalId, callId, message, reasonCode, decidedBy };
    const approved = { ...verdictOfCall, permit, input: action.input, edited };
    return change === undefined ? approved : { ...approved, change };
  }

  /** Decides the call, and runs the tool in this process. */
  async run(call: StatedCall, tool: Tool, { schema, part, before, readEdit }: Ways = {}): Promise<unknown> {
    const { agent, redeemer, outcomes, clock } = this.#options;
    const { cwd = '', starts, limits, fallback, timeout } = call;
    const signal = untilOuterEnds(call.signal);
    const endsAt = timeout === undefined ? Number.POSITIVE_INFINITY : clock.now() + durationMs(timeout, 'timeout');
    if (!redeemer) refuseWithoutGuardrails(call);
    const proposedIn = before ?? (await this.folderOf(call));
    const approved = await this.decide(call, { schema, part });
    if (approved.outcome !== 'approved') throw new NotApprovedError(approved);
    const { proposalId, callId, permit, edited, change, decidedBy } = approved;
    const own = edited && readEdit ? await readEdit(approved.input) : approved.input;
    const input = schema ? await checked(schema, own, 'invalid_edit') : own;
    const fs = movedLinks(cwd, proposedIn, await this.folderOf(call));
    const idempotencyKey = call.idempotencyKey ?? idempotencyKeyOf(permit);
    const context = { proposalId, idempotencyKey, edited, change, decidedBy };
    signal?.throwIfAborted();
    const whole = async (running: RunContext) => begun(await tool(input, running));
    if (redeemer && outcomes) {
      const action = { toolName: call.tool, input: approved.input, cwd: call.cwd, starts };
      const permitted = { agent, proposalId, callId, permit, action, fs, limits };
      const inTime = (granted: Pick<RunContext, 'signal' | 'idempotencyKey'>) =>
        asOuterCall({ permit: 'redeemed', tool: call.tool }, { ...context, ...granted }, whole);
      // A call of the tool that makes it would wait for itself.
      const mayWait = !outerCall()?.tools.includes(call.tool);
      // A call with tighter limits of its own would keep those behind it waiting for longer.
      const line = limits ? `${call.tool} ${proposalId} ${callId}` : call.tool;
      const waiting = { until: this.#waits.until(signal), lines: this.#waits.lines, line, endsAt };
      const how = { signal, fallback, waits: mayWait ? waiting : undefined, isNamed: !this.#isOfRun };
      return runUnderPermit(permitted, inTime, { redeemer, outcomes }, how, this.#options);
    }
    if (fs) throw new PlaceChangedError(proposalId);
    const running = { ...context, signal: signal ?? new AbortController().signal };
    return asOuterCall({ permit: 'kept', tool: call.tool }, running, whole);
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

  /** `within`: the call's id in the batch that it shares. A batch that the gate would not read is sent as single calls. */
  async #propose(call: StatedCall, part?: Part): Promise<SentCall & { readonly within?: string }> {
    const { tool, id, signal, timeout, onAbort, limits, fallback, ...stated } = call;
    await checkLimits({ limits, fallback });
    try {
      const sent = part && (await this.#exchange.proposeTogether(part).catch(unlessUnreadable));
      if (part && sent) return { ...sent, within: part.callId };
      return await this.#exchange.proposeOnce({ ...stated, toolName: tool, proposalId: id }).catch(inFieldsOfStated);
    } catch (error) {
      throw this.#isOfRun ? asUnreachable(error, signal) : error;
    }
  }
}
