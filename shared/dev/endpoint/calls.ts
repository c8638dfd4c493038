/** Answers the three calls of AWS by which an agent reaches its gate: send a message, get an item, invoke the redeem function. */
import { createHash, randomUUID } from 'node:crypto';
import { toItem } from '../../adapters/dynamodb/items.ts';
import { hexToBytes, packDecision } from '../../adapters/dynamodb/pack.ts';
import type { MemoryGate } from '../../adapters/memory/gate-parts.ts';
import type { RedeemRequest } from '../../contract/execution.ts';
import { withoutGrounds } from '../../domain/grounds.ts';
import { ownValue } from '../../domain/own.ts';
import type { ReadDecision } from '../../ports/agent-side.ts';
import { NAMES } from './names.ts';

export type AgentSide = ReturnType<MemoryGate['agentSide']>;

type Body = Readonly<Record<string, unknown>>;

/** Told of the calls of agents. */
export interface Heard {
  /** A proposal as it was sent. */
  proposed?(agent: string, raw: string): void;
  /** A row of the record as an agent read it. */
  read?(agent: string, pid: string, row: ReadDecision): void;
}

/** A call that AWS would refuse, by the name of AWS's error. */
export class RefusedCall extends Error {
  override readonly name = 'RefusedCall';
  readonly type: string;
  constructor(type: string, message: string) {
    super(message);
    this.type = type;
  }
}

/** As SQS: one message, its attributes included. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** `SendMessage`, as the agent that signed. */
export async function sendMessage(side: AgentSide, body: Body, heard: Heard): Promise<Body> {
  const { QueueUrl: url, MessageBody: raw } = body;
  if (typeof url !== 'string' || typeof raw !== 'string' || raw === '')
    throw new RefusedCall('InvalidParameterValue', 'QueueUrl and MessageBody are texts');
  if (Buffer.byteLength(raw) > MAX_MESSAGE_BYTES)
    throw new RefusedCall('InvalidParameterValue', `a message has at most ${MAX_MESSAGE_BYTES} bytes`);
  switch (url.split('/').at(-1)) {
    case NAMES.proposals:
      heard.proposed?.(side.agent, raw);
      await side.queue.publish(raw, side.agent);
      break;
    case NAMES.outcomes:
      await side.outcomes.publish(raw, side.agent);
      break;
    default:
      throw new RefusedCall('AccessDeniedException', 'an agent may send to its own gate only');
  }
  return { MessageId: randomUUID(), MD5OfMessageBody: createHash('md5').update(raw).digest('hex') };
}

/** `GetItem` of a row that its role lets the agent read: its own decisions. */
export async function getItem(side: AgentSide, body: Body, heard: Heard): Promise<Body> {
  const key = body['Key'] as Readonly<Record<string, { readonly S?: unknown }>> | undefined;
  const [pk, sk] = [textOf(key, 'pk'), textOf(key, 'sk')];
  const [agent = '', pid = ''] = pk.split('#');
  const isDecision = sk === 'evaluated' || sk === 'decided';
  if (body['TableName'] !== NAMES.audit || agent !== side.agent || !isDecision)
    throw new RefusedCall('AccessDeniedException', `${side.agent} may read its own decisions only`);
  const row = await side.reader.read(agent, pid, sk);
  if (!row) return {};
  heard.read?.(agent, pid, row);
  const { verdict, decision } = row;
  const packed = decision && hexToBytes(packDecision(withoutGrounds(decision)));
  return { Item: asWire(toItem({ pk, sk, verdict, decision: packed })) };
}

/** Invokes the redeem function; `request` is checked by the use case. */
export const invokeRedeem = (side: AgentSide, request: unknown): Promise<object> =>
  side.redeemer.redeem(request as RedeemRequest);

const textOf = (key: Readonly<Record<string, { readonly S?: unknown }>> | undefined, name: string): string => {
  const value = ownValue(key, name)?.S;
  return typeof value === 'string' ? value : '';
};

/** Bytes are base64 in DynamoDB's JSON. */
function asWire(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (Array.isArray(value)) return value.map(asWire);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, asWire(inner)]));
}
