/** Tells whether entries are about a call that somebody names, by the keyed digest that they hold. */
import type { AuditEntry } from '../../../contract/index.ts';
import { actionDigest, auditDigest } from '../../../domain/digest.ts';
import { parseJson } from '../../../domain/raw-json.ts';
import { CliError, EXIT } from '../io.ts';

export interface MatchOptions {
  readonly tool?: string;
  readonly input?: string;
  readonly cwd?: string;
}

/** @throws CliError if the call is not stated in full. */
export function namedDigest({ tool, input, cwd }: MatchOptions): string {
  if (tool === undefined || input === undefined)
    throw new CliError('--matches needs the whole call: --tool and --input', EXIT.usage);
  return actionDigest({ toolName: tool, input: jsonOf(input), cwd });
}

function jsonOf(input: string): unknown {
  try {
    const value = parseJson(input);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch {
    // Refused below, as any other value is.
  }
  throw new CliError('--input takes the arguments of the call as a JSON object', EXIT.usage);
}

/** Whether the call was judged, would run in its stead, or ran. */
export function isAbout({ calls = [], ran }: AuditEntry, digest: string, key: Uint8Array): boolean {
  const keyed = auditDigest(digest, key);
  const all = calls.flatMap(({ auditDigest: judged, effectiveDigest }) => [judged, effectiveDigest]);
  return [...all, ran?.auditDigest].includes(keyed);
}
