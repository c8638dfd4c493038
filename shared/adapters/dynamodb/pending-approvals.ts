/** Everything that waits for people, read from the index alone: what `grantAudit` allows. */
import { type DynamoDBClient, paginateQuery } from '@aws-sdk/client-dynamodb';
import { type Approval, approval } from '../../contract/approval.ts';
import { asStored } from '../../contract/stored.ts';
import type { CardProblem } from '../../ports/approval-store.ts';
import { DUE_INDEX, DUE_PARTITION, fromItem, toItem } from './items.ts';

export interface WaitingApproval {
  readonly approval: Approval;
  /** What keeps people from seeing its card, if anything does. */
  readonly cardProblem?: CardProblem | undefined;
}

/** Approvals that wait for people, the one that was asked first at the top. */
export async function pendingApprovals(client: DynamoDBClient, stateTable: string): Promise<Approval[]> {
  return (await waitingApprovals(client, stateTable)).map((one) => one.approval);
}

/**
 * The same, with what an operator has to mend before people see them. A row that cannot be read hides no other: `unreadable` is told of
 * it; the reconciler counts it as well, and an alarm tells of it.
 */
export async function waitingApprovals(
  client: DynamoDBClient,
  stateTable: string,
  unreadable: (problem: unknown) => void = () => undefined,
): Promise<WaitingApproval[]> {
  const found: WaitingApproval[] = [];
  const query = {
    TableName: stateTable,
    IndexName: DUE_INDEX,
    KeyConditionExpression: 'due = :due',
    ExpressionAttributeValues: toItem({ ':due': DUE_PARTITION }),
  };
  for await (const { Items: items = [] } of paginateQuery({ client }, query)) {
    for (const item of items) {
      const { approval: row, cardProblem } = fromItem(item);
      const read = asStored(approval).safeParse(row);
      if (read.success)
        found.push({ approval: read.data, ...(cardProblem ? { cardProblem: cardProblem as CardProblem } : {}) });
      else unreadable(read.error);
    }
  }
  return found
    .filter(({ approval: { status } }) => status === 'pending')
    .toSorted(
      ({ approval: a }, { approval: b }) => a.requestedAt.localeCompare(b.requestedAt) || a.pid.localeCompare(b.pid),
    );
}
