/**
 * Lets a model propose, and a person at the terminal approve everything: example 2 (R0-103).
 *
 * The person has five minutes.
 */
import { DeadlineApprovalChannel } from '../../../shared/approvals/channels/deadline.ts';
import { StdinApprovalChannel } from '../../../shared/approvals/channels/stdin.ts';
import {
  AlwaysApprove,
  type ApprovalChannel,
  CompositePolicy,
  HumanInTheLoopPolicy,
  LlmPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { EscrowContract } from '../escrow.ts';
import { MODEL, main, modelOr, runUntilIdle } from './setting.ts';

const WINDOW_MS = 300_000;

export async function humanSupervised(
  channel: ApprovalChannel = new DeadlineApprovalChannel(new StdinApprovalChannel(), WINDOW_MS),
  // Within the approver the model is asked again, about this one action (R0-107).
  client = modelOr('update_status', 'update_status', 'cancel_order'),
) {
  const policy = new CompositePolicy(
    new LlmPolicy(client, MODEL),
    new HumanInTheLoopPolicy(new LlmPolicy(client, MODEL), channel, WINDOW_MS, TimeoutBehavior.Reject),
    new AlwaysApprove(),
  );
  const contract = new EscrowContract({ Order: 'shipped', Escrow: 'held' }, {});
  return runUntilIdle(contract, policy);
}

await main(import.meta.url, humanSupervised);
