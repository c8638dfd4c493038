/** Reads the example of Claude agents, a whole program: plays its model on loopback, in a new home. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { settingsOf } from '../claude-run.ts';
import { fakeAnthropic } from '../fake-anthropic.ts';

const home = mkdtempSync(join(tmpdir(), 'countersign-claude-'));
const api = await fakeAnthropic([{ id: 'call_1', name: 'Bash', input: { command: 'echo refunded o-1' } }], 'Bash');
try {
  Object.assign(process.env, settingsOf(home, api.url));
  process.chdir(home);
  await import(String(process.argv[2]));
  console.log('The tool said:', api.seen()['call_1']);
} finally {
  api.close();
  rmSync(home, { recursive: true, force: true });
}
