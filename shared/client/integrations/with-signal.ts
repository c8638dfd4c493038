/** Gives the tools of a framework the signal of a run, which aborts at its deadline, too. */

/** The copy is of the same class. A context without a signal gets one. */
export function withSignal<Context extends object>(context: Context, field: string, signal: AbortSignal): Context {
  const own = { value: signal, enumerable: true, writable: true, configurable: true };
  return Object.create(Object.getPrototypeOf(context), {
    ...Object.getOwnPropertyDescriptors(context),
    [field]: own,
  });
}

/** The tool, with another method in place of its own. */
export const withMethod = <Tool extends object>(
  tool: Tool,
  name: string,
  method: (...given: never[]) => unknown,
): Tool => Object.create(tool, { [name]: { value: method } });
