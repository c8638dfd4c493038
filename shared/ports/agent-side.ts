/** Declares the agent's side of the gate: a queue to propose on, and its own decisions to read. */
import type { Decision } from '../contract/decision.ts';
import type { RedeemAnswer, RedeemRequest } from '../contract/execution.ts';
import type { ClaimVerdict } from './stores/claim-store.ts';

/** Sends messages of one agent. Replace it in tests. */
export interface ProposalQueue {
  /** Publishes one message of the proposals queue. `agent` is the message group: one agent's backlog does not delay the others. */
  publish(body: string, agent: string): Promise<void>;
}

/** Asks whether an approved call may run now. */
export interface Redeemer {
  /** Throws if the gate cannot be reached: then nothing may run. */
  redeem(request: RedeemRequest): Promise<RedeemAnswer>;
}

/** The recorded result of a proposal: the verdict, and the decision once there is one. */
export interface ReadDecision {
  readonly verdict?: ClaimVerdict | undefined;
  readonly decision?: Decision | undefined;
}

/** Reads decisions of one agent. Replace it in tests. */
export interface DecisionReader {
  /**
   * The claim or the decided row of one proposal; undefined if it is not there. A row is put once and never changed. `likely`: for half the price,
   * one that was put within the last second or so may be missed. Default: `latest`.
   */
  read(
    agent: string,
    pid: string,
    sort: 'evaluated' | 'decided',
    read?: 'latest' | 'likely',
  ): Promise<ReadDecision | undefined>;
}
