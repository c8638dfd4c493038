/** Repeats the prompt to click below other output, and each minute, so that it stays in sight. */

interface Prompter {
  /** Something else was printed: the prompt comes again below it. */
  touch(): void;
  stop(): void;
}

const QUIET_MS = 1_500;
const AGAIN_MS = 60_000;

export function startPrompter(print: () => void): Prompter {
  let timer = setTimeout(fire, QUIET_MS);
  function fire(): void {
    print();
    timer = setTimeout(fire, AGAIN_MS);
  }
  return {
    touch() {
      clearTimeout(timer);
      timer = setTimeout(fire, QUIET_MS);
    },
    stop: () => clearTimeout(timer),
  };
}
