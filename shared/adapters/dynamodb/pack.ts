/**
 * Packs decisions and entries for storage: a claim has to fit one kilobyte, one write unit.
 *
 * Digests are kept as bytes, and a value that an item has twice is kept once. `unpack` gives back exactly what was
 * packed.
 */
import * as z from 'zod';
import { type Additions, apart, together } from '../../contract/additions.ts';
import { type Approval, approval as approvalSchema } from '../../contract/approval.ts';
import type { AuditEntry } from '../../contract/audit-entry.ts';
import { type Decision, decision as decisionSchema } from '../../contract/decision.ts';
import { allowedBy, type Permit } from '../../contract/permit.ts';
import { effect, UNSTATED_VERSION } from '../../contract/primitives.ts';
import { asStored } from '../../contract/stored.ts';
import { withGrounds } from '../../domain/approval/grounds.ts';

type Json = Record<string, unknown>;

/** Digests and permit ids: nothing else that is stored is bytes, so bytes are hex again on reading. */
const HEX = /^(?:[0-9a-f]{2}){16,32}$/;

export function hexToBytes(value: unknown): unknown {
  if (typeof value === 'string') return HEX.test(value) ? Buffer.from(value, 'hex') : value;
  return mapped(value, hexToBytes);
}

export function bytesToHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return mapped(value, bytesToHex);
}

function mapped(value: unknown, each: (value: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map(each);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, each(inner)]));
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Leaves out of `part` what `whole` says too, under the same name. */
const without = (part: Json, whole: Json): Json =>
  Object.fromEntries(
    Object.entries(part).filter(([key, value]) => !(Object.hasOwn(whole, key) && same(value, whole[key]))),
  );

const CALL_FIELDS = ['outcome', 'message', 'reasonCode', 'decidedBy', 'actionDigest'] as const;
const pick = (from: Json, keys: readonly string[]): Json =>
  Object.fromEntries(keys.filter((key) => Object.hasOwn(from, key)).map((key) => [key, from[key]]));

/** A call says only what differs from the decision as a whole, a permit only what differs from its call. */
export function packDecision(decision: Decision): Json {
  const { schemaVersion, calls, ...rest } = decision;
  const common = pick(rest, CALL_FIELDS);
  const packed = calls.map((call) => {
    const { permit, ...own } = call;
    return { ...without(own, common), ...(permit ? { permit: packPermit(permit, own) } : {}) };
  });
  return { ...rest, ...(schemaVersion === UNSTATED_VERSION ? {} : { schemaVersion }), calls: packed };
}

export function unpackDecision(stored: Json): Json {
  const common = pick(stored, CALL_FIELDS);
  const calls = ((stored['calls'] ?? []) as Json[]).map(({ permit, ...own }) => {
    const call = { ...common, ...own };
    return permit ? { ...call, permit: { ...pick(call, ['actionDigest']), ...unpackPermit(permit as Json) } } : call;
  });
  return { schemaVersion: UNSTATED_VERSION, ...stored, calls };
}

/** The settings as a list: their names would be most of it. */
function packPermit({ guardrails, ...permit }: Permit, call: Json): Json {
  const { effect: kind, timeoutMs, maxRetries } = guardrails ?? {};
  const packed = kind ? { guardrails: [effect.options.indexOf(kind), timeoutMs, maxRetries] } : {};
  return { ...without(permit, pick(call, ['actionDigest'])), ...packed };
}

function unpackPermit({ guardrails, ...permit }: Json): Json {
  if (!guardrails) return permit;
  const [kind, timeoutMs, maxRetries] = guardrails as number[];
  return { ...permit, guardrails: { effect: effect.options[kind ?? -1], timeoutMs, maxRetries } };
}

/** The decision that a row holds, checked. */
export const decisionFromRow = (stored: unknown): Decision =>
  asStored(decisionSchema).parse(unpackDecision(stored as Json));

/** By the id of the call; nothing in rows of earlier releases. */
const grounds = z.record(z.string(), allowedBy);

/** The decision of an item of the record, with why it permits each call. */
export const recordedDecision = (row: Json): Decision =>
  withGrounds(decisionFromRow(row['decision']), asStored(grounds).parse(row['grounds'] ?? {}));

const ENTRY_FIELDS = ['outcome', 'decidedBy', 'reasonCode', 'policyVersion', 'proposalId'] as const;

/** Leaves out fields that the decision beside it, the key or a call's own digest holds already. */
export function packEntry(entry: AuditEntry, decision: Decision | undefined): Json {
  const { agent: _, pid: __, calls, ...rest } = entry;
  const beside = decision ? pick(decision, ENTRY_FIELDS) : {};
  const packed = calls?.map(({ argsHash, ...call }) =>
    argsHash === labelOf(call.auditDigest) ? call : { ...call, argsHash },
  );
  return { ...without(rest, beside), ...(packed ? { calls: packed } : {}) };
}

export function unpackEntry(stored: Json, agent: string, pid: string, decision: Json | undefined): Json {
  const beside = decision ? pick(decision, ENTRY_FIELDS) : {};
  const calls = (stored['calls'] as Json[] | undefined)?.map((call) => ({
    argsHash: labelOf(call['auditDigest']),
    ...call,
  }));
  return { ...beside, ...stored, agent, pid, ...(calls ? { calls } : {}) };
}

const labelOf = (digest: unknown): string => (typeof digest === 'string' ? digest.slice(0, 8) : '');

/** An approval as its row holds it. */
export function approvalFields(approval: Approval): { readonly approval: Approval; readonly additions?: Additions } {
  const { known, additions } = apart(approvalSchema, approval, approval.version);
  return { approval: known, ...(additions ? { additions } : {}) };
}

/** @throws ZodError for a row that no approval can be read from. */
export function approvalFromRow({ approval, additions }: Readonly<Record<string, unknown>>): Approval {
  const version = z.object({ version: z.number() }).safeParse(approval).data?.version;
  return asStored(approvalSchema).parse(together(approval, additions, version));
}
