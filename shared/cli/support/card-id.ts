/** Recognises the id that cards show: the beginning of that of a decision. */
import type { Approval } from '../../contract/index.ts';

const BEGINNING = /^[0-9a-f]{12,64}$/;

/** Whether a card of this decision shows `id`, or `id` is the decision's own. */
export const isOnCardOf = (pid: string, id: string): boolean => BEGINNING.test(id) && pid.startsWith(id);

/** The approvals of cards that still ask people and show this id: an agent that tries long enough may have two. None for an id of another kind. */
export async function approvalsOnCard(id: string, stateTable: string): Promise<Approval[]> {
  if (!BEGINNING.test(id)) return [];
  const [{ waitingApprovals }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/approvals/pending-approvals.ts'),
    import('./clients.ts'),
  ]);
  // Rows that cannot be read, and a table that this role may not read, are told of by what reads the approval itself.
  const waiting = await waitingApprovals(await dynamo(), stateTable, () => undefined).catch(() => []);
  return waiting.map(({ approval }) => approval).filter(({ pid }) => isOnCardOf(pid, id));
}
