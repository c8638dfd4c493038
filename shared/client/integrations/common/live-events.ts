/** Hands on what a call yields while it runs. */

/** @returns the result of `work`, whose events are yielded as they are told */
export async function* during<Event, Result>(
  work: (tell: (event: Event) => void) => Promise<Result>,
): AsyncGenerator<Event, Result, undefined> {
  const events: Event[] = [];
  let isOver = false;
  let wake = () => {};
  const ended = work((event) => {
    events.push(event);
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Nobody awaits it where the run ends before the call.
  ended.catch(() => undefined);
  while (!isOver || events.length) {
    yield* events.splice(0);
    if (!isOver && !events.length)
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
  }
  return ended;
}
