/**
 * Makes the state table's rows of an approval that waits.
 *
 * The approval is opened in memory and written as the adapter reads it.
 */
import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { approvalKey, fromItem, toItem } from '../../../shared/adapters/dynamodb/items.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { Approval } from '../../../shared/contract/index.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { intake } from '../../../shared/use-cases/intake/evaluation/intake.ts';
import { memoryGate } from './memory-gate.ts';

export const CHANNEL = 'C0APPROVALS';
export const TEAM = 'T0LOCAL';
export const ANN = 'U0ANN';

export const askingPolicy = loadPolicy(
  `people:
  ann: { team: ${TEAM}, user: ${ANN}, name: Ann }
  olga: { team: ${TEAM}, user: U0OLGA, name: Olga }
agents: { coder: { owner: olga } }
channels: { approvals: { team: ${TEAM}, id: ${CHANNEL} } }
approvers: { platform: { members: [ann], channel: approvals } }
approvals: { approvers: platform }
rules: { ask: [Write] }
`,
  'test.yaml',
);

export type Row = Record<string, AttributeValue>;

export interface Waiting {
  readonly pid: string;
  readonly rows: Row[];
}

/** `content` is what the agent wants to write. */
export async function waiting(id: string, content: string, change: Partial<Approval> = {}): Promise<Waiting> {
  const gate = memoryGate(askingPolicy);
  const raw = JSON.stringify({
    kind: 'tool-call',
    proposalId: id,
    calls: [{ id: 'c1', toolName: 'Write', input: { file_path: '/workspace/notes.md', content } }],
  });
  const incoming = { messageId: id, raw, principal: 'sender', firstSentAt: Date.now(), rounds: 0 };
  const results = await Promise.allSettled(intake([incoming], gate));
  const pid = pidOf('test', 'coder', id);
  const view = await gate.approvals.read(pid);
  if (!view) throw new Error(`nobody was asked about ${id}: ${JSON.stringify(results)}`);
  const approval = { ...view.approval, ...change };
  return {
    pid,
    rows: [
      { ...approvalKey(pid, 'row'), ...toItem({ approval, version: approval.version }) },
      { ...approvalKey(pid, 'proposal'), ...toItem({ body: view.proposal }) },
    ],
  };
}

/** DynamoDB's answers to reading these rows and adding to them. */
export function tableOf(rows: Row[]) {
  return {
    Query: ({ ExpressionAttributeValues: values }: { readonly ExpressionAttributeValues?: unknown }) => {
      const wanted = Object.values(fromItem(values as Row))[0];
      const found = rows.filter((row) => row['pk']?.S === wanted);
      return { Items: found, Count: found.length };
    },
    /** Nobody holds a delegated seat. */
    GetItem: () => ({}),
    PutObject: () => ({}),
    PutItem: ({ Item }: { readonly Item?: unknown }) => put(Item as Row),
    /** Writes of cards alone: these tests look at no other changes of rows. */
    UpdateItem: ({
      Key,
      ExpressionAttributeValues: values,
    }: {
      readonly Key?: unknown;
      readonly ExpressionAttributeValues?: unknown;
    }) => {
      const { ':card': card } = (values ?? {}) as Row;
      return card ? put({ ...(Key as Row), card }) : {};
    },
  };

  function put(item: Row) {
    const known = rows.findIndex(({ pk, sk }) => pk?.S === item['pk']?.S && sk?.S === item['sk']?.S);
    rows.splice(known < 0 ? rows.length : known, known < 0 ? 0 : 1, item);
    return {};
  }
}
