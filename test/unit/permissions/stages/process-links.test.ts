/** Checks paths that lead by the links of `/proc`, under globs and from folders within it. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge, type Rule } from '../support.ts';

const codeOf = (command: string) => judge('Bash', { command }, [['allow', 'Bash']]).code;

describe('a delete', () => {
  test.each([
    ...['rm -rf /proc/self/c?d/*', 'rm -rf /proc/self/cw*/*', 'rm -rf /proc/self/roo[t]/*', 'rm -rf /proc/self/*/*'],
    ...['rm -rf /proc/self/roo?/home', 'rm -rf /proc/$PPID/cwd', 'rm -rf /proc/*/cwd', 'rm -rf /p*/self/cwd/*'],
    ...['rm -rf /pro?/self/root/home/agent', 'rm -rf /dev/f?/../cwd/*', 'rm -rf /proc/self/t*/1/c*/*'],
    ...['cd /proc/self; rm -rf cwd/*', 'cd /proc/self && rm -rf c?d/*', 'cd /proc; rm -rf self/cwd/*'],
    ...['cd /proc/self/root; rm -rf home', 'cd /proc/self/root/home; rm -rf agent', 'find /proc/self/c?d/ -delete'],
    ...['cd /proc/self/cwd; rm -rf ../app', 'cd /dev/fd; rm -rf ../cwd/*'],
    ...['rm -rf ~/../../proc/self/cwd/*', 'rm -rf ~/../../proc/*/root/home'],
    // Any folder may be open.
    ...['rm -rf /dev/fd/3/* 3< ~', 'rm -rf /proc/self/fd/7/x'],
  ])('%s is critical', (command) => expect(codeOf(command)).toBe('critical-delete'));

  test.each(['rm -rf /tmp/proc/self/cwd', 'rm -f /proc/self/oom_score_adj', 'rm -rf /tmp/*/cwd'])(
    '%s is none',
    (command) => expect(codeOf(command)).not.toBe('critical-delete'),
  );
});

const RULES: readonly (readonly Rule[])[] = [[['deny', 'Read(//data/**)']], [['deny', 'Bash(cat /data/x)']]];

describe('in bypass a read', () => {
  test.each([
    ...['cat /proc/self/root/data/x', 'cat /proc/self/cwd/../../data/x', 'cat /proc/$$/cwd/../../data/x'],
    ...['cat /proc/self/c*/../../data/x', 'cat /proc/self/r*/data/x', 'cat /proc/self/root/d*/x'],
    ...['cat /proc/*/root/data/x', 'cat /dev/fd/../root/data/x', 'cat /proc/self/task/1/root/data/x'],
    ...['cd /proc/self/root; cat data/x', 'cd /proc/self; cat root/data/x', 'cd /proc/self/cwd; cat ../../data/x'],
  ])('%s is what rules on the file speak of', (command) => {
    for (const rules of RULES) expect(commandVerdict(command, rules, { mode: 'bypass' })).not.toBe('allow');
  });

  test.each(['cat /proc/self/root/src/x', 'cat /proc/meminfo', 'cat /proc/self/st*', 'cat src/*.ts'])(
    '%s is not',
    (command) => expect(commandVerdict(command, RULES[0] as readonly Rule[], { mode: 'bypass' })).toBe('allow'),
  );
});
