/** Runs `countersign` commands one after the other, with words and environments of its parent. */
import { setTimeout as delay } from 'node:timers/promises';
import { run } from '../../../shared/cli/program.ts';
import { processIo } from '../../../shared/cli/support/io.ts';

export interface Asked {
  readonly id: number;
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}
export interface Answered {
  readonly id: number;
  readonly code: number;
  /** Both streams, as they were written. */
  readonly output: string;
}

let last = Promise.resolve();

process.on('message', (of: Asked) => {
  last = last.then(() => answer(of));
});
// An exit, and no signal: Node then keeps what it compiled.
process.on('disconnect', () => process.exit(0));
/** The channel to the parent keeps this process alive before its first command, and nothing else does. */
const idle = process.getActiveResourcesInfo().length;
process.send?.('ready');

async function answer({ id, argv, env }: Asked): Promise<void> {
  for (const name of Object.keys(process.env)) if (env[name] === undefined) delete process.env[name];
  Object.assign(process.env, env);
  let output = '';
  const take = (text: string) => {
    output += text;
  };
  const code = await run(argv, { ...processIo(), out: take, err: take });
  // The command's own process would end now: one that anything keeps alive would hang, and so does this one.
  while (process.getActiveResourcesInfo().length > idle) await delay(2, undefined, { ref: false });
  process.send?.({ id, code, output } satisfies Answered);
}
