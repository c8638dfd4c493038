/** Reads the outputs of a tool that gives one after another, of which the last is its result. */

/** Under the permit: of a generator that nobody reads nothing runs. Any other output stays as it is. */
export async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (const one of output as AsyncIterable<unknown>) last = one;
  return last;
}
