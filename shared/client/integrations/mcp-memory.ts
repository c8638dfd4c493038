/** Remembers calls of MCP clients from one request to the next. */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';

interface RememberedCall {
  readonly tool: string;
  readonly input: object;
  readonly caller?: readonly string[] | undefined;
}

/** Contents of the calls whose clients were told to call again, by their ids: two like calls may wait. */
type Pending = Map<string, string>;

/** Facts about calls by their ids, for all servers of a client: over HTTP each request may have a server of its own. */
export interface RoundMemory {
  readonly pending: Pending;
  /** Calls that were taken up. */
  readonly taken: Set<string>;
  /** Rounds in a row in which no decision could be read. */
  readonly unread: Map<string, number>;
}

export const newMemory = (): RoundMemory => ({ pending: new Map(), taken: new Set(), unread: new Map() });

const MAX_PENDING = 1_000;
/** Calls that may not be taken up again; a permit is over long before so many others. */
const MAX_TAKEN = 10_000;

export function takeUp(taken: Set<string>, callId: string): void {
  const [longest] = taken.size >= MAX_TAKEN ? taken : [];
  if (longest !== undefined) taken.delete(longest);
  taken.add(callId);
}

/** The oldest is forgotten. */
export function makeRoom(remembered: Map<string, unknown>): void {
  const [oldest] = remembered.size >= MAX_PENDING ? remembered.keys() : [];
  if (oldest !== undefined) remembered.delete(oldest);
}

/** Undefined for arguments that no message holds, such as half a surrogate pair: they are refused by their name once they are proposed. */
export function contentOf({ tool, input, caller = [] }: RememberedCall): string | undefined {
  try {
    return sha256Hex(canonicalJson({ tool, input, caller }));
  } catch {
    return undefined;
  }
}
