/** Turns the signals that stop a process into an abort, so that a command can withdraw what it asked. */

/** Programs kill with these; Ctrl-C is SIGINT. */
const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

interface Stopping {
  /** Aborts with the signal's name as the reason. */
  readonly signal: AbortSignal;
  /** Leaves the process to its signals again. */
  end(): void;
}

/**
 * Until its `end`, the first signal aborts, and the process ends with `exitCode` if it is still there after `graceMs` or at a second signal.
 */
export function onStop(exitCode: number, graceMs: number): Stopping {
  const stopping = new AbortController();
  let grace: NodeJS.Timeout | undefined;
  const stop = (name: string) => {
    if (stopping.signal.aborted) process.exit(exitCode);
    grace = setTimeout(() => process.exit(exitCode), graceMs);
    stopping.abort(new Error(`stopped by ${name}`));
  };
  for (const name of SIGNALS) process.on(name, stop);
  return {
    signal: stopping.signal,
    end() {
      clearTimeout(grace);
      for (const name of SIGNALS) process.off(name, stop);
    },
  };
}
