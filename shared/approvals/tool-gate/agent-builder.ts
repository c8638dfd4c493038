/** Puts an agent together; what is not set has the default of the contract. */
import { having, listOf, record, text } from '../../domain/settings.ts';
import type { Asker } from '../../ports/asker.ts';
import { type AgentOptions, type AgentResult, type Model, runAgent } from './agent-loop.ts';
import type { ApprovalHandler } from './approval-handler.ts';
import { type AskedHandlerOptions, asHandler } from './asked-handler.ts';
import type { ToolConcurrency } from './concurrency.ts';
import { ToolExecutor } from './executor.ts';
import { ToolRegistry } from './registry.ts';
import type { AgentTool, GatedExecutor } from './tool.ts';
import { isTool } from './tool.ts';
import type { ToolPolicy } from './tool-policy.ts';

/** A built agent: `run` answers one prompt. */
export interface Agent {
  /** Runs the agent's tools behind the same policy and people. */
  readonly executor: GatedExecutor;
  /**
   * Runs until the model has no more calls to make.
   *
   * @throws AgentCancelledError if the signal aborts, InvalidSettingError for an option that does not fit
   */
  run(prompt: string, options?: AgentOptions): Promise<AgentResult>;
}

/**
 * Builds an agent step by step: model, tools, and whoever decides on its calls. Without `ask` or `approval` every call is allowed.
 *
 * @example
 * const scripted: Model = { next: async () => ({ text: 'done' }) };
 * const agent = new AgentBuilder(scripted).ask(consoleAsker(), { fastPath: 'ReadOnly' }).build();
 * console.log((await agent.run('Read order 7.')).text);
 */
export class AgentBuilder {
  readonly #model: Model;
  readonly #tools: AgentTool[] = [];
  readonly #concurrency = new Map<string, ToolConcurrency>();
  #policy: ToolPolicy | undefined;
  #approval: ApprovalHandler | undefined;

  constructor(model: Model) {
    having('next')(model, 'model');
    this.#model = model;
  }

  tool(...tools: readonly AgentTool[]): this {
    listOf(isTool)(tools, 'tools');
    this.#tools.push(...tools);
    return this;
  }

  policy(policy: ToolPolicy): this {
    having('isAllowed')(policy, 'policy');
    this.#policy = policy;
    return this;
  }

  /** People decide on every call that the policy lets through; `fastPath` names the class of tools that nobody is asked about. */
  ask(asker: Asker, options?: AskedHandlerOptions): this {
    return this.approval(asHandler(asker, options));
  }

  approval(handler: ApprovalHandler): this {
    having('approve')(handler, 'handler');
    this.#approval = handler;
    return this;
  }

  toolConcurrency(name: string, concurrency: ToolConcurrency): this {
    text(name, 'name');
    record(concurrency, 'concurrency');
    this.#concurrency.set(name, concurrency);
    return this;
  }

  build(): Agent {
    const executor = new ToolExecutor({
      registry: new ToolRegistry(this.#tools),
      concurrency: Object.fromEntries(this.#concurrency),
      ...(this.#policy ? { policy: this.#policy } : {}),
      ...(this.#approval ? { approval: this.#approval } : {}),
    });
    return { executor, run: (prompt, options) => runAgent(prompt, { ...options, model: this.#model, executor }) };
  }
}
