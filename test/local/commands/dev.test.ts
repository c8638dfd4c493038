/** Runs `countersign dev --memory`: the agent is another process with nothing but the env file. */
import { execFile as execFileOf } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, test } from 'vitest';
import { startDev } from '../../support/dev-run.ts';

const ROOT = join(import.meta.dirname, '../../..');

const POLICY = `people: { olga: { team: T1A, user: U1A, name: Olga }, alice: { team: T1A, user: U2A, name: Alice } }
agents: { builder: { owner: olga }, other: { owner: olga } }
channels: { approvals: { team: T1A, id: C1A } }
approvers: { platform: { members: [alice], channel: approvals } }
approvals: { approvers: platform }
rules: { allow: [Read], deny: ['Bash(rm:*)'] }
`;

const AGENT = `import { CountersignClient } from '${ROOT}/shared/client/index.ts';
await using client = CountersignClient.fromEnvironment();
const shell = client.gate('Bash', ({ command }) => \`ran \${command}\`);
const read = client.gate('Read', ({ file_path }) => \`read \${file_path}\`);
console.log(await read({ file_path: 'a.txt' }));
console.log(await shell({ command: 'rm -rf x' }).catch(({ name, message }) => \`\${name}: \${message}\`));
console.log(await shell({ command: 'git push' }));
`;

const GONE = `${AGENT.split('\n')[0]}
await using client = CountersignClient.fromEnvironment();
await client.propose({ toolName: 'Mail', input: { to: 'a@example.org' } });
`;

const execFile = promisify(execFileOf);
const folder = mkdtempSync(join(tmpdir(), 'countersign-dev-'));
const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  rmSync(folder, { recursive: true, force: true });
});

test('an agent with the env file meets the rules and the people of the policy file, and Ctrl-C leaves nothing', async () => {
  writeFileSync(join(folder, 'countersign.yaml'), POLICY);
  writeFileSync(join(folder, 'agent.mjs'), AGENT);
  const dev = await startDev(folder, [process.execPath, join(ROOT, 'shared/cli/main.ts')], process.env, ['--memory']);
  stops.push(dev.interrupt);
  expect(readdirSync(join(folder, '.countersign-dev')).toSorted()).toEqual([
    '.gitignore',
    'aws',
    'builder.env',
    'other.env',
    'pid',
  ]);

  const run = execFile('sh', ['-c', '. .countersign-dev/builder.env && exec "$0" agent.mjs', process.execPath], {
    cwd: folder,
    env: { PATH: process.env['PATH'], AWS_PROFILE: 'of-somebody-else' },
  });
  await dev.until(/builder {2}Bash {2}\S+ {2}waits for people/);
  await dev.click('U2A', 'C1A', 'Approve');
  expect((await run).stdout).toBe(
    'read a.txt\nNotApprovedError: Denied by the rule Bash(rm:*) (project).\nran git push\n',
  );
  await dev.until(/Bash {2}\S+ {2}denied by rule deny Bash\(rm:\*\), countersign\.yaml:\d+\n/);
  await dev.until(/Bash {2}\S+ {2}approved by Alice\n/);

  // The agent is gone before people answer, as a run that a framework suspended.
  writeFileSync(join(folder, 'agent.mjs'), GONE);
  await execFile('sh', ['-c', '. .countersign-dev/builder.env && exec "$0" agent.mjs', process.execPath], {
    cwd: folder,
  });
  await dev.until(/Mail {2}\S+ {2}waits for people \(\S+\)\n/);
  await dev.click('U2A', 'C1A', 'Approve');
  await dev.until(/Mail {2}\S+ {2}approved by Alice\n/);

  writeFileSync(join(folder, 'countersign.yaml'), POLICY.replace('rules', 'ruls'));
  await dev.until(/countersign\.yaml:6:1: ruls: unknown key.*\ncountersign: the gate goes on/);
  writeFileSync(join(folder, 'countersign.yaml'), POLICY.replace('other', 'third'));
  await dev.until(/was read again; agents: builder, third/);

  expect(await dev.interrupt()).toBe(0);
  expect(readdirSync(folder).toSorted()).toEqual(['agent.mjs', 'countersign.yaml']);
});
