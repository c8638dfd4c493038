/** Guards the calls of one run of a framework: each call has one proposal, whichever process takes the run up again. */
import { identifier } from '../contract/primitives.ts';
import { sha256Hex } from '../domain/digest.ts';
import { InvalidSettingError } from '../domain/errors.ts';
import type { CallOptions } from './call-options.ts';
import type { CallDecision, RunContext, StatedCall } from './calls.ts';
import { withChange } from './change.ts';
import { type GatedCalls, withoutCallId } from './gated-calls.ts';

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
export class Guard {
  readonly #calls: GatedCalls;
  readonly #settings: GuardSettings;
  /** Where the folders of calls led when they were proposed. */
  readonly #folders = new Map<string, string | undefined>();

  constructor(calls: GatedCalls, settings: GuardSettings) {
    if (!settings.run) throw new InvalidSettingError('run', 'is empty: it is the id of the run or conversation');
    this.#calls = calls;
    this.#settings = settings;
  }

  /**
   * Proposes the call and resolves as soon as the gate has judged it, so that a framework can suspend its run. The proposal is withdrawn if the
   * signal aborts.
   *
   * @returns whether people are or were asked: the answer stays the same after theirs, and in every process
   * @throws InvalidProposalError, NoDecisionError, and the signal's reason
   */
  async asks(call: GuardedCall, options: GuardOptions = {}): Promise<boolean> {
    const stated = this.#stated(call, options);
    const folder = await this.#calls.folderOf(stated);
    if (folder !== undefined) this.#folders.set(call.callId, folder);
    return this.#calls.asks(stated);
  }

  /** As the client's `decide`: proposes the call unless this process did, and waits for its end. For frameworks that run the tool themselves. */
  async decide(call: GuardedCall, options: GuardOptions = {}): Promise<CallDecision> {
    return withoutCallId(await this.#calls.decide(this.#stated(call, options)));
  }

  /**
   * Waits for the decision and runs the tool with the input that the permit is for. A proposal that nobody waits for any more is withdrawn.
   *
   * @throws NotApprovedError with the message for the model, unless the call was approved; and as a wrapped tool of the client
   */
  async run<Output>(
    call: GuardedCall,
    tool: (input: Readonly<Record<string, unknown>>, context: RunContext) => Output,
    options: GuardOptions = {},
  ): Promise<Awaited<Output>> {
    const folder = this.#folders.get(call.callId);
    this.#folders.delete(call.callId);
    const run = tool as (input: unknown, context: RunContext) => unknown;
    return (await this.#calls.run(this.#stated(call, options), run, undefined, folder)) as Awaited<Output>;
  }

  /** As `run`, with the output as the model gets it: a sentence tells which arguments ran where a person changed them. */
  async answer<Output>(
    call: GuardedCall,
    tool: (input: Readonly<Record<string, unknown>>, context: RunContext) => Output,
    options: GuardOptions = {},
  ) {
    return this.run(
      call,
      async (input, context) => withChange<Awaited<Output>>(await tool(input, context), context.change),
      options,
    );
  }

  /** Withdraws a call that nobody waits for any more: for frameworks whose abort comes after `onAbort: 'leave'`. */
  async withdraw({ callId }: Pick<GuardedCall, 'callId'>): Promise<void> {
    await this.#calls.withdraw(`${named(this.#settings.run)}:${named(callId)}`);
  }

  #stated({ callId, ...call }: GuardedCall, options: GuardOptions): StatedCall {
    const { run, ...settings } = this.#settings;
    if (!callId) throw new InvalidSettingError('callId', `is empty: a call of ${call.tool} has to be known again`);
    return { ...settings, ...call, ...options, id: `${named(run)}:${named(callId)}` };
  }
}

const named = (id: string): string =>
  identifier.max(MAX_ID).safeParse(id).success ? id : sha256Hex(id).slice(0, MAX_ID);
