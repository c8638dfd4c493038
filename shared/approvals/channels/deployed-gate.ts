/** The deployed gate, as the library's handlers and channels use it: `CountersignClient` is one. */
import type { ActionSpace, AgentSnapshot, Decision } from '../../contract/index.ts';

/** The methods of a deployed gate that handlers and channels use. `CountersignClient` has them. */
export interface DeployedGate {
  /** Resolves with the proposal's id once it is on its way. */
  propose(call: {
    readonly toolName: string;
    readonly input: Readonly<Record<string, unknown>>;
    readonly cwd?: string;
    readonly title?: string;
    readonly description?: string;
    readonly reason?: string;
  }): Promise<string>;
  /** Has a policy of the deployment choose one action of the space; resolves as `propose` does. */
  proposeChoice(policy: string, actionSpace: ActionSpace, snapshot: AgentSnapshot): Promise<string>;
  /** Throws the signal's reason if it aborts. */
  wait(proposalId: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Decision>;
  cancel(proposalId: string, reason?: string): Promise<void>;
  /** Throws unless exactly this action may run now, with a message for the model. */
  assertRunnable(
    decision: Decision,
    proposalId: string,
    action: { readonly toolName: string; readonly input: unknown; readonly cwd?: string | undefined },
  ): void;
}
