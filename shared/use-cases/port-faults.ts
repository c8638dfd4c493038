/**
 * Tells faults of the outside from faults of judging: only the first are worth another try.
 * Faults of the outside (a store, a queue, a model) are tried again by the queue. A fault of judging would come each time, and is an answer to
 * the sender.
 */

const faults = new WeakSet<object>();

/** Parts of a gate that are no ports: a fault in one comes again with each try. The redactor marks the detector, which it loads itself. */
const INSIDE: ReadonlySet<PropertyKey> = new Set(['policy', 'clock', 'digestKey', 'redactor', 'deployment']);

/** Whether the error came from a port of a gate that `withMarkedFaults` made, or from `fromOutside`. */
export const isFromOutside = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && faults.has(error);

/** Runs what depends on the outside; whatever it throws is marked. */
export async function fromOutside<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw markedFault(error);
  }
}

/** For what another try may mend. */
export const outsideFault = (message: string): object => markedFault(new Error(message));

/** For what another try may mend, and not before `afterMs`. */
export const outsideFaultFor = (afterMs: number, message: string): object =>
  markedFault(Object.assign(new Error(message), { afterMs }));

/** The wait that `outsideFaultFor` put into a fault, in milliseconds. */
export const afterMsOf = (error: unknown): number | undefined =>
  isFromOutside(error) && typeof (error as { afterMs?: unknown }).afterMs === 'number'
    ? (error as { afterMs: number }).afterMs
    : undefined;

const gates = new WeakMap<object, object>();

/** The same gate; each error that one of its ports throws or rejects with is marked. Made once for each gate. */
export function withMarkedFaults<Gate extends object>(gate: Gate): Gate {
  const known = gates.get(gate);
  if (known) return known as Gate;
  const marked = {};
  for (const name of namesOf(gate)) {
    // Read each time: the policy of a gate may change while it works.
    const read = (): unknown => Reflect.get(gate, name);
    // The part `asking` holds stores: a fault of one would pass for a fault of judging, and end its proposal at once.
    const mark = name === 'asking' ? markedParts : markedPort;
    Object.defineProperty(marked, name, {
      enumerable: true,
      get: INSIDE.has(name) ? read : () => mark(read()),
    });
  }
  gates.set(gate, marked);
  return marked as Gate;
}

/** Names of the object's own methods and of inherited ones. */
function namesOf(gate: object): Set<string> {
  const names = new Set<string>();
  for (let at: object | null = gate; at && at !== Object.prototype; at = Object.getPrototypeOf(at))
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  return names;
}

const markedParts = (parts: unknown): unknown => parts && withMarkedFaults(parts);

const ports = new WeakMap<object, object>();

function markedPort(port: unknown): unknown {
  if (typeof port === 'function') return markedMethod(port, undefined);
  if (typeof port !== 'object' || port === null) return port;
  const known = ports.get(port);
  if (known) return known;
  const methods = new Map<PropertyKey, { readonly method: object; readonly marked: unknown }>();
  const marked = new Proxy(
    {},
    {
      get(_, key) {
        const value: unknown = Reflect.get(port, key);
        if (typeof value !== 'function') return value;
        const made = methods.get(key);
        if (made?.method === value) return made.marked;
        const method = markedMethod(value, port);
        methods.set(key, { method: value, marked: method });
        return method;
      },
    },
  );
  ports.set(port, marked);
  return marked;
}

function markedMethod(method: object, owner: unknown): (...given: unknown[]) => unknown {
  return (...given) => {
    try {
      const result: unknown = Reflect.apply(method as (...given: unknown[]) => unknown, owner, given);
      if (!(result instanceof Promise)) return result;
      return result.catch((error: unknown) => {
        throw markedFault(error);
      });
    } catch (error) {
      throw markedFault(error);
    }
  };
}

function markedFault(error: unknown): object {
  const fault = typeof error === 'object' && error !== null ? error : new Error('a port failed', { cause: error });
  faults.add(fault);
  return fault;
}
