/**
 * Guards the calls of one run of a framework.
 *
 * Each call has one proposal, whichever process takes the run up again.
 */
import { identifier } from '../contract/primitives.ts';
import { sha256Hex } from '../domain/digest.ts';
import { duration } from '../domain/duration.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import { type Checks, checkedElsewhere, checkSettings, fn, oneOf, record, text } from '../domain/settings.ts';
import type { CallOptions } from './call-options.ts';
import type { CallDecision, RunContext, StatedCall } from './calls.ts';
import { type WithChange, withChange } from './change.ts';
import { type GatedCalls, withoutCallId } from './gated-calls.ts';
import { checkTimeout } from './sending.ts';

/** One call of a run as the framework states it. */
export interface GuardedCall extends Omit<StatedCall, 'id'> {
  /** The framework's own id of the call, which stays the same when the run is taken up again. */
  readonly callId: string;
}

/** How a guarded call is waited for. */
export type GuardOptions = Pick<CallOptions, 'signal' | 'timeout' | 'onAbort'>;

/** The run whose calls are guarded. */
export interface GuardSettings extends Omit<CallOptions, 'id' | 'signal'> {
  /** Id of the run or conversation: with the id of a call it names the proposal. */
  readonly run: string;
}

/** The words of a proposal are checked with the proposal. */
const CHECKS: Checks<GuardSettings> = {
  run: checkedElsewhere,
  timeout: duration,
  onAbort: oneOf('cancel', 'leave'),
  title: checkedElsewhere,
  description: checkedElsewhere,
  reason: checkedElsewhere,
  cwd: checkedElsewhere,
  sessionId: checkedElsewhere,
  expiresAt: checkedElsewhere,
  state: checkedElsewhere,
  starts: record,
  urgency: checkedElsewhere,
  annotations: record,
  idempotencyKey: text,
  limits: record,
  fallback: fn,
};

/** Longer ids, and those with other characters, are named by their digest. */
const MAX_ID = 63;

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
  run<Output>(call: GuardedCall, tool: ToolOfRun<Output>, options?: GuardOptions): Promise<Awaited<Output>>;
  /** As `run`, with the output as the model gets it: a sentence tells which arguments ran where a person changed them. */
  answer<Output>(
    call: GuardedCall,
    tool: ToolOfRun<Output>,
    options?: GuardOptions,
  ): Promise<Awaited<Output> | string | WithChange<Awaited<Output>>>;
  /** Withdraws a call that nobody waits for any more: for frameworks whose abort comes after `onAbort: 'leave'`. */
  withdraw(call: Pick<GuardedCall, 'callId'>): Promise<void>;
}

/** A tool of a framework: gets the input that the permit is for. */
export type ToolOfRun<Output> = (input: Readonly<Record<string, unknown>>, context: RunContext) => Output;

/** @throws InvalidSettingError for an empty `run`, and for a time-out that is no length of time */
export function guardOf(calls: GatedCalls, settings: GuardSettings): RunGuard {
  checkSettings(settings, CHECKS, { of: 'settings' });
  if (settings.run) text(settings.run, 'run');
  else throw new InvalidSettingError('run', 'is empty: it is the id of the run or conversation');
  checkTimeout(settings);
  /** Where the folders of calls led when they were proposed. */
  const folders = new Map<string, string | undefined>();

  const stated = ({ callId, ...call }: GuardedCall, options: GuardOptions): StatedCall => {
    const { run, ...shared } = settings;
    if (!callId) throw new InvalidSettingError('callId', `is empty: a call of ${call.tool} has to be known again`);
    return { ...shared, ...call, ...options, id: proposalIdOf(run, callId) };
  };

  const guard: RunGuard = {
    asks: async (call, options = {}) => {
      checkTimeout(options);
      const own = stated(call, options);
      const folder = await calls.folderOf(own);
      if (folder !== undefined) folders.set(call.callId, folder);
      return calls.asks(own);
    },
    decide: async (call, options = {}) => withoutCallId(await calls.decide(stated(call, options))),
    run: async <Output>(
      call: GuardedCall,
      tool: ToolOfRun<Output>,
      options: GuardOptions = {},
    ): Promise<Awaited<Output>> => {
      const folder = folders.get(call.callId);
      folders.delete(call.callId);
      const run = tool as (input: unknown, context: RunContext) => unknown;
      return (await calls.run(stated(call, options), run, undefined, folder)) as Awaited<Output>;
    },
    answer: <Output>(call: GuardedCall, tool: ToolOfRun<Output>, options: GuardOptions = {}) =>
      guard.run(
        call,
        async (input, context) => withChange<Awaited<Output>>(await tool(input, context), context.change),
        options,
      ),
    withdraw: ({ callId }) => calls.withdraw(proposalIdOf(settings.run, callId)),
  };
  return guard;
}

/** The id of a call's proposal. An id that cannot be part of it has its digest there. */
export const proposalIdOf = (run: string, callId: string): string => `${named(run)}:${named(callId)}`;

const named = (id: string): string =>
  identifier.max(MAX_ID).safeParse(id).success ? id : sha256Hex(id).slice(0, MAX_ID);
