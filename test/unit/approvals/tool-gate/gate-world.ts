/** Makes tools that note what ran and wait to be let go, and handlers that note what they are asked. */
import { ApprovalDecision, type ApprovalHandler } from '../../../../shared/approvals/tool-gate/approval-handler.ts';
import { type ExecutorOptions, ToolExecutor } from '../../../../shared/approvals/tool-gate/executor.ts';
import { ToolRegistry } from '../../../../shared/approvals/tool-gate/registry.ts';
import type { AgentTool, AgentToolCall, ToolClass } from '../../../../shared/approvals/tool-gate/tool.ts';

export const call = (name: string, id = name, input: unknown = {}): AgentToolCall => ({ id, name, input });

interface Gated {
  readonly tool: AgentTool;
  /** Ids of the inputs that are running, and that have run. */
  readonly running: unknown[];
  readonly ran: unknown[];
}

/** A tool that finishes after some turns of the event loop: the later calls first, to shake the order. */
export function slowTool(name: string, toolClass?: ToolClass): Gated & { readonly peak: () => number } {
  const running: unknown[] = [];
  const ran: unknown[] = [];
  let peak = 0;
  const tool: AgentTool = {
    name,
    ...(toolClass ? { class: toolClass } : {}),
    execute: async (input) => {
      running.push(input);
      peak = Math.max(peak, running.length);
      for (let turn = 0; turn < 20 - ran.length; turn += 1) await Promise.resolve();
      running.splice(running.indexOf(input), 1);
      ran.push(input);
      return `${name} ran`;
    },
  };
  return { tool, running, ran, peak: () => peak };
}

export const executorOf = (tools: readonly AgentTool[], options: Partial<ExecutorOptions> = {}): ToolExecutor =>
  new ToolExecutor({ registry: new ToolRegistry(tools), ...options });

export const denying = (reason: string): ApprovalHandler => ({ approve: () => ApprovalDecision.Deny(reason) });

export const hanging: ApprovalHandler = { approve: () => new Promise<ApprovalDecision>(() => {}) };
