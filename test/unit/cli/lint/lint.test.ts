/**
 * Checks the findings of `policy lint`: each rule's own words, and who could answer.
 *
 * Each rule runs alone and beside the others.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { CODES } from '../../../../shared/cli/lint/finding.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import { acts, cli } from '../run-cli.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-lint-'));
afterAll(() => rmSync(folder, { recursive: true }));

interface Line {
  readonly code: string;
  readonly where: string;
  readonly message: string;
  readonly suggestion?: string;
  readonly line: number | null;
}

const PEOPLE = `people:
  o: { team: T1A, user: U1A, name: O }
  b: { team: T1A, user: U1B, name: B }
  c: { team: T1A, user: U1C, name: C }
  d: { team: T1A, user: U1D, name: D }
channels: { c: { team: T1A, id: C1A } }
approvers:
  three: { members: [b, c, d], channel: c }
  pair: { members: [o, b], channel: c }
  owner: { members: [o], channel: c }
  slack: { userGroup: S1A, channel: c }
`;
const SOUND = `${PEOPLE}agents: { a: { owner: o, projectRoot: /workspace/app } }
approvals: { approvers: three }
`;

async function lint(text: string): Promise<readonly Line[]> {
  writeFileSync(join(folder, 'countersign.yaml'), text);
  const ran = await cli(['policy', 'lint', '--json'], { cwd: folder });
  expect(ran.err).toBe('');
  const lines = ran.lines as readonly Line[];
  for (const { code } of lines) expect(CODES).toHaveProperty(code);
  expect(ran.code).toBe(lines.length ? 1 : 0);
  return lines;
}

const rules = (of: Partial<Record<'deny' | 'ask' | 'allow', readonly unknown[]>>) =>
  `${SOUND}rules: ${JSON.stringify(of)}\n`;

const codesOf = async (...[of]: Parameters<typeof rules>) => (await lint(rules(of))).map(({ code }) => code);

describe("an allow is judged by its own words, and the gate's reason is shown", () => {
  test.each([
    ['Bash(eval:*)', 'grants_nothing', 'not even `eval`: '],
    ['Bash(sudo apt:*)', 'grants_nothing', 'not even `sudo apt`: '],
    ['Bash(bash -c:*)', 'grants_nothing', 'not even `bash -c`: '],
    ['Bash(find . -exec:*)', 'grants_nothing', 'not even `find . -exec`: '],
    ['Bash(cat .env:*)', 'grants_nothing', 'a protected path (.env)'],
    ['Bash(npm test && npm run build:*)', 'never_matches', 'Bash(npm test:*), Bash(npm run build:*)'],
    ['Read(.env)', 'grants_nothing', 'a protected path (.env)'],
    ['Edit(.git/**)', 'grants_nothing', 'a protected path (.git)'],
    ['Edit(//proc/**)', 'grants_nothing', '/proc'],
    ['WebFetch(domain:*.local)', 'grants_nothing', 'private'],
  ])('%s has %s: %s', async (allow, code, says) => {
    const [first, ...others] = await lint(rules({ allow: [allow] }));
    expect(first).toMatchObject({ code, where: allow, message: expect.stringContaining(says) });
    expect(others).toEqual([]);
  });

  test.each([
    ['Bash(time npm test:*)', 'Bash(npm test:*)'],
    ['Bash(timeout 60 npm test:*)', 'Bash(npm test:*)'],
    ['Bash(NODE_ENV=test npm test:*)', 'Bash(npm test:*)'],
  ])('%s: the rule to write instead is %s, which has nothing to report', async (allow, suggestion) => {
    expect(await lint(rules({ allow: [allow] }))).toMatchObject([{ where: allow, suggestion }]);
    expect(await lint(rules({ allow: [suggestion] }))).toEqual([]);
  });

  test.each([
    'Read',
    'Read(src/**)',
    'Read(./**/)',
    'Read(~/notes/*.md)',
    'Edit(src/**/*.ts)',
    'Edit(src/[ab]?.ts)',
    'Edit(/src/)',
    'Grep(src/**)',
    'Glob(src/**)',
    'NotebookEdit(nb/*.ipynb)',
    'WebFetch',
    'WebFetch(domain:*.example.com)',
    'WebFetch(domain:localhost)',
    'WebSearch',
    'mcp__pay',
    'mcp__pay__*',
    'mcp__pay__send(to:x)',
    'Bash(ls:*)',
    'Bash(ls *)',
    // Needed where nobody is asked: `dontAsk` denies what no rule covers.
    'Bash(test -f:*)',
    'Bash(npm test)',
    'Bash(npm run "a b")',
    'Bash(npm test && npm run build)',
    'Bash(node:*)',
    'Bash(./scripts/*)',
    'Bash(git log * main)',
    'Bash(curl https://*)',
    { permission: 'Read' },
  ])('%j says what it means', async (allow) => {
    expect(await lint(rules({ allow: [allow] }))).toEqual([]);
  });

  test('what holds for one agent holds: a path of its own home', async () => {
    const two = SOUND.replace('agents: {', 'agents: { z: { owner: o, projectRoot: /other, home: /h },');
    expect(await lint(`${two}rules: { allow: ["Edit(//other/src/**)", "Edit(~/x)"] }`)).toEqual([]);
  });
});

describe('a deny or an ask that speaks of no call is reported', () => {
  test.each([
    ['Bash(git:* push)', 'Bash(git push:*)'],
    ['Bash(cd x && rm:*)', 'Bash(rm:*)'],
    ['Bash(curl * | sh)', undefined],
  ])('%s', async (pattern, suggestion) => {
    for (const effect of ['deny', 'ask'])
      expect(await lint(rules({ [effect]: [pattern] }))).toMatchObject([
        { code: 'never_matches', where: pattern, ...(suggestion ? { suggestion } : {}) },
      ]);
  });

  test.each([
    'Bash(rm:*)',
    'Bash(sudo:*)',
    'Bash(npm* publish)',
    'Read(**/.env)',
    'Edit(.git/**)',
    'Read(//etc/passwd)',
    'WebFetch(domain:*.local)',
    'WebFetch(prompt:*x*)',
    'B*',
    '*',
    'mcp__pay__send(amount:5)',
    { permission: 'Network' },
  ])('%j speaks of calls', async (pattern) => {
    expect(await lint(rules({ deny: [pattern] }))).toEqual([]);
    expect(await lint(rules({ ask: [pattern] }))).toEqual([]);
  });
});

test("the classifier's patterns are looked at as rules are", async () => {
  const patterns = "classifier: { allow: ['Bash(ls:*)', 'Bash(eval:*)'], deny: ['Bash(rm:*)', 'Bash(git:* push)'] }";
  expect((await lint(`${SOUND}${patterns}`)).map(({ code, where, line }) => [code, where, line])).toEqual([
    ['grants_nothing', 'Bash(eval:*)', 14],
    ['never_matches', 'Bash(git:* push)', 14],
  ]);
});

test.each([
  ['Bash: { permissions: [Read] }', [['fewer_permissions', 'tools.Bash']]],
  ['Write: { permissions: [] }', [['fewer_permissions', 'tools.Write']]],
  ['Bash: { permissions: [Execute, Network] }', []],
  ['Bash: { shell: { canonical: true } }', []],
])('a built-in tool that is declared to do less than it can: %s', async (tool, found) => {
  expect((await lint(`${SOUND}tools: { ${tool} }`)).map(({ code, where }) => [code, where])).toEqual(found);
});

describe('an allow that a deny or an ask hides names it, with its place', () => {
  test.each([
    [{ deny: ['Bash(rm:*)'], allow: ['Bash(rm -rf build:*)'] }, 'deny Bash(rm:*) (countersign.yaml:14:'],
    [
      { ask: ['Bash(git push:*)'], allow: ['Bash(git push origin main)'] },
      'ask Bash(git push:*) (countersign.yaml:14:',
    ],
    [{ deny: ['Read(**/secrets/**)'], allow: ['Read(src/secrets/a)'] }, 'deny Read(**/secrets/**)'],
    [{ ask: [{ permission: 'Write' }], allow: ['Edit(src/**)'] }, 'ask permission: Write'],
    [{ deny: ['WebFetch(domain:*.org)'], allow: ['WebFetch(domain:x.org)'] }, 'deny WebFetch(domain:*.org)'],
    [{ ask: ['*'], allow: ['WebSearch'] }, 'ask *'],
    [{ deny: ['mcp__pay'], allow: ['mcp__pay__send(to:x)'] }, 'deny mcp__pay'],
  ])('%j', async (of, says) => {
    expect(await lint(rules(of))).toMatchObject([
      { code: 'shadowed', where: of.allow[0], message: expect.stringContaining(`for ${says}`) },
    ]);
  });

  test.each([
    { ask: ['Bash(git push:*)'], allow: ['Bash(git:*)'] },
    { ask: ['Bash(ls)'], allow: ['Bash(ls:*)'] },
    { deny: ['Read(**/secrets/**)'], allow: ['Read'] },
    { deny: ['Bash(rm:*)'], allow: ['Bash(rmdir:*)'] },
  ])('%j: some of its calls are allowed', async (of) => {
    expect(await codesOf(of)).toEqual([]);
  });

  test('what the file drops is dropped, whatever its words', async () => {
    const managed = { rule: 'Bash(ls:*)', source: 'managed' };
    for (const word of ['managedRulesOnly: true', 'workspaceTrusted: false'])
      expect(await lint(`${rules({ allow: ['Bash(ls:*)', managed] })}${word}`)).toMatchObject([
        { code: 'dropped', where: 'Bash(ls:*)' },
      ]);
  });
});

describe('a question that nobody may answer is reported', () => {
  const agents = (one: string) => `${PEOPLE}agents: { a: { owner: o${one} } }\n`;

  test.each([
    ['no group at all', agents(''), ['no_approvers agents.a']],
    ['a group of the owner', `${agents('')}approvals: { approvers: owner }`, ['no_approvers agents.a']],
    ['an agent that asks others', agents(', approvers: three'), []],
    ['a Slack user group, of which nobody knows who is in it', `${agents('')}approvals: { approvers: slack }`, []],
    ['an agent that asks nobody', agents(', unattended: true'), []],
    ['an agent whose mode asks nobody', agents(', mode: dontAsk'), []],
    [
      'a requester who is the only one left',
      `${agents(', requesters: [b]')}approvals: { approvers: pair }`,
      ['no_approvers agents.a'],
    ],
  ])('%s', async (_, text, codes) => {
    expect((await lint(text)).map(({ code, where }) => `${code} ${where}`)).toEqual(codes);
  });

  test.each([
    ['a rule of the owner', { rule: 'Bash(x:*)', approvers: 'owner' }, 'no_approvers'],
    ['two people of one who may', { rule: 'Bash(x:*)', stages: [{ group: 'pair', quorum: 2 }] }, 'quorum_unavailable'],
    [
      'severity high with a group of one',
      { rule: 'Bash(x:*)', approvers: 'pair', severity: 'high' },
      'quorum_unavailable',
    ],
    ['on actions of a contract', { rule: 'Flow(pay)', approvers: 'owner' }, 'no_approvers'],
    ['of a permission', { permission: 'Write', approvers: 'owner' }, 'no_approvers'],
    ['a user group', { rule: 'Bash(x:*)', approvers: 'slack', severity: 'high' }, undefined],
  ])('a rule: %s', async (_, ask, code) => {
    expect((await lint(rules({ ask: [ask] }))).map((one) => one.code)).toEqual(code ? [code] : []);
  });

  test('a tool, unless rules decide all of its calls; each agent that it concerns is named', async () => {
    const tool = 'tools: { Pay: { permissions: [Network], severity: high, approvers: pair } }\n';
    expect(await lint(`${SOUND}${tool}`)).toMatchObject([
      { code: 'quorum_unavailable', where: 'tools.Pay', line: 14, message: expect.stringContaining('(a)') },
    ]);
    expect(await lint(`${rules({ allow: ['Pay'] })}${tool}`)).toEqual([]);
    const two = SOUND.replace('agents: {', 'agents: { z: { owner: b, approvers: three }, y: { owner: d },');
    const [finding] = await lint(`${two}${tool}`);
    expect(finding?.message).toContain('(z, a)');
  });

  test('a policy of actions that asks the owner', async () => {
    const tree = '{ type: human-in-the-loop, approvers: owner, timeout: 60, delegate: { type: random } }';
    expect((await lint(`${SOUND}policies: { p: ${tree} }`)).map(({ code, where }) => [code, where])).toEqual([
      ['no_approvers', 'policies.p'],
    ]);
  });

  test('a call that people may approve and not edit, unless edits are not offered', async () => {
    const tool = (more: string) => `tools: { Pay: { permissions: [Network], severity: high${more} } }\n`;
    const two = SOUND.replace('[b, c, d]', '[b, c]');
    expect(await lint(`${two}${tool('')}`)).toMatchObject([{ code: 'no_edits', where: 'tools.Pay' }]);
    expect(await lint(`${two}${tool(', allowedDecisions: [approve]')}`)).toEqual([]);
    expect(await lint(`${SOUND}${tool('')}`)).toEqual([]);
  });
});

describe('what a file accepts by name is not reported', () => {
  const found = "rules: { allow: ['Bash(eval:*)', 'Bash(sudo:*)'] }\n";
  const accepting = (...entries: readonly string[]) => `${SOUND}${found}lint: { ignore: [${entries.join(', ')}] }\n`;

  test('an entry accepts one finding, or all of a code', async () => {
    const one = "{ code: grants_nothing, where: 'Bash(eval:*)', reason: later }";
    expect((await lint(accepting(one))).map(({ where }) => where)).toEqual(['Bash(sudo:*)']);
    expect(await lint(accepting('{ code: grants_nothing, reason: later }'))).toEqual([]);
  });

  test('says how many, and counts no warning of them in policy check', async () => {
    writeFileSync(
      join(folder, 'countersign.yaml'),
      `${SOUND}rules: { allow: ['Bash(npm*)'] }\nlint: { ignore: [{ code: no_word_boundary, reason: known }] }`,
    );
    const linted = await cli(['policy', 'lint'], { cwd: folder });
    expect(linted).toMatchObject({ code: 0, out: 'No findings, 1 accepted by lint.ignore.\n' });
    const checked = await cli(['policy', 'check'], { cwd: folder });
    expect(checked.out).not.toContain('warning');
  });

  test.each([
    ['{ code: no_edits, where: tools.Pay, reason: later }', 'no_edits of tools.Pay is not found'],
    ['{ code: grants_nothnig, reason: later }', 'there is no such code; did you mean grants_nothing?'],
  ])('an entry that accepts nothing is a finding: %s', async (entry, says) => {
    const all = '{ code: grants_nothing, reason: later }';
    expect(await lint(accepting(all, entry))).toMatchObject([
      { code: 'unused_ignore', where: 'lint.ignore[1]', line: 15, message: expect.stringContaining(says) },
    ]);
  });

  test.each([
    ['{ code: no_edits }', 'reason: is missing'],
    ['{ code: no_edits, reason: "" }', 'reason: must not be empty'],
    ['{ code: No-Edits, reason: x }', 'must be the code of a finding'],
    ['{ code: no_edits, reason: x, why: y }', 'unknown key why'],
  ])('an entry without a reason or a code does not load: %s', async (entry, says) => {
    writeFileSync(join(folder, 'countersign.yaml'), accepting(entry));
    const ran = await cli(['policy', 'check'], { cwd: folder });
    expect(ran.code).toBe(5);
    expect(ran.err).toContain(says);
  });

  test('a file without the section has the version that it had before there was one', () => {
    expect(loadPolicy(SOUND, 'countersign.yaml').policy).not.toHaveProperty('lint');
  });
});

test('a finding has its place, as JSON and as text that a terminal does not act on', async () => {
  const text = `${SOUND}rules:\n  allow:\n    - "Bash(eval:*)"\n`;
  expect(await lint(text)).toContainEqual({
    level: 'warning',
    code: 'grants_nothing',
    file: 'countersign.yaml',
    line: 16,
    column: 7,
    where: 'Bash(eval:*)',
    message: expect.any(String),
  });
  const { out } = await cli(['policy', 'lint'], { cwd: folder });
  expect(acts(out)).toBe(false);
  expect(out).toMatch(/^countersign\.yaml:16:7: Bash\(eval:\*\): grants nothing.* \[grants_nothing\]\n/);
  writeFileSync(join(folder, 'countersign.yaml'), `${SOUND}rules: { allow: ["Bash(evil\\u202e\\u001b[2J*)"] }\n`);
  const { code, err } = await cli(['policy', 'lint'], { cwd: folder });
  expect([code, acts(err)]).toEqual([5, false]);
  expect(err).toContain('holds U+202E, which nobody sees');
});

test('policy check tells the warnings of the compiler as JSON', async () => {
  writeFileSync(join(folder, 'countersign.yaml'), rules({ deny: ['Bash(git:* push)'] }));
  const { lines } = await cli(['policy', 'check', '--json'], { cwd: folder });
  expect(lines).toMatchObject([
    { ok: true, warnings: [{ code: 'never_matches', suggestion: 'Bash(git push:*)', line: 14 }] },
  ]);
});

test('help names every code and how to accept one', async () => {
  const { out } = await cli(['policy', 'lint', '--help']);
  for (const code of Object.keys(CODES)) expect(out).toContain(`  ${code} `);
  expect(out).toContain('ignore: [{ code: no_edits, where: tools.Pay, reason:');
});

describe('people of one name', () => {
  const withPeople = (people: string) => SOUND.replace('people:\n', `people:\n${people}\n`);
  test.each(['O', 'o', ' O ', 'О'])('with two accounts are reported: %j', async (name) => {
    const found = await lint(withPeople(`  second: { team: T1A, user: U9X, name: ${JSON.stringify(name)} }`));
    expect(found).toMatchObject([
      { code: 'same_name', where: 'people.o', message: expect.stringContaining('people.second') },
    ]);
  });

  test('with names of their own are not', async () => {
    expect(await lint(withPeople('  second: { team: T1A, user: U9X, name: Otto }'))).toEqual([]);
  });
});

describe('what the task agent may not do by itself', () => {
  const withAgent = (more: string) => `${SOUND}taskAgent: { enabled: true, agent: a }\n${more}`;
  const stopped = async (more: string) =>
    (await lint(withAgent(more))).filter(({ code }) => code === 'stops_task_agent').map(({ where }) => where);

  test.each([
    ['a rule that asks', 'rules: { ask: [add_task] }', ['add_task']],
    ['approvers', 'tools: { delete_task: { permissions: [Write], approvers: three } }', ['tools.delete_task']],
    ['a high severity', 'tools: { delete_task: { permissions: [Write], severity: high } }', ['tools.delete_task']],
    ['nothing of that kind', '', []],
    ['a deny', 'rules: { deny: [add_task] }', []],
  ])('%s', async (_, more, found) => {
    expect(await stopped(more)).toEqual(found);
  });
});

describe('a hook whose tool no call names is reported', () => {
  const withHook = (tools: string) => `${SOUND}hooks: { guard: { function: review, tools: [${tools}] } }\n`;

  test.each([
    ['Bsh', 'unlisted_tool', 'Bash'],
    ['bash', 'never_matches', 'Bash'],
    ['mcp__pay__', 'never_matches', 'mcp__pay__*'],
  ])('%s', async (tool, code, suggestion) => {
    expect(await lint(withHook(tool))).toMatchObject([{ code, suggestion, where: 'hooks.guard', line: 14 }]);
  });

  test.each(['Bash', '"*"', 'mcp__pay__send', '"mcp__*"'])('%s is not', async (tool) => {
    expect(await lint(withHook(tool))).toEqual([]);
  });
});
