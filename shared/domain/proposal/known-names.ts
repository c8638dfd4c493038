/** Maps field names of agent frameworks to one name at the edge. */
import { type Fault, fault } from '../errors.ts';
import { readIJson } from '../raw-json.ts';

const CALL_ID_NAMES = ['toolCallId', 'tool_use_id', 'callId'] as const;
const INPUT_NAMES = ['input', 'args', 'arguments'] as const;

type Fields = Record<string, unknown>;
type Renamed = { readonly ok: true; readonly value: Fields } | { readonly ok: false; readonly fault: Fault };

/** Gives `toolCallId` and `input` whatever the sender called them; two names for one field are refused, not chosen between. */
export function withKnownNames(fields: Fields, idName: 'toolCallId' | 'id', at: string): Renamed {
  const ids = [...CALL_ID_NAMES, 'id'].filter((name) => Object.hasOwn(fields, name));
  const inputs = INPUT_NAMES.filter((name) => Object.hasOwn(fields, name));
  if (ids.length > 1) return twice(at, ids);
  if (inputs.length > 1) return twice(at, inputs);
  const { toolCallId, tool_use_id, callId, id, input, args, arguments: text, ...rest } = fields;
  const value: Fields = { ...rest };
  if (ids[0]) value[idName] = fields[ids[0]];
  if (inputs[0] === 'arguments' && typeof text === 'string') {
    const parsed = readIJson(text);
    if (!parsed.ok) return { ok: false, fault: fault(parsed.fault.code, `${at}arguments`, parsed.fault.message) };
    value['input'] = parsed.value;
  } else if (inputs[0]) {
    value['input'] = fields[inputs[0]];
  }
  return { ok: true, value };
}

const twice = (at: string, names: readonly string[]): Renamed => ({
  ok: false,
  fault: fault('invalid_proposal', `${at}${names[1]}`, `means the same as ${names[0]}: give one of them`),
});
