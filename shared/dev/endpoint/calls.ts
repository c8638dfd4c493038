/**
 * Answers the three calls of AWS by which an agent reaches its gate.
 *
 * An agent sends a message, gets an item, and invokes the redeem function.
 */
import { createHash, randomUUID } from 'node:crypto';
import type { MemoryGate } from '../../adapters/memory/gate-parts.ts';
import type { RedeemRequest } from '../../contract/execution.ts';
import { withoutGrounds } from '../../domain/approval/grounds.ts';
import { ownValue } from '../../domain/own.ts';
import { attributesOf } from './dynamo-json.ts';
import { NAMES } from './names.ts';

export type AgentSide = Pick<
  ReturnType<MemoryGate['agentSide']>,
  'agent' | 'queue' | 'outcomes' | 'reader' | 'redeemer'
>;

type Body = Readonly<Record<string, unknown>>;

/** Told of the calls of agents. */
export interface Heard {
  /** A proposal as it was sent. */
  proposed?(agent: string, raw: string): void;
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

/** The attributes that the role of an agent may read. */
const READABLE = 'pk, sk, verdict, decision';

/** As SQS: one message, its attributes included. */
const MAX_MESSAGE_BYTES = 1_048_576;

/** `SendMessage`, as the agent that signed. */
export async function sendMessage(side: AgentSide, body: Body, heard: Heard = {}): Promise<Body> {
  const { QueueUrl: url, MessageBody: raw, MessageGroupId: group } = body;
  if (typeof url !== 'string' || typeof raw !== 'string' || raw === '')
    throw new RefusedCall('InvalidParameterValue', 'QueueUrl and MessageBody are texts');
  if (Buffer.byteLength(raw) > MAX_MESSAGE_BYTES)
    throw new RefusedCall('InvalidParameterValue', `a message has at most ${MAX_MESSAGE_BYTES} bytes`);
  switch (url.split('/').at(-1)) {
    case NAMES.proposals:
      heard.proposed?.(side.agent, raw);
      // As stated: the gate refuses the group of another agent.
      await side.queue.publish(raw, typeof group === 'string' ? group : side.agent);
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
export async function getItem(side: AgentSide, body: Body): Promise<Body> {
  const key = body['Key'] as Readonly<Record<string, { readonly S?: unknown }>> | undefined;
  const [pk, sk] = [textOf(key, 'pk'), textOf(key, 'sk')];
  const [agent = '', pid = ''] = pk.split('#');
  const isDecision = sk === 'evaluated' || sk === 'decided';
  const isOwn = agent === side.agent && body['ProjectionExpression'] === READABLE;
  if (body['TableName'] !== NAMES.audit || !isOwn || !isDecision)
    throw new RefusedCall('AccessDeniedException', `${side.agent} may read its own decisions only`);
  const row = await side.reader.read(agent, pid, sk);
  if (!row) return {};
  const { verdict, decision } = row;
  const attributes = attributesOf({ verdict, decision: decision && withoutGrounds(decision) });
  return { Item: { pk: { S: pk }, sk: { S: sk }, ...attributes } };
}

/** Invokes the redeem function for a permit of this agent; the use case checks the rest of the request. */
export async function invokeRedeem(side: AgentSide, request: Body): Promise<object> {
  if (request['agent'] !== side.agent)
    throw new RefusedCall('AccessDeniedException', `${side.agent} may redeem its own permits only`);
  return side.redeemer.redeem(request as unknown as RedeemRequest);
}

const textOf = (key: Readonly<Record<string, { readonly S?: unknown }>> | undefined, name: string): string => {
  const value = ownValue(key, name)?.S;
  return typeof value === 'string' ? value : '';
};
