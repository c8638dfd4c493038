/** Has MCP clients come back for a call that people are still asked about, under the same id. */
import { canonicalJson, sha256Hex } from '../../domain/digest.ts';

/** Calls whose clients were told to call again, by their content. */
export type Pending = Map<string, string>;

/** One request of a client about a call. */
export interface Round {
  readonly callId: string;
  readonly number: number;
  readonly key: string;
  /** The client comes back by itself, with the state that it was given. */
  readonly returns: boolean;
  /** The call is over: the same arguments again are another call. */
  end(): void;
}

/** A client of the SDK gives up after ten. */
const MAX_ROUNDS = 8;
const MAX_PENDING = 1_000;

/** The state goes through the client: it only names a call, and the permit is for what people saw. */
const STATE = /^([\w-]{1,63})\.([0-9]{1,2})$/;

export function roundOf(
  request: { readonly envelope?: object; readonly requestState?: () => unknown } | undefined,
  pending: Pending,
  tool: string,
  input: object,
  newId: () => string,
): Round {
  const key = sha256Hex(canonicalJson({ tool, input }));
  const [, stated, number = '0'] = STATE.exec(String(request?.requestState?.() ?? '')) ?? [];
  const callId = stated ?? pending.get(key) ?? newId();
  const returns = request?.envelope !== undefined;
  return { callId, number: Number(number), key, returns, end: () => void pending.delete(key) };
}

/** The answer while people are asked. */
export function asked({ callId, number, key, returns }: Round, pending: Pending): object {
  if (returns && number < MAX_ROUNDS) return { resultType: 'input_required', requestState: `${callId}.${number + 1}` };
  const [oldest] = pending.size >= MAX_PENDING ? pending.keys() : [];
  if (oldest !== undefined) pending.delete(oldest);
  pending.set(key, callId);
  const text =
    'People are still being asked about this call. It was not run. Call the tool again with the same arguments.';
  return { content: [{ type: 'text', text }] };
}
