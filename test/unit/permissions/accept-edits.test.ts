/** Which files a command may write as edits that the mode accepts (D6, rules.md "Commands"). */
import { describe, expect, test } from 'vitest';
import { createToolRegistry } from '../../../shared/permissions/index.ts';
import { prepareCall } from '../../../shared/permissions/prepare.ts';
import { acceptsAsEdits, type WrittenPath } from '../../../shared/permissions/stages/accept-edits.ts';
import type { CallContext } from '../../../shared/permissions/types.ts';
import { callOf, policyOf, type Rule, tools } from './support.ts';

const DIR = '/workspace/app';

function accepts(
  written: readonly Partial<WrittenPath>[],
  rules: readonly Rule[] = [],
  more: Partial<CallContext> = {},
  now = 0,
): boolean {
  const call = callOf('Bash', { command: 'true' }, rules, { mode: 'acceptEdits', ...more });
  const lookup = call.tools.lookup('Bash');
  if (lookup.kind === 'refused') throw new Error('Bash is a tool');
  return acceptsAsEdits(
    prepareCall(call, lookup),
    written.map((each) => ({ path: 'a', dir: DIR, ...each })),
    now,
  );
}

describe('a file that a command writes', () => {
  test.each(['a', 'src/x.ts', './src/../a', '/workspace/app/a', '.', 'a b', 'build.log', '.gitignore'])(
    '%j is accepted as an edit',
    (path) => expect(accepts([{ path }])).toBe(true),
  );

  test.each<[string, Partial<WrittenPath>]>([
    ['outside of the project', { path: '../a' }],
    ['absolute and outside', { path: '/etc/hosts' }],
    ['in the home directory', { path: '~/a' }],
    ['protected', { path: '.env' }],
    ['protected in another spelling', { path: 'x/../.GIT/hooks/a' }],
    ['empty', { path: '' }],
    ['a glob', { path: 'a*', glob: [] }],
    ['unknown in part', { path: 'a\ufffc' }],
    ['odd', { path: 'a\u200bb' }],
    ['encoded twice', { path: 'a%2541' }],
    ['from a folder outside', { dir: '/tmp' }],
    ['from a folder that is not known', { dirAllowed: false }],
    ['a broken name', { path: 'a\0' }],
  ])('one that is %s is not', (_, each) => expect(accepts([each])).toBe(false));

  test('is judged from the folder of its command', () => {
    expect(accepts([{ path: '../a', dir: `${DIR}/src` }])).toBe(true);
    expect(accepts([{ path: 'hooks/a', dir: `${DIR}/.git` }])).toBe(false);
  });

  test.each<[Rule, string, boolean]>([
    [['deny', 'Edit(infra/**)'], 'infra/a', false],
    [['deny', 'Edit(infra/**)'], 'src/a', true],
    [['ask', 'Edit(infra/**)'], 'infra/a', false],
    [['deny', 'Read(infra/**)'], 'infra/a', false],
    [['deny', 'Edit'], 'a', false],
    [['ask', 'Edit'], 'a', false],
    [['deny', 'Write(infra/**)'], 'infra/a', false],
    [['ask', '*'], 'a', false],
    [['deny', 'Bash(rm:*)'], 'a', true],
    [['allow', 'Edit(src/**)'], 'a', true],
  ])('meets the rules that an edit meets: %j, %s: %s', (rule, path, accepted) =>
    expect(accepts([{ path }], [rule])).toBe(accepted),
  );

  test('meets rules of the session, until they end', () => {
    const sessionRules = policyOf([['deny', 'Edit']]);
    expect(accepts([{}], [], { sessionRules })).toBe(false);
  });

  test('is judged behind its links', () => {
    const fs = { symlinks: { out: '/etc', env: '.env', here: 'src' } };
    expect([accepts([{ path: 'out/a' }], [], { fs }), accepts([{ path: 'env' }], [], { fs })]).toEqual([false, false]);
    expect(accepts([{ path: 'here/a' }], [], { fs })).toBe(true);
  });

  test('is one of all: each has to be accepted, and none is', () => {
    expect([accepts([{ path: 'a' }, { path: 'b' }]), accepts([{ path: 'a' }, { path: '.env' }]), accepts([])]).toEqual([
      ...[true, false, true],
    ]);
  });

  test('is accepted in this mode alone, and where Edit is a tool that only writes files', () => {
    for (const mode of ['default', 'plan', 'bypass', 'dontAsk', 'auto', 'bubble'] as const)
      expect(accepts([{}], [], { mode })).toBe(false);
    const sends = createToolRegistry([{ name: 'Edit', permissions: ['Write', 'Network'] }]);
    expect([accepts([{}], [], { tools: sends }), accepts([{}], [], { tools })]).toEqual([false, true]);
  });
});
