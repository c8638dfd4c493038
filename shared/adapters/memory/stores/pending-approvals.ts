/** Lists approvals that wait in memory, the oldest question first. */
import { type Approval, approval as approvalSchema } from '../../../contract/approval.ts';
import { asStored } from '../../../contract/stored.ts';
import type { PendingApprovals } from '../../../ports/inbox.ts';
import { anyOf } from './json-copy.ts';
import type { MemoryState } from './state.ts';

export const memoryPendingApprovals = (state: MemoryState): PendingApprovals => ({
  approvals: waitingIn(state),
  hasMore: false,
});

const waitingIn = (state: MemoryState): Approval[] =>
  [...state.approvals.values()]
    .flatMap(({ approval }) => asStored(approvalSchema).safeParse(anyOf(approval)).data ?? [])
    .filter(({ status }) => status === 'pending')
    .toSorted((a, b) => a.requestedAt.localeCompare(b.requestedAt) || a.pid.localeCompare(b.pid));
