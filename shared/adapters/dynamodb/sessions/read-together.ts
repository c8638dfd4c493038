/** Reads all rows that the decisions of a batch depend on, in one consistent batched read. */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { together } from '../../../contract/additions.ts';
import {
  EVERY_SESSION,
  type RecentCall,
  recentCall,
  type SessionRow,
  session as sessionSchema,
} from '../../../contract/session.ts';
import { asStored } from '../../../contract/stored.ts';
import { besideRecent, newSession } from '../../../domain/session.ts';
import { type ClaimsRead, sessionKey } from '../../../ports/stores/claim-store.ts';
import type { SessionName, SessionView } from '../../../ports/stores/session-store.ts';
import { batchGet } from '../batch-get.ts';
import {
  CONTROL_KEY,
  deniedKey,
  fromItem,
  type Item,
  PREFIX,
  recentItemKey,
  sessionItemKey,
  type Tables,
} from '../items.ts';
import { bytesToHex } from '../pack.ts';
import { controlFromItem } from './control-store.ts';

interface ReadTogether extends SessionView {
  /** Rows of the record that `claims` asked for. */
  readonly claimed: readonly Item[];
}

export function sessionFromItem(item: Item): SessionRow {
  const { session, additions, version } = fromItem(item);
  return asStored(sessionSchema).parse(together(bytesToHex(session), bytesToHex(additions), Number(version)));
}

export const recentFromItem = (item: Item): RecentCall[] =>
  asStored(z.array(recentCall)).parse(bytesToHex(fromItem(item)['recent']));

export const deniedFromItem = (item: Item): number => Number(fromItem(item)['total'] ?? 0);

/** `claims`: keys in the record, of which only what a claim says is read; with none the record is not asked at all. The rest is consistent. */
export async function readTogether(
  client: DynamoDBClient,
  tables: Tables,
  wanted: {
    readonly claims: readonly Item[];
    readonly claimsRead?: ClaimsRead | undefined;
    readonly sessions: readonly SessionName[];
  },
  day: string,
): Promise<ReadTogether> {
  const sessions = new Map<string, SessionRow>();
  const counted = wanted.sessions.filter(({ withoutDenials }) => !withoutDenials);
  const denials = new Map(counted.map(({ agent }) => [agent, 0]));
  const named = new Map(wanted.sessions.map((one) => [sessionKey(one.agent, one.sessionId), one]));
  const recents = new Map<string, RecentCall[]>();
  let control: Item | undefined;
  const rows = await batchGet(client, {
    ...(wanted.claims.length
      ? {
          [tables.audit]: {
            Keys: [...wanted.claims],
            ConsistentRead: wanted.claimsRead !== 'likely',
            ProjectionExpression: 'pk, sk, verdict, contentDigest, decision, grounds',
          },
        }
      : {}),
    [tables.state]: {
      Keys: [
        CONTROL_KEY,
        ...[...named.values()].map(({ agent, sessionId }) => sessionItemKey(agent, sessionId)),
        ...[...named.values()]
          .filter(({ sessionId, withoutRecent }) => sessionId !== EVERY_SESSION && !withoutRecent)
          .map(({ agent, sessionId }) => recentItemKey(agent, sessionId)),
        ...[...denials.keys()].map((agent) => deniedKey(agent, day)),
      ],
      ConsistentRead: true,
    },
  });
  for (const item of rows.get(tables.state) ?? []) {
    const pk = item['pk']?.S ?? '';
    if (pk === PREFIX.control) control = item;
    else if (pk.startsWith(PREFIX.denied)) denials.set(pk.slice(PREFIX.denied.length), deniedFromItem(item));
    else if (item['sk']?.S === 'recent') recents.set(pk.slice(PREFIX.session.length), recentFromItem(item));
    else {
      const row = sessionFromItem(item);
      sessions.set(sessionKey(row.agent, row.sessionId), row);
    }
  }
  for (const [key, beside] of recents) {
    const { agent, sessionId } = named.get(key) ?? {};
    if (agent === undefined || sessionId === undefined) continue;
    sessions.set(key, besideRecent(sessions.get(key) ?? newSession(agent, sessionId), beside));
  }
  return { claimed: rows.get(tables.audit) ?? [], control: controlFromItem(control), sessions, denials };
}
