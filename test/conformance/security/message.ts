/** Reads the message around a case's call: raw bytes, sender, time, and whether it came before. */
import type { ToolCall } from '../../../shared/contract/index.ts';
import { readProposal } from '../../../shared/domain/proposal/read-proposal.ts';
import { readIJson } from '../../../shared/domain/raw-json.ts';
import { type Fields, isFields } from '../fields.ts';
import { whole } from '../reading.ts';
import { Uninterpretable } from '../seeds/uninterpretable.ts';

export type Message =
  | { readonly kind: 'refused'; readonly why: string }
  | { readonly kind: 'expired' }
  | {
      readonly kind: 'call';
      readonly toolName: unknown;
      readonly input: unknown;
      /** The folder that the message states; else the case's. */
      readonly cwd?: string | undefined;
      readonly mode?: string;
      readonly rules?: readonly Fields[];
      /** Further calls of a batch. */
      readonly others?: readonly Pick<ToolCall, 'toolName' | 'input' | 'cwd'>[];
    };

const IDENTIFIERS = ['agentId', 'tenantId', 'sessionId'] as const;
const SENDERS: Readonly<Record<(typeof IDENTIFIERS)[number], readonly string[]>> = {
  agentId: ['senderAgentId', 'senderAgent', 'sender'],
  tenantId: ['senderTenant', 'senderTenantId'],
  sessionId: ['senderSessionId', 'senderSession'],
};

/** The sender where a case says nothing of it. */
const SENDER = { agentId: 'a1', tenantId: 't1' } as const;

const senderOf = (name: (typeof IDENTIFIERS)[number], given: Fields): unknown =>
  SENDERS[name].map((key) => given[key]).find((value) => value !== undefined) ?? given[name];

const refused = (why: string): Message => ({ kind: 'refused', why });

/** A `proposalId` where the case leaves it out, written into the text so that nothing else of it changes. */
function withId(raw: string): string {
  const open = raw.indexOf('{');
  return open < 0 || raw.includes('"proposalId"')
    ? raw
    : `${raw.slice(0, open + 1)}"proposalId":"p1",${raw.slice(open + 1)}`;
}

function identity(given: Fields): string | undefined {
  for (const name of IDENTIFIERS) if (given[name] === '') return `${name} is empty`;
  const body = isFields(given['body']) ? given['body'] : {};
  for (const name of IDENTIFIERS) {
    if (!Object.hasOwn(body, name)) continue;
    // A session of that name is the sender's own, whoever else has one of the same name.
    if (name === 'sessionId' && isFields(given['sessions']) && body[name] !== '') continue;
    if (body[name] === '' || body[name] !== senderOf(name, given)) return `${name} is not the sender's`;
  }
  return undefined;
}

/** D18, through the reader of proposals itself. Times are seconds. */
function stale(given: Fields): string | undefined {
  if (given['sentAt'] === undefined) return undefined;
  const sentAt = new Date(Number(given['sentAt']) * 1000);
  if (Number.isNaN(sentAt.getTime())) return 'sentAt is no time';
  const raw = JSON.stringify({
    proposalId: 'p1',
    toolName: 'Bash',
    input: { command: 'ls' },
    sentAt: sentAt.toISOString(),
  });
  const read = readProposal(raw, Number(given['now'] ?? 0) * 1000);
  return read.ok ? undefined : read.fault.code;
}

/** Other fields of the body that a message may not hold, or may hold only to tighten. */
function bodyFields(given: Fields): Message | undefined {
  if (!isFields(given['body'])) return undefined;
  const { agentId: _a, tenantId: _t, sessionId: _s, ...rest } = whole(given['body']);
  if (Object.keys(rest).length === 0) return undefined;
  return readMessage(JSON.stringify({ toolName: given['toolName'], input: whole(given['input']), ...rest }), given);
}

function readMessage(raw: string, given: Fields): Message {
  const read = readProposal(withId(raw), Number(given['now'] ?? 0) * 1000);
  if (!read.ok) return refused(`${read.fault.code} ${read.fault.field}`);
  if (read.proposal.kind !== 'tool-call') return refused('not a tool call');
  const [call, ...others] = read.proposal.calls;
  for (const name of ['agentId', 'tenantId'] as const) {
    const stated = read.proposal[name];
    if (stated !== undefined && stated !== (senderOf(name, given) ?? SENDER[name]))
      return refused(`${name} is not the sender's`);
  }
  // The policy file lists the parents of an agent (A3), and a case without one lists none.
  if (read.proposal.parentAgentId !== undefined && given['parent'] === undefined) return refused('an unlisted parent');
  // A proposal that is met too late ends unevaluated (A10).
  const { expiresAt } = read.proposal;
  if (expiresAt !== undefined && Date.parse(expiresAt) <= Number(given['now'] ?? 0) * 1000) return { kind: 'expired' };
  return {
    kind: 'call',
    toolName: call?.toolName,
    input: call?.input,
    ...(call?.cwd === undefined ? {} : { cwd: call.cwd }),
    ...(read.proposal.mode === undefined ? {} : { mode: read.proposal.mode }),
    ...(read.proposal.rules === undefined ? {} : { rules: read.proposal.rules }),
    ...(others.length > 0 ? { others } : {}),
  };
}

/** A message that is no UTF-8 is no text, and so no JSON. */
function readBytes(bytes: Buffer, given: Fields): Message {
  try {
    return readMessage(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes), given);
  } catch {
    return refused('the bytes are no UTF-8');
  }
}

/** The case's call as a message of exactly that many bytes: blanks around a JSON text have no meaning. */
function padded(given: Fields): string {
  const { toolName, input } = { toolName: given['toolName'], input: whole(given['input']) };
  const text = JSON.stringify({ proposalId: 'p1', toolName, input });
  const missing = Number(given['sizeBytes']) - Buffer.byteLength(text);
  if (!Number.isSafeInteger(missing) || missing < 0)
    throw new Uninterpretable(`sizeBytes ${String(given['sizeBytes'])}`);
  return text + ' '.repeat(missing);
}

/** The call that the case's message holds, or why there is none. */
export function messageOf(given: Fields): Message {
  const foreign = identity(given) ?? stale(given);
  if (foreign !== undefined) return refused(foreign);
  // The same id with other content is a conflict; with the same content it is the same decision (A6).
  const previous = given['previousPayloadHash'];
  if (previous !== undefined && previous !== 'same') return refused('proposal_id_conflict');
  if (typeof given['rawMessage'] === 'string') return readMessage(given['rawMessage'], given);
  if (typeof given['rawBase64'] === 'string') return readBytes(Buffer.from(given['rawBase64'], 'base64'), given);
  if (given['sizeBytes'] !== undefined) return readMessage(padded(given), given);
  const body = bodyFields(given);
  if (body !== undefined) return body;
  if (typeof given['rawInput'] === 'string') {
    const read = readIJson(given['rawInput']);
    return read.ok ? { kind: 'call', toolName: given['toolName'], input: read.value } : refused(read.fault.code);
  }
  return { kind: 'call', toolName: given['toolName'], input: whole(given['input']) };
}
