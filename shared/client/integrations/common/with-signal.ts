/** Gives the tools of a framework the signal of a run, which aborts at its deadline, too. */

/** The context, with another field in place of its own. The copy is of the same class. */
export function withField<Context extends object>(context: Context, field: string, value: unknown): Context {
  const own = { value, enumerable: true, writable: true, configurable: true };
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
