/** Checks the commands `policy check`, `policy lint` and `policy test`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { policyFileSchema } from '../../../../shared/config/json-schema.ts';
import { cli } from '../run-cli.ts';

const HEAD = `people: { o: { team: T1A, user: U1A, name: O } }
agents: { a: { owner: o } }
`;

/** With somebody who may answer: on as many lines. */
const ANSWERED = `people: { o: { team: T1A, user: U1A, name: O }, b: { team: T1A, user: U1B, name: B } }
agents: { a: { owner: o } }
channels: { c: { team: T1A, id: C1A } }
approvers: { g: { members: [b], channel: c } }
approvals: { approvers: g }
`;

const PAY = 'tools: { Pay: { permissions: [Network], severity: high } }';

const folders: string[] = [];
afterAll(() => {
  for (const one of folders) rmSync(one, { recursive: true });
});

/** A folder with files in it. */
function folder(files: Readonly<Record<string, string>>): string {
  const path = mkdtempSync(join(tmpdir(), 'countersign-cli-'));
  folders.push(path);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const onFile = (text: string, ...argv: string[]) =>
  cli(['policy', ...argv], { cwd: folder({ 'countersign.yaml': text }) });

describe('policy check', () => {
  test('with --json, problems are JSON as well', async () => {
    for (const argv of [['check'], ['lint']]) {
      const ran = await onFile(`${HEAD}bogus: 1\napprovals: []`, ...argv, '--json');
      expect(ran).toMatchObject({ code: 5, err: '' });
      expect(ran.lines).toMatchObject([
        {
          ok: false,
          problems: [
            { file: 'countersign.yaml', line: 3, path: 'bogus' },
            { file: 'countersign.yaml', line: 4, column: 12, path: 'approvals', message: 'must be a mapping' },
          ],
        },
      ]);
    }
  });

  test.each([
    ['only the owner', 'members: [o]', '', ['no_approvers']],
    [
      'only the owner, and the file accepts it',
      'members: [o]',
      'lint: { ignore: [{ code: no_approvers, reason: soon }] }',
      [],
    ],
    ['one for a call that takes two', 'members: [o, b]', PAY, ['quorum_unavailable']],
    ['two, of whom none is left for an edit', 'members: [b, c]', PAY, []],
  ])('counts questions that nobody could answer: %s', async (_, members, more, codes) => {
    const c = 'people: { c: { team: T1A, user: U1C, name: C },';
    const text = `${ANSWERED.replace('people: {', c).replace('members: [b]', members)}${more}\n`;
    const { code, lines } = await onFile(text, 'check', '--json');
    expect([code, lines]).toMatchObject([0, [{ ok: true, warnings: codes.map((one) => ({ code: one })) }]]);
    const { out } = await onFile(text, 'check');
    expect(out.includes('warnings: 1 (countersign policy lint)')).toBe(codes.length > 0);
  });

  test('a file that is not there: no word of an option that there is not', async () => {
    for (const command of ['check', 'lint']) {
      const ran = await cli(['policy', command, 'nope.yaml'], { cwd: folder({}) });
      expect(ran.err).toBe('countersign: nope.yaml: there is no such policy file; give it as an argument\n');
      expect(ran.code).toBe(2);
    }
  });

  test.each([
    ['', 'countersign.yaml:1:1: agents: is missing'],
    ['people: {}\npeople: {}', 'countersign.yaml:2:1: people: stands there twice'],
    ['agents: []', 'countersign.yaml:1:9: agents: must be a mapping'],
    [`${HEAD}rules: { deny: Bash }`, 'rules.deny: must be a list'],
    ['agents: { a: { } }', 'agents.a.owner: is missing'],
  ])('in words for its author: %j', async (text, says) => {
    expect((await onFile(text, 'check')).err).toContain(says);
  });

  test('counts the rules of a sound file, and exits with 0', async () => {
    const ran = await onFile(`${ANSWERED}rules: { allow: [Read], deny: ['Bash(rm:*)'] }`, 'check');
    expect(ran).toMatchObject({ code: 0, err: '' });
    expect(ran.out).toMatch(/^countersign\.yaml: 1 deny, 0 ask, 1 allow\npolicyVersion [0-9a-f]{64}\n$/);
  });

  test.each([
    [`${HEAD}bogus: 1`, 'countersign.yaml:3:1: bogus: unknown key bogus; allowed here: people'],
    [`${HEAD}rules:\n  deny: ['Bash(rm']`, 'countersign.yaml:4:10: Bash(rm: '],
    [`${HEAD}approvals: { approvers: nobody }`, 'nobody is not declared under approvers'],
    ['people: [', 'countersign.yaml:1:'],
  ])('a file that does not load: %j', async (text, says) => {
    for (const argv of [['check'], ['lint']]) {
      const ran = await onFile(text, ...argv);
      expect(ran.code).toBe(5);
      expect(`${ran.err}${ran.out}`).toContain(says);
    }
    const judged = await cli(['check', '--tool', 'Read', '--input', '{}'], {
      cwd: folder({ 'countersign.yaml': text }),
    });
    expect(judged).toMatchObject({ code: 5, out: '' });
  });
});

test.each([
  ["ask: [Bash], allow: ['Bash(ls:*)']", 'shadowed'],
  ['deny: [mcp__pay], allow: [mcp__pay__send]', 'shadowed'],
  ["ask: ['mcp__*'], allow: ['mcp__pay__*']", 'shadowed'],
  ["allow: ['Bash(*)']", 'allows_every_command'],
  ['allow: [Bash]', 'allows_every_command'],
  ["allow: ['*']", 'grants_nothing'],
  ["allow: ['Bash(run_in_background:true)']", 'grants_nothing'],
  ["ask: ['Bsh(rm:*)']", 'unlisted_tool'],
  ['allow: [Read, Read]', 'repeated'],
  ["allow: ['Flow(update_status)']", 'grants_nothing'],
  ["deny: ['Flow(persona:intern)']", 'never_matches'],
])('policy lint: rules: { %s } has %s', async (rules, code) => {
  const ran = await onFile(`${ANSWERED}rules: { ${rules} }`, 'lint', '--json');
  expect(ran.code).toBe(1);
  expect(ran.lines).toContainEqual(expect.objectContaining({ code }));
});

describe('policy lint: a wildcard in the place of a sub-command', () => {
  test.each([
    ["allow: ['Bash(git * main)']", '`git push --force origin main`'],
    ["allow: ['Bash(git * main*)']", '`git push --force origin mainx`'],
    ["allow: ['Bash(git * main)'], deny: ['Bash(git push:*)']", '`git reset --hard main`'],
    ["allow: ['Bash(npm * test)']", '`npm publish test`'],
    ["allow: ['Bash(cargo * --locked)']", '`cargo publish --locked`'],
    // `npm publish --version` would print a version.
    ["allow: ['Bash(npm * --version)']", '`npm run x -- --version`'],
    ["allow: ['Bash(npm * --help)']", '`npm run x -- --help`'],
  ])('rules: { %s } allow %s', async (rules, says) => {
    const { lines } = await onFile(`${ANSWERED}rules: { ${rules} }`, 'lint', '--json');
    expect(lines).toContainEqual(
      expect.objectContaining({ code: 'any_subcommand', message: expect.stringContaining(says) }),
    );
  });

  test.each([
    'Bash(npm run test:*)',
    'Bash(git log *)',
    'Bash(git log --oneline * main)',
    'Bash(git checkout * --)',
    'Bash(kubectl get * -n dev)',
    'Bash(npm run build-* --if-present)',
  ])('%s has none', async (rule) => {
    const { lines } = await onFile(`${ANSWERED}rules: { allow: ['${rule}'] }`, 'lint', '--json');
    expect(lines).not.toContainEqual(expect.objectContaining({ code: 'any_subcommand' }));
  });
});

test.each([
  ["deny: ['mcp__git__push(main)']", 'name the field, as in mcp__git__push(field:main)'],
  ["ask: ['mcp__git__push(rel*)'], allow: [mcp__git]", 'name the field, as in mcp__git__push(field:rel*)'],
])('policy lint: rules: { %s } names the fields that a text is compared with', async (rules, says) => {
  const { lines } = await onFile(`${ANSWERED}rules: { ${rules} }`, 'lint', '--json');
  expect(lines).toContainEqual(
    expect.objectContaining({ code: 'usual_fields', message: expect.stringContaining(says) }),
  );
  const named = await onFile(`${ANSWERED}rules: { ${rules.replaceAll(/\((\w)/g, '(branch:$1')} }`, 'lint', '--json');
  expect(named.lines).not.toContainEqual(expect.objectContaining({ code: 'usual_fields' }));
});

test('policy lint: a program that may be any is named with what it may do', async () => {
  const { out } = await onFile(`${ANSWERED}rules: { allow: ['Bash(* --version)'] }`, 'lint');
  expect(out).toContain('any program may stand before --version, as `rm -rf x`; name it');
});

test('policy lint: rules on actions of a contract need no tool; one that the file lists is a tool like any other', async () => {
  const deny = "deny: ['Flow(cancel_*)', 'Flow(persona_id:intern)'], ask: ['Flow(release_escrow)', Flow]";
  expect(await onFile(`${ANSWERED}rules: { ${deny} }`, 'lint')).toMatchObject({ code: 0, err: '' });
  const listed = `${ANSWERED}tools: { Flow: { permissions: [Network] } }\nrules: { allow: ['Flow(update_status)'] }`;
  expect(await onFile(listed, 'lint')).toMatchObject({ code: 0 });
});

test('policy lint: a tool with effects that nobody is asked about', async () => {
  const tools = 'tools: { Pay: { permissions: [Network], effect: NonIdempotentWrite } }\n';
  const silent = await onFile(`${ANSWERED}${tools}rules: { allow: [Pay] }`, 'lint', '--json');
  expect(silent.lines).toMatchObject([{ code: 'never_asked' }]);
  const asked = await onFile(`${ANSWERED}${tools}rules: { ask: [Pay] }`, 'lint');
  expect(asked).toMatchObject({ code: 0, out: 'No findings.\n' });
  const server = tools.replace('Pay', 'mcp__pay__send');
  const byServer = await onFile(`${ANSWERED}${server}rules: { ask: ['mcp__pay(to:x)'], allow: [mcp__pay] }`, 'lint');
  expect(byServer).toMatchObject({ code: 0, out: 'No findings.\n' });
});

test('policy lint: a call that costs more than a budget of the day, once for each budget', async () => {
  const limits = (most: number) =>
    `${ANSWERED}guardrails: { environments: { production: { costPerCall: 5, budget: { costPerDay: ${most} } } } }`;
  const none = await onFile(limits(4), 'lint', '--json');
  expect(none.lines).toMatchObject([{ code: 'never_affordable' }]);
  expect(none.out).toContain('costPerCall 5 of environment:production is more than the costPerDay 4');
  expect(await onFile(limits(5), 'lint')).toMatchObject({ code: 0, out: 'No findings.\n' });
});

describe('policy test: who is asked', () => {
  const policy = `people:
  o: { team: T1A, user: U1A, name: O }
  b: { team: T1A, user: U1B, name: B }
  c: { team: T1A, user: U1C, name: C }
  d: { team: T1A, user: U1D, name: D }
agents: { a: { owner: o } }
channels: { ask: { team: T1A, id: C1ASK }, data: { team: T1A, id: C1DATA } }
approvers: { platform: { members: [b, c], channel: ask }, dba: { members: [d], channel: data } }
approvals: { approvers: platform, timeout: 45m }
tools: { Pay: { permissions: [Network], severity: high }, Ping: { permissions: [Network], timeoutBehavior: Approve, severity: low } }
rules:
  ask: [{ rule: Deploy, stages: [{ group: platform, quorum: 2, timeout: 10m, escalateTo: dba }, { group: dba, timeout: 20m }] }]
`;
  const tested = (asks: string, tool = 'Deploy', expected = 'ask') => {
    const table = `policy: p.yaml\ncases:\n  - { tool: ${tool}, input: { file_path: x }, expect: ${expected}, asks: ${asks} }`;
    return cli(['policy', 'test', 't.yaml'], { cwd: folder({ 'p.yaml': policy, 't.yaml': table }) });
  };

  test.each([
    ['[platform, dba]', 'Deploy', 'ask'],
    [
      '[{ group: platform, quorum: 2, timeout: 10m, escalateTo: dba, channel: ask }, { timeout: 20m, channel: C1DATA }]',
      'Deploy',
      'ask',
    ],
    ['[{ quorum: 2 }]', 'Pay', 'ask'],
    ['[{ group: platform, quorum: 1, timeout: 45m }]', 'Ping', 'ask'],
    ['[]', 'Read', 'allow'],
  ])('%s of %s: as it is asked', async (asks, tool, expected) => {
    expect(await tested(asks, tool, expected)).toMatchObject({ code: 0, out: '1 passed, 0 failed\n' });
  });

  test.each([
    ['[platform]', 'expected ask asks platform, got'],
    ['[dba, platform]', 'expected ask asks dba, then platform, got'],
    ['[{ quorum: 1 }, dba]', 'expected ask asks anybody ×1, then dba, got'],
    ['[{ timeout: 11m }, dba]', 'within 11m'],
    ['[{ escalateTo: platform }, dba]', '(then platform too)'],
    ['[{ channel: data }, dba]', 'in data'],
    ['[]', 'expected ask asks nobody'],
  ])('%s of a rule: not as it is asked', async (asks, says) => {
    const ran = await tested(asks);
    expect(ran.code).toBe(1);
    expect(ran.out).toContain(says);
    expect(ran.out).toContain('asks platform ×2 within 10m (then dba too), then dba ×1 within 20m');
  });

  test.each(['platform', '[{ groop: platform }]', '[{ timeout: 10 }]'])('%s is not understood', async (asks) => {
    expect(await tested(asks)).toMatchObject({ code: 2, out: '' });
  });

  test('check and explain tell the same in words and as JSON', async () => {
    const cwd = folder({ 'countersign.yaml': policy });
    const argv = (tool: string) => ['--tool', tool, '--input', '{}'];
    for (const command of ['check', 'explain']) {
      const { out } = await cli([command, ...argv('Deploy')], { cwd });
      expect(out).toContain('asks    platform ×2 within 10m (then dba too), then dba ×1 within 20m\n');
      expect(out).toContain('cards   in C1ASK, then C1DATA\n');
      const { lines } = await cli([command, ...argv('Deploy'), '--json'], { cwd });
      expect(lines).toMatchObject([
        {
          asks: [
            { group: 'platform', quorum: 2, timeout: '10m', escalateTo: 'dba', channel: 'C1ASK' },
            { group: 'dba', quorum: 1, timeout: '20m', channel: 'C1DATA' },
          ],
        },
      ]);
    }
    const silent = await cli(['check', ...argv('Ping')], { cwd });
    expect(silent.out).toContain('asks    platform ×1 within 45m; no answer in time lets it run\n');
    const paid = await cli(['check', ...argv('Pay'), '--json'], { cwd });
    expect(paid.lines).toMatchObject([{ asks: [{ group: 'platform', quorum: 2, timeout: '45m' }] }]);
  });
});

describe('policy test', () => {
  const policy = `${HEAD}rules: { allow: [Read], deny: ['Bash(rm:*)'] }`;
  const table = (cases: string) => folder({ 'p.yaml': policy, 't.yaml': `policy: p.yaml\ncases:\n${cases}` });

  test('passes where every verdict and rule is as expected', async () => {
    const cwd = table(`  - { tool: Bash, input: { command: rm x }, expect: deny, rule: 'Bash(rm:*)' }
  - { tool: Read, input: { file_path: a }, expect: allow }`);
    expect(await cli(['policy', 'test', 't.yaml'], { cwd })).toMatchObject({ code: 0, out: '2 passed, 0 failed\n' });
  });

  test('names what is not as expected', async () => {
    const cwd = table(`  - { name: no reading, tool: Read, input: { file_path: a }, expect: deny }
  - { tool: Bash, input: { command: rm x }, expect: deny, rule: Bash }
  - { tool: Bash, input: { command: make a }, mode: dontAsk, expect: allow }`);
    const ran = await cli(['policy', 'test', 't.yaml'], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.out).toBe(`FAIL  no reading: expected deny, got allow by Read (rule_match)
FAIL  case 2, Bash: expected deny by Bash, got deny by Bash(rm:*) (rule_match)
FAIL  case 3, Bash: expected allow, got deny (dont_ask): No rule covers make; Bash(make:*) would cover it. This session asks nobody.
0 passed, 3 failed
`);
  });

  test('takes an absolute path for the policy file', async () => {
    const elsewhere = folder({ 'p.yaml': policy });
    const cases = 'cases: [{ tool: Read, input: { file_path: a }, expect: allow }]';
    const cwd = folder({ 't.yaml': `policy: ${elsewhere}/p.yaml\n${cases}\n` });
    expect(await cli(['policy', 'test', 't.yaml'], { cwd })).toMatchObject({ code: 0 });
  });

  test.each([
    ['cases: []', 't.yaml:1:8: cases: must not be empty'],
    ['cases: [{ tool: Read, input: {}, expect: maybe }]', 't.yaml:1:42: cases[0].expect: must be one of allow, ask'],
    ['cases: [{ tool: 1, input: {} }]', 't.yaml:1:17: cases[0].tool: must be text\n'],
    ['cases: [{ tool: 1, input: {} }]', 't.yaml:1:9: cases[0].expect: is missing\n'],
    [
      'cases: [{ tool: A, expect: ask, inptu: {} }]',
      /cases\[0\]: unknown key inptu; allowed here: name, .*; did you mean input\?\n/,
    ],
    ['- { tool: A }', /t\.yaml:1:1: must be a mapping\n.*countersign policy test --help shows a table\n$/],
    ['', 't.yaml: holds no cases\n'],
    ['cases: [', 't.yaml:1:8: a list begins here with ['],
    ['cases: [{ tool: A, input: { __proto__: { a: 1 } }, expect: ask }]', 't.yaml:1:29: __proto__: is no name'],
  ])('a table that cannot be read: %s', async (text, says) => {
    const ran = await cli(['policy', 'test', 't.yaml'], { cwd: folder({ 't.yaml': text }) });
    expect(ran.code).toBe(2);
    expect(ran.err).toMatch(says);
  });
});

test('policy schema prints what the repository holds', async () => {
  const { out } = await cli(['policy', 'schema']);
  expect(JSON.parse(out)).toEqual(policyFileSchema());
});

describe('policy exclusions', () => {
  const FILE = `people: { o: { team: T1A, user: U1A, name: O } }
agents: { a: { owner: o, projectRoot: /srv/a }, b: { owner: o, projectRoot: /srv/b } }
protectedPaths: { add: [vault/keys], remove: [.env] }
rules: { deny: ['Read(/secret/**)', 'Read(//srv/b/own)', 'Read(~/.netrc)'] }
`;

  test('an ignore file of what the project of the agent may not read', async () => {
    const { code, out, err } = await onFile(FILE, 'exclusions', '--agent', 'b');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    const lines = out.trim().split('\n');
    expect(lines[0]).toBe('# Below /srv/b. Compare without regard to case, as the gate does.');
    expect(lines).toContain('# Not below it, and so not listed: deny Read(~/.netrc)');
    expect(lines).toEqual(expect.arrayContaining(['.git', '**/.aws/credentials', '**/vault/keys', '/secret', '/own']));
    expect(lines).not.toContain('.env');
    expect(lines).not.toContain('countersign.yaml');
  });

  test('prints one line of JSON', async () => {
    const { lines } = await onFile(FILE, 'exclusions', '--agent', 'a', '--json');
    expect(lines).toEqual([
      {
        patterns: expect.arrayContaining(['.git', '/secret']),
        outside: expect.arrayContaining(['/etc/shadow', 'deny Read(//srv/b/own)']),
      },
    ]);
  });

  test('of several agents one has to be named', async () => {
    expect(await onFile(FILE, 'exclusions')).toMatchObject({
      code: 2,
      err: 'countersign: name the agent with --agent: a, b\n',
    });
  });

  test('a file that does not load', async () => {
    expect((await onFile(`${FILE}bogus: 1`, 'exclusions')).code).toBe(5);
  });
});

test('the YAML that the help shows is YAML as a terminal shows it', async () => {
  const shown = await Promise.all(['lint', 'test'].map(async (word) => (await cli(['policy', word, '--help'])).out));
  const [ignored, table] = shown.map((help) => parse(/^ {2}(?:lint|policy):.*(?:\n {2}.*)*/m.exec(help)?.[0] ?? ''));
  expect(ignored).toEqual({ lint: { ignore: [{ code: 'no_edits', where: 'tools.Pay', reason: 'two are enough' }] } });
  const ran = await cli(['policy', 'test', 'cases.yaml'], {
    cwd: folder({
      'cases.yaml': JSON.stringify({ ...table, agent: 'a' }),
      'countersign.yaml': `${HEAD}rules: { allow: [Read] }`,
    }),
  });
  expect(ran.err).not.toContain('cases.yaml');
  expect(table.cases).toHaveLength(3);
});
