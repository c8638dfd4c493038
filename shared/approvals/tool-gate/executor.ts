/** Runs tools behind both gates: policy, then whether the tool exists, then approval, then the tool. */
import { copied } from '../../domain/own.ts';
import { type ApprovalHandler, AutoApprove } from './approval-handler.ts';
import { awaitApproval } from './await-approval.ts';
import { type ConcurrencySettings, DEFAULT_MUTATOR_POOL, limitOf } from './concurrency.ts';
import type { ToolRegistry } from './registry.ts';
import { errorResult, REFUSAL, resultOf } from './results.ts';
import { isAllowed, type Run, runsOf } from './runs.ts';
import { Semaphore } from './semaphore.ts';
import { type AgentTool, type AgentToolCall, type AgentToolResult, classOf, type GatedExecutor } from './tool.ts';
import { AllowAll, type ToolPolicy } from './tool-policy.ts';

/** The signal and the depth of the run that a call belongs to. */
type RunContext = NonNullable<Parameters<GatedExecutor['executeOne']>[1]>;

/** How a `GatedExecutor` runs tools. */
export interface ExecutorOptions {
  readonly registry: ToolRegistry;
  readonly policy?: ToolPolicy;
  readonly approval?: ApprovalHandler;
  readonly concurrency?: ConcurrencySettings;
  /** Promoted mutating calls of one batch at once. Default 16. */
  readonly mutatorPool?: number;
}

/** Immutable, and so shared with sub-agents: registry, policy and handler are the parent's. */
export class ToolExecutor implements GatedExecutor {
  readonly registry: ToolRegistry;
  readonly policy: ToolPolicy;
  readonly approval: ApprovalHandler;
  readonly concurrency: ConcurrencySettings;
  readonly #mutatorPool: number;

  constructor({ registry, policy, approval, concurrency, mutatorPool }: ExecutorOptions) {
    this.registry = registry;
    this.policy = policy ?? AllowAll;
    this.approval = approval ?? AutoApprove;
    this.concurrency = concurrency ?? {};
    this.#mutatorPool = mutatorPool ?? DEFAULT_MUTATOR_POOL;
  }

  /** One call. Never throws: whatever goes wrong is an error result that the model can read. */
  async executeOne(given: AgentToolCall, { signal = NEVER, depth = 0 }: RunContext = {}): Promise<AgentToolResult> {
    // The caller's own object may change while a person is asked.
    const call = copied(given);
    if (!call) return errorResult(given, REFUSAL.notPlain);
    if (!isAllowed(this.policy, call.name)) return errorResult(call, REFUSAL.byPolicy(call.name));
    const tool = this.registry.get(call.name);
    if (!tool) return errorResult(call, REFUSAL.notFound(call.name));
    const decision = await awaitApproval(this.approval, call, classOf(tool), signal);
    if (decision === 'cancelled') return errorResult(call, REFUSAL.cancelledWaiting);
    if (decision.type === 'deny') return errorResult(call, REFUSAL.denied(decision.reason));
    return this.#run(tool, call, signal, depth);
  }

  /** All calls of one turn: one result each, in their order, however they ran. */
  async executeBatch(calls: readonly AgentToolCall[], context: RunContext = {}): Promise<readonly AgentToolResult[]> {
    const results: AgentToolResult[] = [];
    for (const run of runsOf(this, calls)) results.push(...(await this.#executeRun(run, context)));
    return results;
  }

  /** The places are a batch's own: a sub-agent that waits for its parent's place would wait for ever. */
  #executeRun({ route, calls }: Run, context: RunContext): Promise<AgentToolResult[]> {
    const pool = new Semaphore(POOL[route](this.#mutatorPool));
    const perTool = new Map<string, Semaphore>();
    const ownPlace = (name: string): Semaphore => {
      const semaphore = perTool.get(name) ?? new Semaphore(limitOf(this.concurrency, name) ?? Number.POSITIVE_INFINITY);
      perTool.set(name, semaphore);
      return semaphore;
    };
    const start = (call: AgentToolCall) => () => this.#start(call, context);
    return Promise.all(calls.map((call) => ownPlace(call.name).run(() => pool.run(start(call)))));
  }

  /** A call that has not started when the cancel comes never starts. */
  async #start(call: AgentToolCall, context: RunContext): Promise<AgentToolResult> {
    return context.signal?.aborted ? errorResult(call, REFUSAL.cancelledBefore) : this.executeOne(call, context);
  }

  async #run(tool: AgentTool, call: AgentToolCall, signal: AbortSignal, depth: number): Promise<AgentToolResult> {
    try {
      const output = await tool.execute(call.input, { signal, executor: this, depth });
      return typeof output === 'string' ? resultOf(call, output) : errorResult(call, output.error);
    } catch (error) {
      return errorResult(call, REFUSAL.failed(error instanceof Error ? error.message : String(error)));
    }
  }
}

const NEVER = new AbortController().signal;

/** How many calls of a run go at once. */
const POOL: Readonly<Record<Run['route'], (mutators: number) => number>> = {
  ReadOnly: () => Number.POSITIVE_INFINITY,
  ShortCircuit: () => Number.POSITIVE_INFINITY,
  ConcurrentMut: (mutators) => mutators,
  SerialMut: () => 1,
};
