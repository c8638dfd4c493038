/** Guards the calls of one run: each has one proposal, whichever process takes the run up again. */
import { list, nothingMore, record } from '../domain/settings.ts';
import { refuseOnDecide, withoutCallId } from './call-end.ts';
import type { CallDecision, RunContext, StatedCall } from './calls/calls.ts';
import { mayRun, toolFunction } from './calls/declared-tool.ts';
import type { GuardedCall, GuardOptions, GuardRunOptions, GuardSettings } from './calls/guarded-call.ts';
import { checkGuarded, checkGuardOptions, checkGuardSettings, checkRunOptions } from './calls/option-checks.ts';
import { checkId, proposalIdOf } from './exchange/proposal-id.ts';
import { type PartOf, partsOf } from './exchange/together.ts';
import type { GatedCalls } from './gated-calls.ts';
import { type WithChange, withChange } from './running/change.ts';

/**
 * The calls of one run. The framework's own approval only means "look again": `run` waits for the gate's decision and runs what the permit is for.
 *
 * @example
 * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
 * const call = { callId: 'call_1', tool: 'Refund', input: { orderId: 'o-1', amount: 25 } };
 * if (await guard.asks(call)) console.log('suspend the run; a person is asked');
 * console.log(await guard.run(call, async (input) => `refunded ${JSON.stringify(input)}`));
 */
export interface RunGuard {
  /**
   * Proposes the call and resolves as soon as the gate has judged it, so that a framework can suspend its run. The proposal is withdrawn if the
   * signal aborts.
   *
   * @returns whether people are or were asked: the answer stays the same after theirs, and in every process
   * @throws InvalidProposalError, NoDecisionError, and the signal's reason
   */
  asks(call: GuardedCall, options?: GuardOptions): Promise<boolean>;
  /** As the client's `decide`: proposes the call unless this process did, and waits for its end. For frameworks that run the tool themselves. */
  decide(call: GuardedCall, options?: GuardOptions): Promise<CallDecision>;
  /**
   * Waits for the decision and runs the tool with the input that the permit is for. A proposal that nobody waits for any more is withdrawn.
   *
   * @throws NotApprovedError with the message for the model, unless the call was approved; and as a wrapped tool of the client
   */
  run<Output>(call: GuardedCall, tool: ToolOfRun<Output>, options?: GuardRunOptions): Promise<Awaited<Output>>;
  /** As `run`, with the output as the model gets it: a sentence tells which arguments ran where a person changed them. */
  answer<Output>(
    call: GuardedCall,
    tool: ToolOfRun<Output>,
    options?: GuardRunOptions,
  ): Promise<Awaited<Output> | string | WithChange<Awaited<Output>>>;
  /** Withdraws a call that nobody waits for any more: for frameworks whose abort comes after `onAbort: 'leave'`. */
  withdraw(call: Pick<GuardedCall, 'callId'>): Promise<void>;
  /**
   * Guards the calls of one turn as one proposal, so that people see one card. Each call runs under its own part of the decision. All of them wait
   * until people have answered; the proposal is withdrawn once none of them is waited for. The same calls in the same order meet the same proposal.
   *
   * A call is proposed alone if it is not among `calls` with the same arguments, and every call if they cannot share a proposal: a single one,
   * more than 20, two with the same id, more than 256 KB, or one with a title or other words of its own.
   *
   * @example
   * const guard = CountersignClient.fromEnvironment().guard({ run: 'conversation-7' });
   * const calls = [1, 2].map((order) => ({ callId: `call_${order}`, tool: 'Refund', input: { order } }));
   * const turn = guard.together(calls);
   * console.log(await Promise.allSettled(calls.map((call) => turn.run(call, async ({ order }) => `refunded ${order}`))));
   */
  together(calls: readonly GuardedCall[]): TurnGuard;
}

/** The calls of one turn. */
export type TurnGuard = Pick<RunGuard, 'asks' | 'decide' | 'run' | 'answer'>;

/** A tool of a framework: gets the input that the permit is for. */
export type ToolOfRun<Output> = (input: Readonly<Record<string, unknown>>, context: RunContext) => Output;

/** @throws InvalidSettingError for an empty `run`, and for a time-out that is no length of time */
export function guardOf(calls: GatedCalls, settings: GuardSettings): RunGuard {
  checkGuardSettings(settings);
  checkId(settings.run, 'run', 'it is the id of the run or conversation');
  /** Where the folders of calls led when they were proposed. */
  const folders = new Map<string, string | undefined>();

  const stated = (given: GuardedCall, options: GuardOptions): StatedCall => {
    checkGuarded(given);
    const { callId, ...call } = given;
    const { run, ...shared } = settings;
    checkId(callId, 'callId', `give the framework's id of this ${String(call.tool)} call`);
    return { ...shared, ...call, ...options, id: proposalIdOf(run, callId) };
  };

  const guardWith = (partOf: PartOf): TurnGuard => {
    const turn: TurnGuard = {
      asks: async (call, options = {}) => {
        checkGuardOptions(options);
        const own = stated(call, options);
        const folder = await calls.folderOf(own);
        if (folder !== undefined) folders.set(call.callId, folder);
        return calls.asks(own, partOf(call));
      },
      decide: async (call, options = {}) => {
        checkGuardOptions(options);
        const own = stated(call, options);
        refuseOnDecide(call);
        return withoutCallId(await calls.decide(own, { part: partOf(call) }));
      },
      run: async <Output>(
        call: GuardedCall,
        tool: ToolOfRun<Output>,
        given: GuardRunOptions = {},
      ): Promise<Awaited<Output>> => {
        toolFunction(tool, 'tool');
        checkRunOptions(given);
        const { readEdit, ...options } = given;
        const own = stated(call, options);
        const before = folders.get(call.callId);
        folders.delete(call.callId);
        const run = tool as (input: unknown, context: RunContext) => unknown;
        return (await calls.run(own, run, { part: partOf(call), before, readEdit })) as Awaited<Output>;
      },
      answer: <Output>(call: GuardedCall, tool: ToolOfRun<Output>, options: GuardRunOptions = {}) =>
        turn.run(
          call,
          // Anything else is refused before the call is proposed.
          mayRun(tool)
            ? async (input, context) => withChange<Awaited<Output>>(await tool(input, context), context.change)
            : tool,
          options,
        ),
    };
    return turn;
  };
  return {
    ...guardWith(() => undefined),
    withdraw: async (call) => {
      record(call, 'call');
      checkId(call.callId, 'callId', "give the framework's id of the call");
      await calls.withdraw(proposalIdOf(settings.run, call.callId));
    },
    together: (turn, ...more: unknown[]) => {
      nothingMore(more, 'state the words of a call in the call, and those of all calls in the guard');
      list(turn, 'calls');
      for (const [index, call] of turn.entries()) {
        record(call, `calls[${index}]`);
        checkGuarded(call);
      }
      return guardWith(partsOf(turn, settings));
    },
  };
}
