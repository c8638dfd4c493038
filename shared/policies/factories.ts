/** Makes the six policies from options with names, for programs that put them together by hand. */
import type { Duration } from '../domain/duration.ts';
import { type Checks, checkSettings, fn, having, natural, oneOf, text } from '../domain/settings.ts';
import type { Asker } from '../ports/asker.ts';
import type { LlmClient } from '../ports/llm-client.ts';
import { wait } from '../ports/timers.ts';
import { withDeadline } from '../ports/with-deadline.ts';
import type { AgentPolicy } from './agent-policy.ts';
import { TimeoutBehavior } from './approval-channel.ts';
import { asChannel } from './asked-channel.ts';
import { CompositePolicy } from './composite.ts';
import { FirstAvailablePolicy } from './first-available.ts';
import { HumanInTheLoopPolicy } from './human-in-the-loop.ts';
import { LlmPolicy } from './llm.ts';
import type { ApprovalPredicate } from './predicates/approval-predicate.ts';
import { PriorityPolicy } from './priority.ts';
import { type Random, RandomPolicy } from './random.ts';

/** A policy that takes the first action of the space. */
export const firstAvailable = (): AgentPolicy => new FirstAvailablePolicy();

/** A policy that takes any action of the space. `source` gives numbers in [0, 1); default: `Math.random`. */
export const random = (source?: Random): AgentPolicy => new RandomPolicy(source);

/** A policy that takes the first of the listed flows that is available, else the first action of the space. */
export const priority = (...flows: readonly string[]): AgentPolicy => new PriorityPolicy(flows);

/** How `llm` asks its model. */
export interface LlmOptions {
  readonly client: LlmClient;
  /** The model's name, as its provider knows it. */
  readonly model: string;
  /** Replaces the default prompt entirely. */
  readonly system?: string | undefined;
  /** Corrections after an answer that cannot be read. Default: 2. */
  readonly retries?: number | undefined;
}

/**
 * A policy that a language model chooses for.
 *
 * @throws InvalidSettingError for options that are none
 * @example
 * const policy = llm({ client: model, model: 'claude-sonnet-4-5', retries: 1 });
 * console.log(await policy.choose(space, snapshot));
 */
export function llm(options: LlmOptions): AgentPolicy {
  checkSettings(options, LLM_CHECKS, { required: ['client', 'model'] });
  const { client, model, system, retries } = options;
  return new LlmPolicy(client, model, { systemPrompt: system, maxRetries: retries });
}

const LLM_CHECKS: Checks<LlmOptions> = { client: having('complete'), model: text, system: text, retries: natural };

/** How `humanInTheLoop` asks people. */
export interface HumanInTheLoopOptions {
  /** Proposes the action that people are asked about. Default: the first action of the space. */
  readonly propose?: AgentPolicy | undefined;
  readonly ask: Asker;
  /** How long a person has to answer. */
  readonly timeout: Duration;
  /** The meaning of silence. Default: `'reject'`. */
  readonly onTimeout?: TimeoutBehavior | undefined;
}

/**
 * A policy whose proposals a person decides on, within `timeout`. An error of the asker is a refusal.
 *
 * @throws InvalidSettingError for a time-out that is none
 * @example
 * const policy = humanInTheLoop({ propose: priority('release_escrow'), ask: async () => ({ type: 'approved' }), timeout: '3m' });
 * console.log(await policy.choose(space, snapshot));
 */
export function humanInTheLoop(options: HumanInTheLoopOptions): AgentPolicy {
  checkSettings(options, HUMAN_CHECKS, { required: ['ask', 'timeout'] });
  const { propose = new FirstAvailablePolicy(), ask, timeout, onTimeout = TimeoutBehavior.Reject } = options;
  return new HumanInTheLoopPolicy(propose, asChannel(withDeadline(ask, timeout)), timeout, onTimeout);
}

const HUMAN_CHECKS: Checks<HumanInTheLoopOptions> = {
  propose: having('choose'),
  ask: fn,
  timeout: wait,
  onTimeout: oneOf(...Object.values(TimeoutBehavior)),
};

/** The parts of `composite`. */
export interface CompositeOptions {
  readonly propose: AgentPolicy;
  /** Picks the proposals that the approver is asked about; all others are taken. */
  readonly when: ApprovalPredicate;
  /** Is given a space with the proposed action alone. */
  readonly approve: AgentPolicy;
}

/**
 * A policy that proposes, and another that agrees or refuses where `when` says so.
 *
 * @example
 * const policy = composite({
 *   propose: llm({ client: model, model: 'claude-sonnet-4-5' }),
 *   when: flow('release_escrow', 'cancel_order'),
 *   approve: humanInTheLoop({ ask: async () => ({ type: 'rejected', reason: 'not on a Friday' }), timeout: '3m' }),
 * });
 * console.log(await policy.choose(space, snapshot));
 */
export function composite(options: CompositeOptions): AgentPolicy {
  checkSettings(options, COMPOSITE_CHECKS, { required: ['propose', 'when', 'approve'] });
  return new CompositePolicy(options.propose, options.approve, options.when);
}

const COMPOSITE_CHECKS: Checks<CompositeOptions> = {
  propose: having('choose'),
  when: having('requiresApproval'),
  approve: having('choose'),
};
