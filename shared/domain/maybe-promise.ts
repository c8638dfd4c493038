/** Declares an answer that may be there at once, and goes on with it without a wait if it is. */

export type MaybePromise<Value> = Value | Promise<Value>;

export const isPromise = <Value>(value: MaybePromise<Value>): value is Promise<Value> => value instanceof Promise;

/** Goes on with the value: at once if it is there, since a turn of the microtask queue costs more than most work in memory. */
export const andThen = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (isPromise(value) ? value.then(next) : next(value));

/** The value, or `instead` of it where making it throws or rejects. */
export function orElse<Value, Instead>(
  make: () => MaybePromise<Value>,
  instead: (error: unknown) => MaybePromise<Instead>,
): MaybePromise<Value | Instead> {
  try {
    const made = make();
    return isPromise(made) ? made.catch(instead) : made;
  } catch (error) {
    return instead(error);
  }
}

/** Works on one item after the other. */
export function eachInTurn<Item>(
  items: readonly Item[],
  work: (item: Item) => MaybePromise<unknown>,
): MaybePromise<void> {
  for (const [at, item] of items.entries()) {
    const working = work(item);
    if (isPromise(working)) return working.then(() => eachInTurn(items.slice(at + 1), work));
  }
  return undefined;
}

export const nothing = (): undefined => undefined;
