/** Reads a proposal from the bytes of a message, or the fault that its sender is told. */
import { LIMITS, MESSAGE_VERSIONS } from '../../contract/bounds.ts';
import { identifier } from '../../contract/primitives.ts';
import { type Proposal, proposal } from '../../contract/proposal.ts';
import { canonicalJson, sha256Hex } from '../digest.ts';
import { type Fault, fault } from '../errors.ts';
import { fieldOf, jsonWords } from '../issue-messages.ts';
import { readIJson, topLevelTexts } from '../raw-json.ts';
import { withKnownNames } from './known-names.ts';
import { isReservedId } from './reserved-ids.ts';

export type ReadProposal =
  | { readonly ok: true; readonly proposal: Proposal; readonly contentDigest: string }
  | { readonly ok: false; readonly fault: Fault; readonly proposalId: string | null; readonly rawDigest: string };

export const AHEAD_MS = 5 * 60 * 1000;

/**
 * Reads one message of the proposals queue. `now` in milliseconds since 1970. Never throws.
 * `contentDigest` is the same for the same proposal sent again: it leaves out when it was sent.
 */
export function readProposal(raw: string, now: number): ReadProposal {
  const json = readIJson(raw);
  if (!json.ok) return refuse(raw, statedId(raw), json.fault);
  const fields = json.value;
  if (!isObject(fields)) return refuse(raw, null, fault('invalid_proposal', '', 'the message is not a JSON object'));
  const named = identifier.safeParse(fields['proposalId']).data;
  const proposalId = named === undefined || isReservedId(named) ? null : named;
  const version = fields['schemaVersion'];
  if (version !== undefined && !MESSAGE_VERSIONS.some((known) => known === version)) {
    const stated = JSON.stringify(version).slice(0, 40);
    const problem = `${stated} is not a version that this gate reads (${MESSAGE_VERSIONS.join(', ')})`;
    return refuse(raw, proposalId, fault('unknown_schema_version', 'schemaVersion', problem));
  }
  const normal = normalise(fields);
  if (!normal.ok) return refuse(raw, proposalId, normal.fault);
  const parsed = proposal.safeParse(normal.value, { error: jsonWords });
  if (!parsed.success) return refuse(raw, proposalId, firstFault(parsed.error.issues, fields['calls'] === undefined));
  const reserved = reservedField(parsed.data);
  // Under no id of its own: to answer it there would be to take that id.
  if (reserved)
    return refuse(raw, null, fault('reserved_id', reserved, 'is an id that the gate makes itself: choose another one'));
  const ineffective = fieldWithoutEffect(parsed.data);
  if (ineffective) return refuse(raw, proposalId, ineffective);
  // A withdrawal allows nothing: a clock that went wrong meanwhile must not leave its question open.
  const stale = parsed.data.kind === 'cancel' ? undefined : staleness(parsed.data.sentAt, now);
  if (stale) return refuse(raw, proposalId, stale);
  const { sentAt: _, ...content } = parsed.data;
  return { ok: true, proposal: parsed.data, contentDigest: sha256Hex(canonicalJson(content)) };
}

/**
 * The proposal id of a message that is refused as a whole, because its sender waits for an answer under it. `null` unless the text has exactly one
 * id, in the right form: of two ids, nobody can tell which one the sender means.
 */
function statedId(raw: string): string | null {
  const [id, ...others] = topLevelTexts(raw, 'proposalId');
  const named = others.length ? undefined : identifier.safeParse(id).data;
  return named === undefined || isReservedId(named) ? null : named;
}

function refuse(raw: string, proposalId: string | null, why: Fault): ReadProposal {
  return { ok: false, fault: why, proposalId, rawDigest: sha256Hex(raw) };
}

/** The short form with one call becomes the long one; field names of the frameworks become ours. */
function normalise(fields: Record<string, unknown>): ReturnType<typeof withKnownNames> {
  const kind = fields['kind'] ?? 'tool-call';
  if (kind !== 'tool-call') return { ok: true, value: { ...fields, kind } };
  const calls = fields['calls'];
  if (Array.isArray(calls)) {
    const renamed: unknown[] = [];
    for (const [index, call] of calls.entries()) {
      if (!isObject(call))
        return { ok: false, fault: fault('invalid_proposal', `calls[${index}]`, 'must be an object') };
      const one = withKnownNames(call, 'id', `calls[${index}].`);
      if (!one.ok) return one;
      renamed.push(one.value);
    }
    const ids = new Set(renamed.map((call) => (call as { id?: unknown }).id));
    if (ids.size < renamed.length) {
      return { ok: false, fault: fault('invalid_proposal', 'calls', 'each call needs an id of its own') };
    }
    return { ok: true, value: { ...fields, kind, calls: renamed } };
  }
  const short = withKnownNames(fields, 'toolCallId', '');
  if (!short.ok || calls !== undefined) return short.ok ? { ok: true, value: { ...fields, kind } } : short;
  const { toolCallId, toolName, input, cwd, annotations, argsSchema, ...rest } = short.value;
  const call = { id: toolCallId ?? 'call', toolName, input, cwd, annotations, argsSchema };
  const given = Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined));
  return { ok: true, value: { ...rest, kind, calls: [given] } };
}

/** Fields of the envelope that are for people who are asked, or for the decision: nobody is asked, or none is made. */
const FOR_PEOPLE = ['requester', 'parentSessionId', 'runId', 'title', 'description', 'urgency'] as const;
const WITHOUT_EFFECT = {
  'task-message': [...FOR_PEOPLE, 'reason'],
  cancel: [...FOR_PEOPLE, 'expiresAt', 'state'],
} as const satisfies Partial<Record<Proposal['kind'], readonly (keyof Proposal)[]>>;

/** Nothing that a proposal may state is ignored: a field that its kind has no use for is refused. */
function fieldWithoutEffect(proposal: Proposal): Fault | undefined {
  if (proposal.kind === 'cancel' || proposal.kind === 'task-message') {
    const field = WITHOUT_EFFECT[proposal.kind].find((name) => proposal[name] !== undefined);
    if (field) return fault('invalid_proposal', field, `has no effect on a ${proposal.kind}: leave it away`);
  }
  if (proposal.idempotencyKey === undefined || (proposal.kind === 'tool-call' && proposal.calls.length === 1)) return;
  return fault('invalid_proposal', 'idempotencyKey', 'names one tool call: propose each call that has a key by itself');
}

function reservedField(proposal: Proposal): string | undefined {
  if (isReservedId(proposal.proposalId)) return 'proposalId';
  return proposal.kind === 'cancel' && isReservedId(proposal.cancels) ? 'cancels' : undefined;
}

function staleness(sentAt: string | undefined, now: number): Fault | undefined {
  if (sentAt === undefined) return undefined;
  const age = now - Date.parse(sentAt);
  const faultOf = (what: string) => fault('stale_proposal', 'sentAt', `${what}: is the clock of the sender right?`);
  if (age > LIMITS.judgedWithinMs) return faultOf('is older than 24 hours');
  if (age < -AHEAD_MS) return faultOf('is more than 5 minutes in the future');
  return undefined;
}

interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly keys?: readonly string[];
}

/**
 * A key that is unknown, for a misspelt one makes another one missing; else the first problem. `short`: the sender gave the call's
 * fields themselves, without `calls`.
 */
function firstFault(issues: readonly Issue[], short: boolean): Fault {
  const issue = issues.find(({ code }) => code === 'unrecognized_keys') ?? issues[0];
  if (!issue) return fault('invalid_proposal', '', 'the message is not a proposal');
  const [calls, first, ...inner] = issue.path;
  const field = fieldOf(short && calls === 'calls' && first === 0 ? inner : issue.path);
  if (issue.code === 'unrecognized_keys' && issue.keys?.[0] !== undefined) {
    const name = issue.keys[0].slice(0, 60).replace(/[^\x20-\x7e]/g, '?');
    return fault('unknown_field', field ? `${field}.${name}` : name, 'is not a field of this message');
  }
  return fault('invalid_proposal', field.slice(0, 200), issue.message.slice(0, 300));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
