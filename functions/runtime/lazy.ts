/** Makes values on first use, and holds them for the life of the process. */

/** Takes no promise, because one that rejected would stay for the life of the process: use `lazyAsync`. */
export function lazy(make: () => Promise<unknown>): never;
export function lazy<Value>(make: () => Value): () => Value;
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** Does the same for a promise: the first caller makes it, all share it, and it is made again if it rejects. */
export function lazyAsync<Args extends readonly unknown[], Value>(
  make: (...args: Args) => Promise<Value>,
): (...args: Args) => Promise<Value> {
  let made: Promise<Value> | undefined;
  return (...args) => {
    made ??= make(...args).catch((error: unknown) => {
      made = undefined;
      throw error;
    });
    return made;
  };
}
