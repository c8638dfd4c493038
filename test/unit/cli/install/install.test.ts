/** Tests that the hook of Claude Code is written, and that nothing else changes. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { withHook } from '../../../../shared/cli/install/claude-settings.ts';
import { cli } from '../run-cli.ts';

const folders: string[] = [];
let cwd = '';
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'countersign-install-'));
  folders.push(cwd);
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const FILE = '.claude/settings.json';
const MANAGED = 'managed-settings.json';
const read = (file = FILE) => readFileSync(join(cwd, file), 'utf8');
const write = (text: string, file = FILE) => {
  mkdirSync(join(cwd, '.claude'), { recursive: true });
  writeFileSync(join(cwd, file), text);
};
const install = (...argv: readonly string[]) =>
  cli(['install', 'claude-code', ...argv], { cwd, managedSettings: join(cwd, MANAGED) });

const COMMAND = '"$CLAUDE_PROJECT_DIR"/node_modules/.bin/countersign hook';
const GROUP = {
  matcher: '*',
  hooks: [{ type: 'command', command: COMMAND, timeout: 86_400, onFailure: 'block' }],
};

describe('install claude-code', () => {
  test('makes the settings of a project, and shows them first', async () => {
    const { code, out } = await install();
    expect(code).toBe(0);
    expect(JSON.parse(read())).toEqual({
      hooks: { PreToolUse: [GROUP] },
      disableAllHooks: false,
      minimumVersion: '2.1.330',
    });
    expect(out).toMatch(/settings\.json \(new\)\n\+ \{\n/);
    expect(out).toContain('+             "onFailure": "block"');
    expect(readdirSync(join(cwd, '.claude'))).toEqual(['settings.json']);
  });

  test.each([
    ['is not in the project', undefined, [], /no node_modules\/\.bin\/countersign here.*--program/],
    ['is in the project', 'node_modules/.bin', [], /^$/],
    ['is named', undefined, ['--program', 'npx countersign'], /^$/],
  ] as const)('the command %s: tells whether the hook can start', async (_, folder, argv, told) => {
    if (folder) {
      mkdirSync(join(cwd, folder), { recursive: true });
      writeFileSync(join(cwd, folder, 'countersign'), '');
    }
    const { code, err } = await install(...argv);
    expect([code, err]).toEqual([0, expect.stringMatching(told)]);
  });

  test('a second run changes nothing', async () => {
    await install();
    const first = read();
    const { code, out } = await install();
    expect(out).toContain('has the hook already');
    expect([code, read()]).toEqual([0, first]);
  });

  test('--dry-run shows the difference and writes nothing', async () => {
    const { code, out } = await install('--dry-run');
    expect(out).toContain('"onFailure": "block"');
    expect([code, existsSync(join(cwd, FILE))]).toEqual([0, false]);
  });

  test('--managed keeps older versions from starting, and starts the program from PATH', async () => {
    const { code } = await install('--managed');
    expect(code).toBe(0);
    const hooks = [{ ...GROUP.hooks[0], command: 'countersign hook' }];
    expect(JSON.parse(read('managed-settings.json'))).toEqual({
      hooks: { PreToolUse: [{ ...GROUP, hooks }] },
      requiredMinimumVersion: '2.1.330',
    });
  });

  test('everything else stays byte for byte, with its indent and its line ends', async () => {
    const before =
      '{\r\n\t"model":   "opus",\r\n\t"permissions": {"deny":["Bash(rm:*)"] },\r\n\t"hooks": { "Stop": [] },\r\n\t"env": { "A": "1.0e5" }\r\n}\r\n';
    write(before);
    await install();
    const after = read();
    expect(after).toContain('\t"model":   "opus",\r\n\t"permissions": {"deny":["Bash(rm:*)"] },\r\n');
    expect(after).toContain('\t"env": { "A": "1.0e5" }');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(JSON.parse(after)).toEqual({
      ...(JSON.parse(before) as object),
      hooks: { Stop: [], PreToolUse: [GROUP] },
      disableAllHooks: false,
      minimumVersion: '2.1.330',
    });
  });

  test('hooks of others stay, behind this one and beside it', async () => {
    const other = { matcher: 'Bash', hooks: [{ type: 'command', command: './lint.sh' }] };
    write(JSON.stringify({ hooks: { PreToolUse: [other] } }));
    await install();
    expect(JSON.parse(read())).toMatchObject({ hooks: { PreToolUse: [GROUP, other] } });
    await install();
    expect(read().match(/countersign hook/g)).toHaveLength(1);
    const weakened = { matcher: 'Bash', hooks: [{ type: 'command', command: 'npx countersign hook' }, ...other.hooks] };
    write(JSON.stringify({ hooks: { PreToolUse: [weakened] } }));
    await install();
    expect(JSON.parse(read())).toMatchObject({
      hooks: { PreToolUse: [{ matcher: '*', hooks: [...GROUP.hooks, ...other.hooks] }] },
    });
    const once = read();
    await install();
    expect(read()).toBe(once);
  });

  test('--program names another way to start it, and takes the place of the first one', async () => {
    await install();
    await install('--program', '/opt/countersign/bin/countersign');
    const command = '/opt/countersign/bin/countersign hook';
    expect(JSON.parse(read())).toMatchObject({ hooks: { PreToolUse: [{ hooks: [{ command }] }] } });
    expect(read().match(/countersign hook/g)).toHaveLength(1);
  });

  test('a program of another name is found again by its command', async () => {
    await install('--program', './gate');
    const { out } = await install('--program', './gate');
    expect(out).toContain('has the hook already');
    expect(read().match(/gate hook/g)).toHaveLength(1);
  });

  test.each([
    ['2.1.295', '2.1.330'],
    ['2.1.330', '2.1.330'],
    ['2.1.400', '2.1.400'],
    ['2.2', '2.2'],
    ['3.0.0', '3.0.0'],
    ['latest', 'latest'],
  ])('a minimum version of %s becomes %s', async (before, after) => {
    write(JSON.stringify({ minimumVersion: before }));
    await install();
    expect(JSON.parse(read())).toMatchObject({ minimumVersion: after });
  });

  test.each([
    ['{ "hooks": ', /not JSON at line 1/],
    ['{ "a": 1, } // why', /not JSON/],
    ['{ "hooks": {}, "hooks": {} }', /hooks/],
    ['[]', /must be an object/],
    ['{ "hooks": [] }', /hooks: must be an object/],
    ['{ "hooks": { "PreToolUse": {} } }', /hooks\.PreToolUse/],
    ['{ "hooks": { "PreToolUse": [{ "hooks": "x" }] } }', /PreToolUse\[0\]\.hooks/],
    ['{ "minimumVersion": 2 }', /minimumVersion/],
    ['{ "disableAllHooks": true }', /disableAllHooks: is set, so that no hook would run/],
  ])('a broken file is refused by its name and left alone: %s', async (text, why) => {
    write(text);
    const { code, err } = await install();
    expect(code).toBe(2);
    expect(err).toContain(join(cwd, FILE));
    expect(err).toMatch(why);
    expect(read()).toBe(text);
  });

  test('settings that would leave the hook of a project without effect are refused by their name', async () => {
    write('{ "disableAllHooks": true }', '.claude/settings.local.json');
    const { code, err } = await install();
    expect([code, err]).toEqual([2, expect.stringMatching(/settings\.local\.json: disableAllHooks: is set/)]);
    expect(existsSync(join(cwd, FILE))).toBe(false);
    // Local settings have no effect on the managed ones.
    expect((await install('--managed', '--file', FILE)).code).toBe(0);
    expect(JSON.parse(read())).not.toHaveProperty('disableAllHooks');
    write('{ "disableAllHooks": false, "allowManagedHooksOnly": true }', '.claude/settings.local.json');
    expect((await install()).code).toBe(0);
    for (const [key, why] of [
      ['disableAllHooks', /managed-settings\.json: disableAllHooks: .*whoever manages/],
      ['allowManagedHooksOnly', /managed-settings\.json: allowManagedHooksOnly: .*--managed/],
    ] as const) {
      write(`{ "${key}": true }`, MANAGED);
      const refused = await install();
      expect([refused.code, refused.err]).toEqual([2, expect.stringMatching(why)]);
    }
  });

  test('a folder in the place of the file is refused', async () => {
    mkdirSync(join(cwd, FILE), { recursive: true });
    const { code, err } = await install();
    expect([code, err]).toEqual([2, expect.stringContaining('cannot be read')]);
  });

  test('a link stays a link, and the file keeps its mode', async () => {
    write('{}\n', '.claude/shared.json');
    const target = join(cwd, '.claude/shared.json');
    writeFileSync(target, '{}\n', { mode: 0o600 });
    const { mode } = statSync(target);
    symlinkSync('shared.json', join(cwd, FILE));
    await install();
    expect(JSON.parse(readFileSync(target, 'utf8'))).toMatchObject({ hooks: { PreToolUse: [GROUP] } });
    expect(statSync(target).mode).toBe(mode);
  });
});

test('for all settings: nothing is lost, and a second run changes nothing', () => {
  const keys = fc.stringMatching(/^[a-z]{1,6}$/);
  const settings = fc.record(
    {
      env: fc.dictionary(keys, fc.string()),
      hooks: fc.dictionary(fc.constantFrom('Stop', 'PostToolUse'), fc.constant([])),
      model: fc.string(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(settings, fc.constantFrom(0, 2, 4, '\t'), (before, indent) => {
      const once = withHook(JSON.stringify(before, null, indent), 'countersign hook', 'project', 'f');
      const { minimumVersion, disableAllHooks, hooks, ...rest } = JSON.parse(once) as Record<string, object>;
      const { PreToolUse, ...others } = hooks as Record<string, object>;
      expect({ ...rest, ...(before.hooks ? { hooks: others } : {}) }).toEqual(JSON.parse(JSON.stringify(before)));
      expect(PreToolUse).toHaveLength(1);
      expect([minimumVersion, disableAllHooks]).toEqual(['2.1.330', false]);
      expect(withHook(once, 'countersign hook', 'project', 'f')).toBe(once);
    }),
  );
});
