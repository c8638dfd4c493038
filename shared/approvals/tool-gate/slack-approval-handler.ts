/** A handler that asks the deployed gate: its rules first, then people in Slack. */
import type { DeployedGate } from '../channels/deployed-gate.ts';
import { ApprovalDecision, type ApprovalHandler } from './approval-handler.ts';
import type { ToolClass } from './tool.ts';

/** How `SlackApprovalHandler` proposes. */
export interface SlackApprovalOptions {
  readonly cwd?: string;
  /** Tools of this class are not asked about. Default: the gate's rules say what is. */
  readonly fastPath?: ToolClass;
}

/**
 * Allows exactly what was approved: a call with an `effective` input has to be made again with that. Fails closed.
 *
 * @example
 * const handler = new SlackApprovalHandler(CountersignClient.fromEnvironment(), { fastPath: 'ReadOnly' });
 * console.log(await handler.approve('Bash', { command: 'ls' }, 'Mutating', AbortSignal.timeout(60_000)));
 */
export class SlackApprovalHandler implements ApprovalHandler {
  readonly #gate: DeployedGate;
  readonly #options: SlackApprovalOptions;

  constructor(gate: DeployedGate, options: SlackApprovalOptions = {}) {
    this.#gate = gate;
    this.#options = options;
  }

  async approve(
    toolName: string,
    input: unknown,
    toolClass: ToolClass,
    signal: AbortSignal,
  ): Promise<ApprovalDecision> {
    const { cwd, fastPath } = this.#options;
    if (toolClass === fastPath) return ApprovalDecision.Allow;
    if (typeof input !== 'object' || input === null || Array.isArray(input))
      return ApprovalDecision.Deny('The arguments of a call have to be a JSON object.');
    const action = { toolName, input: input as Readonly<Record<string, unknown>>, ...(cwd ? { cwd } : {}) };
    const proposalId = await this.#gate.propose(action);
    try {
      const decision = await this.#gate.wait(proposalId, { signal });
      const effective = decision.outcome === 'approved' ? decision.calls[0]?.effective : undefined;
      if (effective)
        return ApprovalDecision.Deny(
          `This call may run with other arguments only. Make it again with exactly these: ${JSON.stringify(effective.input)}`,
        );
      this.#gate.assertRunnable(decision, proposalId, action);
      return ApprovalDecision.Allow;
    } catch (error) {
      // Nobody waits any more: the card is taken back.
      if (signal.aborted) await this.#gate.cancel(proposalId);
      return ApprovalDecision.Deny(error instanceof Error ? error.message : 'the gate gave no decision');
    }
  }
}
