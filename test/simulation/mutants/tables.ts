/** Lists defects of DynamoDB's stores that the simulator has to find on simulated tables. */
import type { Mutant } from './mutant.ts';

const dynamodb = (file: string) => `shared/adapters/dynamodb/${file}.ts`;

export const OF_TABLES: readonly Mutant[] = [
  {
    name: 'tables: a vote is written whatever the version',
    file: dynamodb('approvals/approval-store'),
    find: "ConditionExpression: 'version = :read',",
    put: "ConditionExpression: 'version = :read OR attribute_exists(pk)',",
    also: [
      {
        find: '...(record ? [{ Put: auditPut(tables, record) }] : []),',
        put: '...(record ? [{ Put: { TableName: tables.audit, Item: auditPut(tables, record).Item } }] : []),',
      },
    ],
  },
  {
    name: 'tables: a decision is written over another',
    file: dynamodb('approvals/approval-store'),
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the text of the source
    find: 'ConditionExpression: `${isSame} AND attribute_not_exists(decision)`,',
    put: "ConditionExpression: 'attribute_exists(pk)',",
    also: [
      {
        find: '{ Put: auditPut(tables, record) },\n      {',
        put: '{ Put: { TableName: tables.audit, Item: auditPut(tables, record).Item } },\n      {',
      },
      {
        find: 'const answered = journal ? [journalPut(tables, approval.pid, journal)] : [];',
        put: 'const answered: TransactWriteItem[] = [];',
      },
    ],
  },
  {
    name: 'tables: the first page of a row is the whole of it',
    file: dynamodb('approvals/approval-store'),
    find: 'for await (const page of paginateQuery({ client }, query)) items.push(...(page.Items ?? []));',
    put: 'for await (const page of paginateQuery({ client }, query)) if (items.push(...(page.Items ?? []))) break;',
  },
  {
    name: 'tables: a claim is put over another',
    file: dynamodb('audit/audit-item'),
    find: "ConditionExpression: 'attribute_not_exists(pk)',",
    put: '',
  },
  {
    name: 'tables: waiting slots are taken without a bound',
    file: dynamodb('approvals/waiting-slots'),
    find: "'attribute_not_exists(waiting) OR waiting < :most', most)",
    put: "'attribute_not_exists(waiting) OR waiting < :most', most + 99)",
  },
  {
    name: 'tables: a waiting slot that was lost is never counted again',
    file: dynamodb('approvals/waiting-slots'),
    find: 'if (await correct(client, table, item, counter, excess, now)) corrected += 1;',
    put: 'corrected += excess * now * 0;',
  },
  {
    name: 'tables: a call follows one that has ended',
    file: dynamodb('proposals/claim-store'),
    find: "ConditionExpression: 'approval.#status = :pending',",
    put: "ConditionExpression: 'attribute_exists(pk) OR approval.#status = :pending',",
    also: [{ find: "=== 'pending';\n  }", put: "!== 'no such status';\n  }" }],
  },
  {
    name: 'tables: rows that a batch left out are taken for none',
    file: dynamodb('batch-get'),
    find: 'if (!request || !Object.keys(request).length) return items;',
    put: 'if (request || !request) return items;',
  },
  {
    name: 'tables: a permit is taken twice',
    file: dynamodb('proposals/permit-store'),
    find: "'attribute_not_exists(pk) OR stage = :free OR (stage = :taken AND redemptionId = :mine)',",
    put: "'attribute_not_exists(pk) OR stage = :free OR stage = :taken OR attribute_exists(pk) OR redemptionId = :mine',",
  },
  {
    name: 'tables: a transaction that met another one is taken for done',
    file: dynamodb('transact'),
    find: 'if (attempt === MAX_TRIES || !reasons.some(({ Code }) => PASSING.has(Code))) throw error;',
    put: 'if (reasons.some(({ Code }) => PASSING.has(Code))) return { ok: true };',
  },
  {
    name: 'tables: an approval is read from a copy',
    file: dynamodb('approvals/approval-store'),
    find: 'ConsistentRead: true,\n      };\n      for await',
    put: '};\n      for await',
  },
  {
    name: 'tables: a waiting slot is freed twice by a write that the SDK sends twice',
    file: dynamodb('approvals/waiting-slots'),
    find: "const NOT_YET = 'attribute_not_exists(freed) OR freed <> :freed';",
    put: "const NOT_YET = 'attribute_exists(pk) OR freed <> :freed';",
  },
  {
    name: 'tables: a transaction that the client sends again has no name',
    file: 'shared/adapters/aws/signed/dynamodb.ts',
    find: "once: new Set(['TransactWriteItems'])",
    put: 'once: new Set<string>()',
  },
  {
    name: 'tables: a seal is dated before the one that it follows',
    file: 'shared/use-cases/archive/write-seal.ts',
    find: 'new Date(Math.max(now, last ? Date.parse(last.at) : 0))',
    put: 'new Date(now)',
  },
  {
    name: 'tables: one entry of a batch is archived',
    file: 'shared/use-cases/archive/archive-entries.ts',
    find: "const entries = lines.filter(({ event }) => event === 'insert');",
    put: "const entries = lines.filter(({ event }) => event === 'insert').slice(0, 1);",
  },
];
