/** Tests that the hook of Codex is written, fails closed, and that nothing else changes. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { withCodexHook } from '../../../../shared/cli/install/codex-hooks.ts';
import { fateInCodex } from '../../client/hooks/fate.ts';
import { cli } from '../run-cli.ts';

const folders: string[] = [];
let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'countersign-install-'));
  folders.push(home);
});
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const read = (file = 'hooks.json') => readFileSync(join(home, file), 'utf8');
const write = (text: string, file = 'hooks.json') => writeFileSync(join(home, file), text);
const install = (...argv: readonly string[]) => cli(['install', 'codex', ...argv], { env: { CODEX_HOME: home } });

const ENDING = " || { echo 'Countersign did not allow this call, so it does not run.' >&2; exit 2; }";
const GROUP = {
  matcher: '*',
  hooks: [{ type: 'command', command: `countersign hook codex${ENDING}`, timeout: 86_400 }],
};

describe('install codex', () => {
  test('makes the hooks file, shows it first, and says that the hook has to be trusted', async () => {
    const { code, out } = await install();
    expect(code).toBe(0);
    expect(JSON.parse(read())).toEqual({ hooks: { PreToolUse: [GROUP] } });
    expect(out).toMatch(/hooks\.json \(new\)\n\+ \{\n/);
    expect(out).toMatch(/"timeout": 86400[\s\S]*\nwritten; .* until you trust it: .*\/hooks\n$/);
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
    expect(out).toContain('countersign hook codex');
    expect([code, existsSync(join(home, 'hooks.json'))]).toEqual([0, false]);
  });

  test('--file names another file, and --program another way to start it, which takes the place of the first', async () => {
    const file = join(home, 'other.json');
    await install('--file', file);
    await install('--file', file, '--program', '/opt/bin/countersign');
    const command = `/opt/bin/countersign hook codex${ENDING}`;
    expect(JSON.parse(read('other.json'))).toEqual({
      hooks: { PreToolUse: [{ ...GROUP, hooks: [{ ...GROUP.hooks[0], command }] }] },
    });
    expect(existsSync(join(home, 'hooks.json'))).toBe(false);
  });

  test('everything else stays byte for byte, with its indent and its line ends', async () => {
    write('{\r\n\t"note":   "mine",\r\n\t"hooks": { "Stop": [] }\r\n}\r\n');
    await install();
    const after = read();
    expect(after).toContain('{\r\n\t"note":   "mine",\r\n\t"hooks": { "Stop": []');
    expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    expect(JSON.parse(after)).toEqual({ note: 'mine', hooks: { Stop: [], PreToolUse: [GROUP] } });
  });

  test('hooks of others stay, and a weaker one of ours is replaced', async () => {
    const other = { type: 'command', command: './lint.sh' };
    const weak = { matcher: 'Bash', hooks: [{ type: 'command', command: 'countersign hook codex' }, other] };
    write(JSON.stringify({ hooks: { PreToolUse: [{ hooks: [other] }, weak] } }));
    await install();
    expect(JSON.parse(read())).toEqual({
      hooks: { PreToolUse: [{ hooks: [other] }, { matcher: '*', hooks: [...GROUP.hooks, other] }] },
    });
  });

  test.each([
    ['{ "hooks": ', /not JSON at line 1/],
    ['[]', /must be an object/],
    ['{ "hooks": [] }', /hooks: must be an object/],
    ['{ "hooks": { "PreToolUse": {} } }', /hooks\.PreToolUse/],
  ])('a broken file is refused by its name and left alone: %s', async (text, why) => {
    write(text);
    const { code, err } = await install();
    expect(code).toBe(2);
    expect(err).toContain(join(home, 'hooks.json'));
    expect(err).toMatch(why);
    expect(read()).toBe(text);
  });

  test.each([
    ['[features]\nhooks = false\n', /features\.hooks: is off/],
    ['features.hooks=false', /features\.hooks: is off/],
    ['features = { "hooks" = false }', /features\.hooks: is off/],
    ['[[hooks.PreToolUse.hooks]]\ncommand = "countersign hook codex"\n', /hooks: has the hook/],
    ["command = '/opt/bin/countersign' hook codex", /hooks: has the hook/],
  ])('settings beside it that the hook would suffer from are refused by name: %s', async (text, why) => {
    write(text, 'config.toml');
    const { code, err } = await install();
    expect([code, existsSync(join(home, 'hooks.json'))]).toEqual([2, false]);
    expect(err).toContain(join(home, 'config.toml'));
    expect(err).toMatch(why);
  });

  test.each(['# hooks = false', 'plugin_hooks = false\n', '[features]\nhooks = true', '# countersign hook codex'])(
    'other settings beside it do not matter: %s',
    async (text) => {
      write(text, 'config.toml');
      expect((await install()).code).toBe(0);
      expect(read('config.toml')).toBe(text);
    },
  );
});

describe('the command', () => {
  /** The end of the hook when `program` takes the place of `countersign`. */
  const fateOf = async (program: string) => {
    await install('--program', program);
    const { hooks } = JSON.parse(read()) as { hooks: { PreToolUse: [{ hooks: [{ command: string }] }] } };
    const { command } = hooks.PreToolUse[0].hooks[0];
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], { encoding: 'utf8' });
    return fateInCodex({ code: status, out: stdout, err: stderr });
  };

  test.each([
    ['is not there', '/nowhere/countersign'],
    ['is killed', "sh -c 'kill -KILL $$'"],
    ['fails without a word', 'false'],
    ['exits with 1', "sh -c 'exit 1'"],
  ])('blocks the call when the program %s', async (_, program) => {
    expect(await fateOf(program)).toBe('blocked');
  });

  test('leaves the answer of the program alone', async () => {
    expect(await fateOf('true')).toBe('runs');
  });
});

test('for all hooks files: nothing is lost, and a second run changes nothing', () => {
  const others = fc.record(
    {
      description: fc.string(),
      hooks: fc.dictionary(fc.constantFrom('Stop', 'PostToolUse'), fc.constant([])),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(others, fc.constantFrom(0, 2, 4, '\t'), (before, indent) => {
      const once = withCodexHook(JSON.stringify(before, null, indent), 'countersign', 'f');
      const { hooks, ...rest } = JSON.parse(once) as Record<string, object>;
      const { PreToolUse, ...theirs } = hooks as Record<string, object>;
      expect({ ...rest, ...(before.hooks ? { hooks: theirs } : {}) }).toEqual(JSON.parse(JSON.stringify(before)));
      expect(PreToolUse).toEqual([GROUP]);
      expect(withCodexHook(once, 'countersign', 'f')).toBe(once);
    }),
  );
});
