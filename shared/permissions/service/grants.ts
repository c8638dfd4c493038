/**
 * Remembers approvals as grants.
 * Every bound field is compared; digests are whole and fields length-delimited.
 */
import { canonicalJson, lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import type { ToolRegistry } from '../model/tools.ts';

/** The facts that bind a grant beside tool and arguments. */
export interface GrantBinding {
  readonly tenant: string;
  readonly session: string;
  readonly agent: string;
  readonly cwd: string;
  readonly mode: string;
  readonly policyVersion: string;
  /** Digests of rule, tool entry and stages; with them a grant outlives a policy version. */
  readonly digests?: { readonly rule: string; readonly tool: string; readonly stages: string } | undefined;
  readonly env?: unknown;
  /** Digests of the files that the call names, where the caller states them. */
  readonly operandHashes?: unknown;
}

/** A remembered approval with all that it is bound to. */
export interface Grant extends GrantBinding {
  readonly toolName: string;
  /** Digest of the canonical arguments; `null` for all arguments of the tool. */
  readonly argsDigest: string | null;
  /** How far the approval reaches: to the exact call, or to every call of its tool. */
  readonly scope: 'session' | 'session-all-tools';
  /** Epoch milliseconds. */
  readonly approvedAt: number;
  /** `Infinity`: until revoked. */
  readonly expiresAt: number;
  readonly approvedBy?: string | undefined;
}

/** SHA-256 of the RFC 8785 form of the arguments: key order does not count, everything else does. */
export function argsDigest(input: unknown): string {
  return sha256Hex(canonicalJson(input));
}

/** Eight hexadecimal digits, a label for the audit and never a key. */
export function argsHash(input: unknown): string {
  return argsDigest(input).slice(0, 8);
}

/** `argsHash`, and zeros for an input that has no digest. */
export function argsLabel(input: unknown): string {
  try {
    return argsHash(input);
  } catch {
    return '00000000';
  }
}

/** Digest of a tool's entry: an approval holds while its tool stays what it was. */
export function toolDigest(tools: ToolRegistry, toolName: string): string {
  return sha256Hex(canonicalJson(JSON.parse(JSON.stringify(tools.lookup(toolName)))));
}

function optional(value: unknown): string {
  return value === undefined ? '-' : `+${canonicalJson(value)}`;
}

/** The whole key under which a grant is stored; two calls share one only if every bound field is equal. */
export function grantKey(binding: GrantBinding, toolName: string, digest: string | null): string {
  const version = binding.digests === undefined ? `v:${binding.policyVersion}` : `d:${canonicalJson(binding.digests)}`;
  return sha256Hex(
    lengthDelimited([
      binding.tenant,
      binding.session,
      binding.agent,
      toolName,
      digest === null ? 'all' : `args:${digest}`,
      binding.cwd,
      binding.mode,
      version,
      optional(binding.env),
      optional(binding.operandHashes),
    ]),
  );
}

function identified(binding: GrantBinding): boolean {
  return binding.tenant !== '' && binding.session !== '' && binding.agent !== '';
}

function sameJson(a: unknown, b: unknown): boolean {
  return optional(a) === optional(b);
}

/** Another version counts only with equal digests that both state. */
function sameVersion(grant: GrantBinding, call: GrantBinding): boolean {
  if (grant.digests !== undefined && call.digests !== undefined) return sameJson(grant.digests, call.digests);
  return grant.policyVersion === call.policyVersion;
}

/** Does the grant answer this call at `now`? Never throws on plain JSON. */
export function grantCovers(grant: Grant, call: GrantBinding, toolName: string, input: unknown, now: number): boolean {
  return (
    identified(call) &&
    grant.tenant === call.tenant &&
    grant.session === call.session &&
    grant.agent === call.agent &&
    grant.toolName === toolName &&
    grant.cwd === call.cwd &&
    grant.mode === call.mode &&
    sameVersion(grant, call) &&
    sameJson(grant.env, call.env) &&
    sameJson(grant.operandHashes, call.operandHashes) &&
    // NaN on either side compares false.
    grant.approvedAt <= now &&
    now < grant.expiresAt &&
    (grant.scope === 'session-all-tools' ? grant.argsDigest === null : grant.argsDigest === argsDigest(input))
  );
}
