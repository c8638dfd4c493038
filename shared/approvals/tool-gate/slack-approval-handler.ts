/** Asks the deployed gate about calls: its rules first, then people in Slack. */
import { checkSettings, oneOf, text } from '../../domain/settings.ts';
import type { DeployedGate } from '../askers/deployed-gate.ts';
import { gateAsker } from '../askers/gate.ts';
import type { ApprovalDecision, ApprovalHandler } from './approval-handler.ts';
import { asHandler } from './asked-handler.ts';
import type { ToolClass } from './tool.ts';

/** How `SlackApprovalHandler` proposes. */
export interface SlackApprovalOptions {
  readonly cwd?: string | undefined;
  /** Tools of this class are not asked about. Default: the gate's rules say what is. */
  readonly fastPath?: ToolClass | undefined;
}

/**
 * `gateAsker` as a handler. Allows exactly what was approved. Fails closed.
 *
 * @example
 * const handler = new SlackApprovalHandler(CountersignClient.fromEnvironment(), { fastPath: 'ReadOnly' });
 * console.log(await handler.approve('Bash', { command: 'ls' }, 'Mutating', AbortSignal.timeout(60_000)));
 */
export class SlackApprovalHandler implements ApprovalHandler {
  readonly #handler: ApprovalHandler;

  constructor(gate: DeployedGate, options: SlackApprovalOptions = {}) {
    checkSettings(options, { cwd: text, fastPath: oneOf('ReadOnly', 'Mutating') });
    const { cwd, fastPath } = options;
    this.#handler = asHandler(gateAsker(gate, { cwd }), { fastPath });
  }

  approve(
    ...call: [toolName: string, input: unknown, toolClass: ToolClass, signal: AbortSignal]
  ): Promise<ApprovalDecision> | ApprovalDecision {
    return this.#handler.approve(...call);
  }
}
