/** Prints the record of proposals with the product's own command line. */
import { spawn } from 'node:child_process';

export async function printTrail(
  proposals: readonly { readonly id: string; readonly what: string }[],
  agent: string,
  env: Record<string, string>,
): Promise<void> {
  for (const { id, what } of proposals) {
    console.log(`\n${what}`);
    await countersign(['audit', id, '--agent', agent], env);
  }
}

async function countersign(args: readonly string[], env: Record<string, string>): Promise<void> {
  const child = spawn(process.execPath, ['shared/cli/main.ts', ...args], {
    env,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => resolve());
  });
}
