/** Builds what a case of the tool gate names: tools, handlers, policies, models. */
import type { AgentMessage, Model, ModelTurn } from '../../../shared/approvals/tool-gate/agent-loop.ts';
import {
  ApprovalDecision,
  type ApprovalHandler,
  AutoApprove,
} from '../../../shared/approvals/tool-gate/approval-handler.ts';
import { ToolConcurrency } from '../../../shared/approvals/tool-gate/concurrency.ts';
import { QueuedApprovalHandler } from '../../../shared/approvals/tool-gate/queued-approval-handler.ts';
import type { AgentTool, ToolClass } from '../../../shared/approvals/tool-gate/tool.ts';
import { AllowAll, type ToolPolicy } from '../../../shared/approvals/tool-gate/tool-policy.ts';
import { isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from './uninterpretable.ts';
import type { VirtualTime } from './virtual-time.ts';
import { spoken } from './words.ts';

/** Observations after a case has run. */
interface Seen {
  readonly ran: string[];
  readonly inputs: unknown[];
  readonly approvals: { readonly tool: string; readonly input: unknown; readonly class: ToolClass }[];
  readonly decisions: unknown[];
  readonly prompts: string[];
  inFlight: number;
  maxParallel: number;
}

export const nothingSeen = (): Seen => ({
  ran: [],
  inputs: [],
  approvals: [],
  decisions: [],
  prompts: [],
  inFlight: 0,
  maxParallel: 0,
});

interface Stage {
  readonly seen: Seen;
  readonly time: VirtualTime;
  readonly cancel: AbortController;
  readonly cancelDuring: unknown;
}

/** A stub succeeds after its delay; "x raises Execution('why')" and "x returns Error('why')" fail, "x sleeps 50ms" takes its time. */
export function toolOf(words: unknown, toolClass: unknown, delayMs: unknown, stage: Stage): AgentTool {
  const { subject, plain, fault, why, delayMs: stated } = spoken(String(words));
  const name = subject ?? plain;
  if (!/^\S+$/.test(name)) throw new Uninterpretable(`tool ${String(words)}`);
  if (toolClass !== undefined && toolClass !== null && toolClass !== 'ReadOnly' && toolClass !== 'Mutating') {
    throw new Uninterpretable(`class ${String(toolClass)}`);
  }
  return {
    name,
    ...(toolClass ? { class: toolClass } : {}),
    execute: async (input) => {
      const { seen } = stage;
      seen.ran.push(name);
      seen.inputs.push(input);
      seen.inFlight += 1;
      seen.maxParallel = Math.max(seen.maxParallel, seen.inFlight);
      if (stage.cancelDuring === name) stage.cancel.abort();
      await stage.time.sleep(Number(delayMs ?? (stated || 1)));
      seen.inFlight -= 1;
      if (fault === 'silent') return new Promise<never>(() => {});
      if (fault === 'raises') throw new Error(why);
      if (fault === 'returns') return { error: why };
      return name === 'echo' && isFields(input) ? String(input['msg'] ?? '') : `${name} ran`;
    },
  };
}

export function policyOf(given: unknown): ToolPolicy {
  if (given === undefined || given === 'AllowAll') return AllowAll;
  if (!isFields(given) || !('deny' in given)) throw new Uninterpretable(`policy ${JSON.stringify(given)}`);
  const denied = [given['deny']].flat();
  return { isAllowed: (name) => !denied.includes(name) };
}

/** By tool. One that the case has no call of would have no effect. */
export function concurrencyOf(given: unknown, tools: readonly AgentTool[]): Record<string, ToolConcurrency> {
  const stated = Object.entries(isFields(given) ? given : {});
  const strange = stated.filter(([name]) => !tools.some((tool) => tool.name === name));
  if (strange.length) throw new Uninterpretable(`tool_concurrency of ${strange.map(([name]) => name).join(', ')}`);
  return Object.fromEntries(stated.map(([name, on]) => [name, concurrency(on)]));
}

function concurrency(given: unknown): ToolConcurrency {
  if (given === 'on') return ToolConcurrency.on();
  if (given === 'off') return ToolConcurrency.off();
  if (typeof given === 'number') return ToolConcurrency.on(given);
  throw new Uninterpretable(`tool_concurrency ${JSON.stringify(given)}`);
}

/** The handler of the words, which notes its questions and answers. */
export function handlerOf(given: unknown, { seen, time }: Pick<Stage, 'seen' | 'time'>): ApprovalHandler {
  const inner = bareHandlerOf(given, { seen, time });
  return {
    approve: async (tool, input, toolClass, signal) => {
      seen.approvals.push({ tool, input, class: toolClass });
      const decision = await inner.approve(tool, input, toolClass, signal);
      seen.decisions.push(decision.type === 'allow' ? 'Allow' : { Deny: decision.reason });
      return decision;
    },
  };
}

function bareHandlerOf(given: unknown, { seen, time }: Pick<Stage, 'seen' | 'time'>): ApprovalHandler {
  if (given === undefined || given === 'AutoApprove') return AutoApprove;
  if (isFields(given) && 'deny_all' in given) return always(ApprovalDecision.Deny(String(given['deny_all'])));
  if (typeof given !== 'string') throw new Uninterpretable(`handler ${JSON.stringify(given)}`);
  if (given === 'record') return AutoApprove;
  const { plain, fault, delayMs, why } = spoken(given);
  if (fault === 'silent') return { approve: () => new Promise(() => {}) };
  if (fault) return { approve: () => time.sleep(delayMs).then(() => Promise.reject(new Error(why))) };
  if (/^sleeps\b/.test(plain)) {
    const decision = decisionOf(/\bthen (.+)$/.exec(given)?.[1] ?? 'Approved');
    return { approve: () => time.sleep(delayMs).then(() => decision) };
  }
  const once = /^den(?:y|ies) (first|second|third)(?: call)?(?: then allow)?$/.exec(given);
  if (once) return denyCall(['first', 'second', 'third'].indexOf(once[1] ?? '') + 1);
  const screen = async ({ toolName }: { readonly toolName: string }) => {
    seen.prompts.push(toolName);
    await time.sleep(1);
    return ApprovalDecision.Allow;
  };
  if (given === 'prompt unless ReadOnly') return new QueuedApprovalHandler(screen, { fastPath: 'ReadOnly' });
  if (/^prompt|seriali[sz]ed/.test(given)) return new QueuedApprovalHandler(screen);
  if (/gone|closed|dropped/.test(given)) {
    const handler = new QueuedApprovalHandler(screen);
    handler.close();
    return handler;
  }
  return always(decisionOf(given));
}

const always = (decision: ApprovalDecision): ApprovalHandler => ({ approve: () => decision });

function denyCall(which: number): ApprovalHandler {
  let calls = 0;
  return {
    approve: () => {
      calls += 1;
      return calls === which ? ApprovalDecision.Deny('not this time') : ApprovalDecision.Allow;
    },
  };
}

/** "Approved", "allow", "Deny('why')" and the like. */
function decisionOf(words: string): ApprovalDecision {
  if (/^(approve|allow)/i.test(words)) return ApprovalDecision.Allow;
  const denied = /^(?:den|reject)\w*(?:\W+(.*?)['")]*)?$/i.exec(words);
  if (denied) return ApprovalDecision.Deny(denied[1] ?? 'denied');
  throw new Uninterpretable(`handler ${words}`);
}

/** A model that says its turns one after the other, and then nothing more. */
export function scriptedModel(given: readonly unknown[], heard: AgentMessage[][] = []): Model {
  const turns = given.map(turnOf);
  let next = 0;
  return {
    next: async (messages) => {
      heard.push([...messages]);
      next += 1;
      return turns[next - 1] ?? {};
    },
  };
}

function turnOf(given: unknown, index: number): ModelTurn {
  if (!isFields(given)) throw new Uninterpretable(`turn ${JSON.stringify(given)}`);
  const names = 'tool_use' in given ? [given['tool_use']].flat() : [];
  const input = whole(given['input'] ?? {});
  const id = (n: number) => String(given['id'] ?? `t${index + 1}${n ? `-${n}` : ''}`);
  const toolUses = names.map((name, n) => ({ id: id(n), name: spoken(String(name)).subject ?? String(name), input }));
  return { toolUses, ...(typeof given['text'] === 'string' ? { text: given['text'] } : {}) };
}
