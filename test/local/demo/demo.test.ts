/**
 * Runs the demo as a newcomer does, without an endpoint.
 *
 * Runs once by itself to its end, and stops it by Ctrl-C at different moments.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { descendants, isAlive } from '../../support/processes.ts';
import { until } from '../endpoint/testing/until.ts';
import { SCENES } from './scenes.ts';

interface Demo {
  readonly child: ChildProcess;
  output(): string;
  readonly ended: Promise<number | null>;
}

const running = new Set<ChildProcess>();

function startDemo(...args: string[]): Demo {
  const { AWS_ENDPOINT_URL: _, ...env } = process.env;
  const child = spawn(process.execPath, ['test/local/demo/demo.ts', ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (text += String(chunk)));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  return { child, output: () => text, ended };
}

afterEach(() => {
  for (const child of running) child.kill('SIGKILL');
  running.clear();
});

describe('npm run demo', () => {
  it('clicks by itself with --yes, prints decisions and their trail, and exits 0', async () => {
    const demo = startDemo('--yes');
    expect(await demo.ended, demo.output()).toBe(0);
    const output = demo.output();
    expect(output).toMatch(/APPROVED {2}Bash .*git status[\s\S]*runs as .*'git' 'status' '--short'/);
    expect(output).toMatch(/DENIED {2}Bash .*rm -rf/);
    expect(output).toMatch(/APPROVED {2}Bash .*git push[\s\S]*by {3}Alice Approver[\s\S]*ran: \(played, not run\)/);
    expect(output).toMatch(/EXECUTED[\s\S]*succeeded in \d+ ms by its holder/);
    expect(output).toContain('the record says');
    // The demo ends by itself: there is nothing left to look further at.
    expect(output).not.toContain('npx countersign pending');
  });

  it('does the same in memory where there is no endpoint', async () => {
    const demo = startDemo('--memory', '--yes');
    expect(await demo.ended, demo.output()).toBe(0);
    expect(demo.output()).toMatch(/by {3}Alice Approver/);
    expect(demo.output()).toMatch(/ran {8}succeeded/);
  });

  it('plays every scene by itself with --tour', async () => {
    const demo = startDemo('--memory', '--tour');
    expect(await demo.ended, demo.output()).toBe(0);
    for (const { name } of SCENES) expect(demo.output()).toContain(`${name}: `);
    expect(demo.output()).toContain('runs as {"body":"It is faster.');
  });

  it('runs a policy file of one’s own, and names what is wrong with it', async () => {
    const own = startDemo('--memory', '--yes', '--policy', 'countersign.yaml');
    expect(await own.ended, own.output()).toBe(0);
    const missing = startDemo('--memory', '--yes', '--policy', 'nowhere.yaml');
    expect(await missing.ended).toBe(1);
    expect(missing.output()).toContain('nowhere.yaml');
  });

  it('explains itself', async () => {
    const help = startDemo('--help');
    expect(await help.ended).toBe(0);
    expect(help.output()).toContain('--policy FILE');
    expect(
      Math.max(
        ...help
          .output()
          .split('\n')
          // npm may have something to say as well.
          .filter((line) => !line.startsWith('npm '))
          .map(({ length }) => length),
      ),
    ).toBeLessThanOrEqual(80);
    const wrong = startDemo('--nonsense');
    expect(await wrong.ended).toBe(1);
    expect(wrong.output()).not.toContain('    at ');
  });

  it.each([
    ['starting its endpoint', /starting (Mini|Local)Stack on/],
    ['deploying', /deploying/],
  ])('stops every process on Ctrl-C while it is %s', async (moment, pattern) => {
    const demo = startDemo('--yes');
    await until(`the demo to be ${moment}`, () => pattern.test(demo.output()), 120_000);
    const before = descendants(demo.child.pid ?? 0);
    demo.child.kill('SIGINT');
    expect(await demo.ended).toBe(130);
    await until('its processes to end', () => before.filter(isAlive).length === 0);
  });
});
