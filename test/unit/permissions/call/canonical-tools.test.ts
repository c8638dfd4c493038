/**
 * Checks tools whose commands run as the gate prints them (D44).
 *
 * Covers the commands that an allow rule covers there, and the input that they run with.
 */
import { describe, expect, test } from 'vitest';
import type { CallContext } from '../../../../shared/permissions/call/call-context.ts';
import type { ToolEntry } from '../../../../shared/permissions/index.ts';
import { createToolRegistry } from '../../../../shared/permissions/model/tools.ts';
import { serviceOf } from '../service/service-support.ts';
import { judge, type Rule } from '../support.ts';

const ENTRIES: readonly ToolEntry[] = [
  { name: 'Bash', permissions: ['Execute'], canonical: true },
  { name: 'Run', permissions: ['Execute'], shell: true, canonical: true },
  { name: 'Plain', permissions: ['Execute'], shell: true },
];
const tools = createToolRegistry(ENTRIES);
const RULES: readonly Rule[] = [
  ['allow', 'Bash(git status:*)'],
  ['allow', 'Bash(ls:*)'],
  ['allow', 'Bash(echo:*)'],
  ['allow', 'Bash(make a && make b)'],
  ['allow', 'Run(ls:*)'],
  ['allow', 'Plain(ls:*)'],
  ['deny', 'Bash(rm:*)'],
];
const verdict = (command: string, more: Partial<CallContext> = {}, rules = RULES) =>
  judge('Bash', { command }, rules, { tools, ...more });

describe('an allow by rule', () => {
  test.each<[string, string]>([
    ['git status --short', "'git' 'status' '--short'"],
    ['ls src/*.ts | echo "a b"', "'ls' 'src/'*'.ts' | 'echo' 'a b'"],
    ['[ -f x ] && ls a', "'[' '-f' 'x' ']' && 'ls' 'a'"],
    ['echo {a,b} # why', "'echo' 'a' 'b'"],
    // The rule names the proposed text as a whole.
    ['make a && make b', "'make' 'a' && 'make' 'b'"],
  ])('%j runs as %j', (command, printed) => {
    expect(verdict(command)).toMatchObject({ verdict: 'allow', source: 'rules', effective: { command: printed } });
    // The printed text is proposed again, or judged again before it runs.
    if (!command.startsWith('make')) expect(verdict(printed)).toMatchObject({ verdict: 'allow', source: 'rules' });
    expect(verdict(printed).effective).toBeUndefined();
  });

  test('leaves the other fields of the input', () => {
    const input = { command: 'ls a', timeout: 5, description: 'look' };
    for (const tool of ['Bash', 'Run'])
      expect(judge(tool, input, RULES, { tools }).effective).toEqual({ ...input, command: "'ls' 'a'" });
  });

  test.each([
    ...['ls $((1+2))', 'ls [^a]', 'echo {1..3}', 'ls <<< a', "ls $x''"],
    // Covered as it stands, and not understood in the same way by every shell.
    ...['echo a=~/b', 'ls ~+'],
  ])('does not cover %j', (command) => {
    expect(verdict(command)).toMatchObject({ verdict: 'ask' });
    expect(verdict(command).effective).toBeUndefined();
  });

  test('says why it does not', () => {
    const call = { command: 'echo a=~/b' };
    expect(judge('Bash', call, RULES, { tools }).verdict).toBe('ask');
    expect(judge('Bash', call, RULES).verdict).toBe('allow');
  });

  test('covers no command that holds a secret', () => {
    expect(verdict('ls a', { mayPrint: false }).verdict).toBe('ask');
    expect(verdict("'ls' 'a'", { mayPrint: false }).verdict).toBe('ask');
  });

  test('changes nothing for other tools, other modes and other verdicts', () => {
    expect(judge('Plain', { command: 'ls a' }, RULES, { tools })).toMatchObject({ verdict: 'allow' });
    expect(judge('Plain', { command: 'ls a' }, RULES, { tools }).effective).toBeUndefined();
    expect(verdict('make a', { mode: 'bypass' })).toMatchObject({ verdict: 'allow', reason: 'bypass' });
    expect(verdict('make a', { mode: 'bypass' }).effective).toBeUndefined();
    expect(verdict('echo a; rm b').effective).toBeUndefined();
    expect(verdict('echo a; make b').effective).toBeUndefined();
  });

  test('counts in bubble, too: what the parent allows by rule runs as the parent read it', () => {
    const effective = { command: "'make' 'x'" };
    const parent = { state: 'answered', verdict: 'allow', effective } as const;
    const asked = judge('Bash', { command: 'make x' }, RULES, { tools, mode: 'bubble' }, { parent });
    expect(asked).toMatchObject({ verdict: 'allow', reason: 'bubble', effective });
    const agreed = { state: 'answered', verdict: 'allow' } as const;
    const own = judge('Bash', { command: 'ls' }, RULES, { tools, mode: 'bubble' }, { parent: agreed });
    expect(own).toMatchObject({ verdict: 'allow', effective: { command: "'ls'" } });
  });
});

describe('the service', () => {
  const { service: parent } = serviceOf({ rules: RULES, tools: ENTRIES });

  test('gives the printed command as the arguments to run', async () => {
    expect(await parent.check('Bash', { command: 'ls a', timeout: 5 })).toMatchObject({
      decision: 'allow',
      modifiedArgs: { command: "'ls' 'a'", timeout: 5 },
    });
    expect(await parent.check('Plain', { command: 'ls a' })).not.toHaveProperty('modifiedArgs');
    expect(await parent.check('Bash', { command: 'ls ~+' })).not.toHaveProperty('modifiedArgs');
  });

  test("hands on what a parent's rule covers, and not what a person answered there", async () => {
    const { service } = serviceOf({ mode: 'bubble', parent, tools: ENTRIES });
    expect(await service.check('Bash', { command: 'ls a' })).toMatchObject({
      decision: 'allow',
      modifiedArgs: { command: "'ls' 'a'" },
    });
    const { service: answered } = serviceOf({ tools: ENTRIES, answer: { kind: 'Allowed' } });
    const { service: child } = serviceOf({ mode: 'bubble', parent: answered, tools: ENTRIES });
    expect(await child.check('Bash', { command: 'ls a' })).toMatchObject({ decision: 'allow' });
    expect(await child.check('Bash', { command: 'ls a' })).not.toHaveProperty('modifiedArgs');
  });

  test('keeps to the setting of a tool whose permissions the caller states', async () => {
    const byParent = await parent.checkWithPermissions('Run', { command: 'ls a' }, ['Execute']);
    expect(byParent).toMatchObject({ decision: 'allow', modifiedArgs: { command: "'ls' 'a'" } });
  });
});
