/** Has MCP clients come back for a call that people are still asked about, under the same id. */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';

/** Contents of the calls whose clients were told to call again, by their ids: two like calls may wait. */
export type Pending = Map<string, string>;

/** One request of a client about a call. */
export interface Round {
  readonly callId: string;
  /** The answer while people are asked, which is no end of the call. */
  later(): object;
}

interface RoundCall {
  readonly tool: string;
  readonly input: object;
  /** Clients refuse a result without the output that the schema declares, unless it is an error. */
  readonly hasOutputSchema: boolean;
}

/** A client of the SDK gives up after ten. */
const MAX_ROUNDS = 8;
const MAX_PENDING = 1_000;
/** Calls that may not be taken up again; a permit is over long before so many others. */
const MAX_TAKEN = 10_000;

/** The state goes through the client: it only names a call, and the permit is for what people saw. */
const STATE = /^countersign\.([\w-]{1,63})\.([0-9]{1,2})$/;

/** Whether a state that a client hands back is the gate's, and none of a tool. */
export const isOwnState = (state: unknown): boolean => typeof state === 'string' && STATE.test(state);

const STILL_ASKED =
  'People are still being asked about this call. It was not run. Call the tool again with the same arguments.';

/** Undefined for arguments that no message holds, such as half a surrogate pair: they are refused by their name once they are proposed. */
function contentOf(call: Pick<RoundCall, 'tool' | 'input'>): string | undefined {
  try {
    return sha256Hex(canonicalJson(call));
  } catch {
    return undefined;
  }
}

/** The same arguments meet the call that waits; once that is over they are another call. */
export function roundOf(
  request: { readonly envelope?: object; readonly requestState?: () => unknown } | undefined,
  pending: Pending,
  { tool, input, hasOutputSchema }: RoundCall,
  newId: () => string,
  taken = new Set<string>(),
): Round {
  const key = contentOf({ tool, input }) ?? newId();
  const [, stated, number = '0'] = STATE.exec(String(request?.requestState?.() ?? '')) ?? [];
  const [waiting] = [...pending].find(([, content]) => content === key) ?? [];
  const callId = (stated !== undefined && !taken.has(stated) ? stated : waiting) ?? newId();
  const [longest] = taken.size >= MAX_TAKEN ? taken : [];
  if (longest !== undefined) taken.delete(longest);
  taken.add(callId);
  // Only one of two simultaneous requests takes the call up: both would run it under one permit.
  pending.delete(callId);
  return {
    callId,
    later() {
      taken.delete(callId);
      if (request?.envelope !== undefined && Number(number) < MAX_ROUNDS)
        return { resultType: 'input_required', requestState: `countersign.${callId}.${Number(number) + 1}` };
      const [oldest] = pending.size >= MAX_PENDING ? pending.keys() : [];
      if (oldest !== undefined) pending.delete(oldest);
      pending.set(callId, key);
      return { content: [{ type: 'text', text: STILL_ASKED }], ...(hasOutputSchema ? { isError: true } : {}) };
    },
  };
}
