/** Stores earlier votes of people as rows of their own: by person, and by kind of question. */
import { type DynamoDBClient, PutItemCommand, QueryCommand } from '@aws-sdk/client-dynamodb';
import type { Person } from '../../../contract/index.ts';
import type { EndLine, VoteHistory, VoteLine } from '../../../ports/stores/vote-history.ts';
import { fromItem, PREFIX, type Tables, toItem, ttlAfter } from '../items.ts';

export function dynamoVoteHistory(client: DynamoDBClient, { state }: Pick<Tables, 'state'>): VoteHistory {
  const put = async (pk: string, line: VoteLine | EndLine) => {
    const item = toItem({ pk, sk: `${line.at}#${line.pid}`, line, ...ttlAfter(line.at) });
    await client.send(new PutItemCommand({ TableName: state, Item: item }));
  };
  const newest = async (pk: string, most: number): Promise<unknown[]> => {
    const { Items: items = [] } = await client.send(
      new QueryCommand({
        TableName: state,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: toItem({ ':pk': pk }),
        ScanIndexForward: false,
        Limit: most,
      }),
    );
    return items.map((item) => fromItem(item)['line']);
  };
  const lookedKey = ({ team, user }: Person) => `${PREFIX.voted}looked#${team}/${user}`;
  return {
    async noteLook(person, at) {
      const item = toItem({ pk: lookedKey(person), sk: 'looked', line: { at }, ...ttlAfter(at) });
      await client.send(new PutItemCommand({ TableName: state, Item: item }));
    },
    async lastLook(person) {
      const [look] = (await newest(lookedKey(person), 1)) as { readonly at: string }[];
      return look?.at;
    },
    addVote: ({ team, user }, line) => put(`${PREFIX.voted}${team}/${user}`, line),
    votesOf: async ({ team, user }, most) => (await newest(`${PREFIX.voted}${team}/${user}`, most)) as VoteLine[],
    async addEnds(ends) {
      // One by one: a batched write may delete as well, and no function has that right.
      await Promise.all(ends.map(({ kind, line }) => put(`${PREFIX.earlier}${kind}`, line)));
    },
    endsOf: async (kind, most) => (await newest(`${PREFIX.earlier}${kind}`, most)) as EndLine[],
  };
}
