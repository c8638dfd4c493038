/** Declares the deployed gate as askers use it: `CountersignClient` is one. */
import type { ActionSpace, AgentSnapshot } from '../../contract/action-space.ts';
import type { Decision } from '../../contract/decision.ts';

/** The methods of a deployed gate that `gateAsker` uses. `CountersignClient` has them. */
export interface DeployedGate {
  /** Proposes a call and waits for its end. Withdraws the proposal, and throws the signal's reason, if it aborts. */
  decide(call: {
    readonly tool: string;
    readonly input: object;
    readonly cwd?: string | undefined;
    readonly reason?: string | undefined;
    readonly signal?: AbortSignal | undefined;
  }): Promise<
    | {
        readonly outcome: 'approved';
        readonly decidedBy: Decision['decidedBy'];
        /** The arguments to run: those that were proposed, or what took their place. */
        readonly input: unknown;
        /** A person edited the input, or the gate printed it. */
        readonly edited: boolean;
      }
    | {
        readonly outcome: Exclude<Decision['outcome'], 'approved'>;
        readonly decidedBy: Decision['decidedBy'];
        /** Why, written for the model. */
        readonly message: string;
      }
  >;
  /** Has a policy of the deployment choose one action of the space; resolves with the proposal's id once it is on its way. */
  proposeChoice(policy: string, actionSpace: ActionSpace, snapshot: AgentSnapshot): Promise<string>;
  /** Asks people a question that they answer with a text; resolves with the proposal's id once it is on its way. */
  proposeQuestion(question: string): Promise<string>;
  /** Throws the signal's reason if it aborts. */
  wait(proposalId: string, options?: { readonly signal?: AbortSignal | undefined }): Promise<Decision>;
  cancel(proposalId: string, reason?: string): Promise<void>;
}
