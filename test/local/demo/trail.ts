/** Prints the record of proposals with the product's own command line. */
import { spawn } from 'node:child_process';

interface Reader {
  readonly agent: string;
  readonly policyFile: string;
  readonly env: Record<string, string>;
}

/** Reports of runs come by a queue: so often the record is asked for them. */
const TRIES = 10;

export async function printTrail(
  proposals: readonly { readonly id: string; readonly what: string }[],
  ran: readonly string[],
  { agent, policyFile, env }: Reader,
): Promise<void> {
  const ask = (id: string, ...more: string[]) =>
    countersign(['audit', id, '--agent', agent, ...more], { ...env, COUNTERSIGN_POLICY: policyFile });
  for (const { id, what } of proposals) {
    console.log(`\n${what}`);
    for (let tries = 0; ran.includes(id) && tries < TRIES; tries++)
      if ((await ask(id, '--json')).includes('"type":"ran"')) break;
    process.stdout.write(await ask(id));
  }
}

async function countersign(args: readonly string[], env: Record<string, string>): Promise<string> {
  const child = spawn(process.execPath, ['shared/cli/main.ts', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let text = '';
  child.stdout.on('data', (chunk) => (text += String(chunk)));
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
  return text;
}
