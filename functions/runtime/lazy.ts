/** Makes values on first use, and holds them for the life of the process. */

/** For what takes time there is `lazyAsync`: here a fault would stay for as long as the process lives. */
export function lazy(make: () => Promise<unknown>): never;
export function lazy<Value>(make: () => Value): () => Value;
export function lazy<Value>(make: () => Value): () => Value {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** The same for what takes time: made by the first caller, shared by all, and made again if that failed. */
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
