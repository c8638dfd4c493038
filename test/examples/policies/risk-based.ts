/**
 * Asks a person about flows that move money, and about no others: example 3 (R0-104).
 *
 * The model is free in routine flows. The person has three minutes.
 */
import { DeadlineApprovalChannel } from '../../../shared/approvals/channels/deadline.ts';
import { StdinApprovalChannel } from '../../../shared/approvals/channels/stdin.ts';
import {
  type ApprovalChannel,
  CompositePolicy,
  FlowIdPredicate,
  HumanInTheLoopPolicy,
  LlmPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { EscrowContract } from '../escrow.ts';
import { MODEL, main, modelOr, runUntilIdle } from './setting.ts';

const WINDOW_MS = 180_000;
const HIGH_VALUE_FLOWS = ['release_escrow', 'cancel_order', 'issue_refund'];

export async function riskBased(
  channel: ApprovalChannel = new DeadlineApprovalChannel(new StdinApprovalChannel(), WINDOW_MS),
  client = modelOr('update_status', 'update_status', 'release_escrow', 'release_escrow'),
) {
  const policy = new CompositePolicy(
    new LlmPolicy(client, MODEL),
    new HumanInTheLoopPolicy(new LlmPolicy(client, MODEL), channel, WINDOW_MS, TimeoutBehavior.Reject),
    new FlowIdPredicate(HIGH_VALUE_FLOWS),
  );
  const contract = new EscrowContract({ Order: 'pending_standard', Escrow: 'held' }, { carrier_scan: 'delivered' });
  return runUntilIdle(contract, policy);
}

await main(import.meta.url, riskBased);
