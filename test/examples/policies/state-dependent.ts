/**
 * Asks a person about every action while a large order waits: the state example (R0-105).
 *
 * The person has two minutes.
 */
import { DeadlineApprovalChannel } from '../../../shared/approvals/channels/deadline.ts';
import { StdinApprovalChannel } from '../../../shared/approvals/channels/stdin.ts';
import {
  type ApprovalChannel,
  CompositePolicy,
  EntityStatePredicate,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { EscrowContract } from '../escrow.ts';
import { main, runUntilIdle } from './setting.ts';

const WINDOW_MS = 120_000;

export async function stateDependent(
  channel: ApprovalChannel = new DeadlineApprovalChannel(new StdinApprovalChannel(), WINDOW_MS),
  order = 'pending_large',
) {
  const policy = new CompositePolicy(
    new FirstAvailablePolicy(),
    new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, WINDOW_MS, TimeoutBehavior.Reject),
    new EntityStatePredicate([['Order', 'pending_large']]),
  );
  const contract = new EscrowContract({ Order: order, Escrow: 'held' }, { carrier_scan: 'delivered' });
  return runUntilIdle(contract, policy);
}

await main(import.meta.url, () => stateDependent());
