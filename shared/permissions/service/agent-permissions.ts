/** Checks an agent's calls: adds buffered rules of need-appeal tools, asks hooks, then the service. */
import { isToolName, TOOL_NAMES } from '../../domain/proposal/tool-name.ts';
import { having } from '../../domain/settings.ts';
import { parseMode } from '../model/modes.ts';
import type { RuleInput } from '../model/types.ts';
import { RuleUpdateError } from '../rules/rule-update.ts';
import type { PermissionDecision } from './config.ts';
import { askHooks, type PermissionHook } from './permission-hooks.ts';
import type { PermissionService } from './permission-service.ts';

interface AskContext {
  readonly service: PermissionService;
  readonly toolName: string;
  readonly input: unknown;
  /** Milliseconds. */
  readonly started: number;
}

/**
 * Permissions of one agent: its hooks are asked first, then the service.
 *
 * @example
 * const permissions = new AgentPermissions(new PermissionService());
 * permissions.addNeedAppealTool('Deploy');
 * console.log(await permissions.toolNeedsApproval('Deploy', {}));
 */
export class AgentPermissions {
  readonly #service: PermissionService | undefined;
  readonly #hooks: readonly PermissionHook[];
  readonly #tools = new Set<string>();
  #buffered: RuleInput[] = [];

  constructor(service?: PermissionService, hooks: readonly PermissionHook[] = []) {
    if (service !== undefined) having('check')(service, 'service');
    this.#service = service;
    this.#hooks = hooks;
  }

  get tools(): readonly string[] {
    return [...this.#tools];
  }

  get bufferedRules(): readonly RuleInput[] {
    return this.#buffered;
  }

  addTool(toolName: string): void {
    this.#tools.add(toolName);
  }

  /**
   * Synchronous: the tool is there at once, its rule waits for the next check. Without a service nothing asks.
   * @throws RuleUpdateError if no tool can have that name.
   */
  addNeedAppealTool(toolName: string): void {
    if (!isToolName(toolName)) throw new RuleUpdateError('unknown_tool', `toolName: ${TOOL_NAMES}.`);
    this.#tools.add(toolName);
    if (this.#service === undefined) return;
    this.#buffered.push({
      effect: 'ask',
      pattern: toolName,
      source: 'session',
      suggestions: ['Allow', 'Deny'],
      description: 'a tool that needs an appeal',
    });
  }

  /** Each rule once. */
  #flush(service: PermissionService): void {
    const rules = this.#buffered;
    this.#buffered = [];
    for (const rule of rules) service.addRule(rule);
  }

  /** A refusal in front of the service has its entry, too. */
  #refuse(call: AskContext, more: Pick<PermissionDecision, 'message' | 'error'>): Promise<PermissionDecision> {
    const { service, toolName, input, started } = call;
    const micros = Math.max(0, Math.round((performance.now() - started) * 1000));
    return service.record(toolName, input, { decision: 'deny', reason: 'hook', source: 'hooks', ...more }, micros);
  }

  async toolNeedsApproval(toolName: string, input: unknown): Promise<boolean> {
    const { decision } = await this.checkToolApproval(toolName, input);
    return decision === 'ask' || decision === 'require_approval';
  }

  async checkToolApproval(toolName: string, input: unknown): Promise<PermissionDecision> {
    const service = this.#service;
    if (service === undefined) {
      return {
        decision: 'allow',
        reason: 'no_service',
        source: 'agent',
        message: 'No permission service is configured.',
      };
    }
    this.#flush(service);
    const call: AskContext = { service, toolName, input, started: performance.now() };
    const { fact, mode } = await askHooks(this.#hooks, { toolName, input });
    if (fact?.decision === 'block' || fact?.decision === 'deny')
      return this.#refuse(call, { message: fact.reason ?? 'A hook refused the call.' });
    const override = parseMode(mode ?? '');
    if (mode !== undefined && override === undefined)
      return this.#refuse(call, { message: 'A hook asked for an unknown mode.', error: 'unknown_mode' });
    return service.check(toolName, input, { hook: fact, mode: override });
  }
}
