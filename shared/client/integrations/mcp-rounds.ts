/** Has MCP clients come back for a call that has not run, under the same id. */
import { LATER } from './mcp-later.ts';
import { contentOf, makeRoom, newMemory, type RoundMemory, takeUp } from './mcp-memory.ts';

/** One request of a client about a call. */
export interface Round {
  readonly callId: string;
  /** The answer while people are asked, the gate judges, or the tool is busy with other calls: no end of the call. */
  later(why?: keyof typeof LATER): object;
  /** Has the same arguments meet this call again, whose approval holds. */
  keep(): void;
  /** The same after a round in which no decision could be read; undefined after as many as `rounds` in a row. */
  laterUnread(rounds: number): object | undefined;
}

interface RoundCall {
  readonly tool: string;
  readonly input: object;
  /** Tells clients of one server apart: none takes up the question of another one. */
  readonly caller?: readonly string[] | undefined;
  /** Clients refuse a result without the output that the schema declares, unless it is an error. */
  readonly hasOutputSchema: boolean;
}

/** A client of the SDK gives up after ten. */
const MAX_ROUNDS = 8;

/** The state goes through the client: it only names a call, and the permit is for what people saw. */
const STATE = /^countersign\.([\w-]{1,63})\.([0-9]{1,2})$/;

/** Whether a state that a client hands back is the gate's, and none of a tool. */
export const isOwnState = (state: unknown): boolean => typeof state === 'string' && STATE.test(state);

/** The same arguments meet the call that waits; once that is over they are another call. */
export function roundOf(
  request: { readonly envelope?: object; readonly requestState?: () => unknown } | undefined,
  call: RoundCall,
  newId: () => string,
  { pending, taken, unread }: RoundMemory = newMemory(),
): Round {
  const key = contentOf(call) ?? newId();
  const [, stated, number = '0'] = STATE.exec(String(request?.requestState?.() ?? '')) ?? [];
  const [waiting] = [...pending].find(([, content]) => content === key) ?? [];
  const callId = (stated !== undefined && !taken.has(stated) ? stated : waiting) ?? newId();
  takeUp(taken, callId);
  // Only one of two simultaneous requests takes the call up: both would run it under one permit.
  pending.delete(callId);
  const before = unread.get(callId) ?? 0;
  unread.delete(callId);
  const keep = () => {
    taken.delete(callId);
    makeRoom(pending);
    pending.set(callId, key);
  };
  const comeAgain = (text: string) => {
    taken.delete(callId);
    if (request?.envelope !== undefined && Number(number) < MAX_ROUNDS)
      return { resultType: 'input_required', requestState: `countersign.${callId}.${Number(number) + 1}` };
    keep();
    return { content: [{ type: 'text', text }], ...(call.hasOutputSchema ? { isError: true } : {}) };
  };
  return {
    callId,
    later: (why = 'asked') => comeAgain(LATER[why]),
    keep,
    laterUnread(rounds) {
      if (before + 1 >= rounds) return undefined;
      makeRoom(unread);
      unread.set(callId, before + 1);
      return comeAgain(LATER.unread);
    },
  };
}
