/** Checks that a policy file is refused for whatever YAML would drop or change, at its place (G11). */
import { describe, expect, test } from 'vitest';
import { definePolicy, type PolicyInput } from '../../../shared/config/define.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';

const PEOPLE = 'people: { o: { team: T1A, user: U1A, name: O } }\n';
const AGENTS = `${PEOPLE}agents: { a: { owner: o } }\n`;
const pay = (fields: string) => `tools: { Pay: { permissions: [Sensitive], ${fields} } }`;

function refusal(load: () => unknown): string {
  try {
    load();
    return 'loads';
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message;
    throw error;
  }
}
const fileWith = (text: string) => refusal(() => loadPolicy(text, 'p.yaml'));

describe('a key that would be dropped', () => {
  test.each([
    `${PEOPLE}agents: { __proto__: { owner: o } }`,
    `${AGENTS}tools: { __proto__: { permissions: [Sensitive], severity: high } }`,
    `${AGENTS}guardrails: { tools: { __proto__: { maxConcurrent: 1 } } }`,
    `${AGENTS}hooks: { __proto__: { nonsense: true } }`,
    `${AGENTS}${pay('argsSchema: { type: object, __proto__: { required: [to] } }')}`,
  ])('%s', (text) => {
    expect(fileWith(text)).toMatch(/^p\.yaml:\d:\d+: __proto__: is no name that a key may have$/);
  });

  test.each([
    ['1: { owner: o }, "1": { owner: o }', '2:28: "1": stands there twice'],
    ['"true": { owner: o }, true: { owner: o }', '2:33: true: stands there twice'],
    ['b: &n b, *n : { owner: o }', '2:20: *n: a key must be text, without alias or tag'],
    ['[b]: { owner: o }', '2:11: [b]: a key must be text, without alias or tag'],
  ])('of one name with another: %s', (agents, problem) => {
    expect(fileWith(`${PEOPLE}agents: { ${agents} }`)).toContain(`p.yaml:${problem}`);
  });

  test.each([
    ['agents: { a: { <<: *base, mode: plan } }', '3:16'],
    // Where keys are names, it would be one.
    ['agents: { <<: *base, a: { owner: o } }', '3:11'],
    ['agents: { a: { owner: o } }\ntools: { <<: { Pay: { permissions: [Sensitive] } } }', '4:10'],
  ])(
    'a merge, with the two ways that there are instead, and no word of keys that it would have brought: %s',
    (text, at) => {
      const refused = fileWith(
        `people: { o: { team: T1A, user: U1A, name: O } }\ndefaults: &base { owner: o }\n${text}`,
      );
      expect(refused).toBe(
        `p.yaml:${at}: <<: nothing is merged here: write the keys out, or name a whole value by &anchor and use it by *anchor`,
      );
    },
  );

  test('a merge in a file that says it is YAML 1.1 brings its keys, as ever', () => {
    const agents = 'base: { owner: o, mode: plan }';
    const text = `%YAML 1.1\n---\n${PEOPLE}agents: { ${agents.replace(':', ': &base')}, a: { <<: *base, mode: default } }`;
    const { policy } = loadPolicy(text, 'p');
    expect(policy.agents['a']).toMatchObject({ owner: 'o', mode: 'default' });
  });

  test('an anchor names a whole value', () => {
    const { policy } = loadPolicy(`${PEOPLE}agents: { a: &a { owner: o, mode: plan }, b: *a }`, 'p');
    expect(policy.agents['b']).toMatchObject({ owner: 'o', mode: 'plan' });
  });

  test('the text that stands there is the name, whatever number it would be', () => {
    const { policy } = loadPolicy(`${PEOPLE}agents: { 010: { owner: o }, 1e3: { owner: o }, 0x10: { owner: o } }`, 'p');
    expect(Object.keys(policy.agents)).toEqual(['010', '1e3', '0x10']);
  });
});

describe('a value that JSON cannot hold', () => {
  test.each([
    ['argsSchema: { default: .nan }', 'tools.Pay.argsSchema.default: must be a number that has an end'],
    ['outputSchema: { default: -.inf }', 'tools.Pay.outputSchema.default: must be a number that has an end'],
    ['argsSchema: { const: !!binary QmFzaA== }', 'tools.Pay.argsSchema.const: must be text, a number, true, false'],
    ['argsSchema: { default: !!set { a } }', 'tools.Pay.argsSchema.default: must be text, a number, true, false'],
    ['argsSchema: { default: &a [ *a ] }', 'tools.Pay.argsSchema.default[0]: contains itself'],
    ['argsSchema: { const: "\\ud800" }', 'tools.Pay.argsSchema.const: holds half of a surrogate pair'],
    ['argsSchema: { "\\ud800": 1 }', 'tools.Pay.argsSchema.\\u{d800}: holds half of a surrogate pair'],
    [`argsSchema: { default: ${'['.repeat(62)}${']'.repeat(62)} }`, 'is nested deeper than 64 levels'],
    [`argsSchema: { default: ${'['.repeat(9_000)}${']'.repeat(9_000)} }`, 'is nested deeper than 64 levels'],
  ])('%.50s', (fields, problem) => {
    const refused = fileWith(`${AGENTS}${pay(fields)}`);
    expect(refused).toMatch(/^p\.yaml:3:\d+: /);
    expect(refused).toContain(problem);
  });

  test('dates of YAML 1.1 among them', () => {
    expect(fileWith(`%YAML 1.1\n---\n${AGENTS}${pay('argsSchema: { const: 2026-01-01 }')}`)).toContain(
      'p.yaml:5:64: tools.Pay.argsSchema.const: must be text',
    );
  });

  test('as deep as a message may be is not too deep', () => {
    expect(fileWith(`${AGENTS}${pay(`argsSchema: { default: ${'['.repeat(60)}${']'.repeat(60)} }`)}`)).toBe('loads');
  });

  test.each([
    [{ rules: { deny: new Map([['0', 'Bash']]) } }, 'rules.deny: is of the type Map'],
    [{ rules: { deny: new Error('a vowel') } }, 'rules.deny: is of the type Error'],
    [
      { tools: { Pay: { permissions: ['Read'], argsSchema: { default: Number.NaN } } } },
      'tools.Pay.argsSchema.default: is NaN',
    ],
    [{ rules: { deny: [undefined] } }, 'rules.deny[0]: is undefined'],
  ])('nor is it written as another value, of a policy in code: %j', (more, problem) => {
    const policy = { people: { o: { team: 'T1A', user: 'U1A', name: 'O' } }, agents: { a: { owner: 'o' } }, ...more };
    expect(refusal(() => definePolicy(policy as unknown as PolicyInput))).toContain(`policy: ${problem}`);
  });
});

describe('each mistake has its line', () => {
  test.each([
    ['', 'p.yaml:1:1: agents: is missing'],
    [`${AGENTS}rules:\n  deny:\n    - Bash(rm: *)`, 'p.yaml:5:16: *): is an alias without its anchor; put a text'],
    [`${AGENTS}---\n${AGENTS}`, 'p.yaml:3:1: a second document begins here'],
    [
      'a: &a [x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b]\nd: [*c,*c]',
      'p.yaml:4:8: Excessive alias count',
    ],
  ])('%j', (text, problem) => {
    expect(fileWith(text)).toContain(problem);
  });

  test('several of one line at once, and no consequence of another', () => {
    const refused = fileWith(
      `${PEOPLE}agents: { a: { owner: o, owner: o }, a: {}, b: "\\q" }\nrules: { deny: @x, ask: @y }`,
    );
    expect(refused.split('\n')).toEqual([
      'p.yaml:2:26: owner: stands there twice',
      'p.yaml:2:38: a: stands there twice',
      'p.yaml:2:49: \\q means nothing in double quotes: put the text in single quotes',
      'p.yaml:3:16: a text that begins with @ has to be in quotes',
    ]);
  });

  test('in the columns that an editor shows, which counts no byte order mark', () => {
    expect(
      fileWith(`\ufeffpeople: @x\nagents: @y`)
        .split('\n')
        .map((line) => line.slice(0, 11)),
    ).toEqual(['p.yaml:1:9:', 'p.yaml:2:9:']);
    expect(fileWith('\ufeff')).toContain('p.yaml:1:1: agents: is missing');
  });

  test('soon, whatever the number of aliases', () => {
    const many = `people: { o: &o { team: T1A, user: U1A, name: O } }\nagents: { a: [${'*o,'.repeat(30_000)}*x] }`;
    const before = process.cpuUsage().user;
    expect(fileWith(many)).toContain('p.yaml:2:90015: *x: is an alias without its anchor');
    expect(process.cpuUsage().user - before).toBeLessThan(10_000_000);
  });

  test('and one line, whatever the text holds', () => {
    expect(fileWith(`${AGENTS}rules:\n  deny:\n    - |\n      Bash(rm:*)`)).toMatch(
      /^p\.yaml:5:7: Bash\(rm:\*\)\\u\{000a\}: .+$/,
    );
    expect(fileWith(`${AGENTS}"\\x1b[2Jrules": {}`)).toMatch(/^p\.yaml:3:1: \\u\{001b\}\[2Jrules: unknown key/);
  });

  test.each([
    [
      'at the end of every line',
      `# rules of production\r${AGENTS.replaceAll('\n', '\r')}rules: { deny: [Read] }\r`,
      '1:22',
    ],
    ['behind a comment, which would hide the rule behind it', `${AGENTS}# all\rrules: { deny: [Read] }\n`, '3:6'],
    ['within a text in quotes', `${AGENTS}rules: { deny: ["Read\r"] }`, '3:22'],
    ['before the end of a line', `${AGENTS}rules: {}\r\r\n`, '3:10'],
  ])('a lone carriage return %s', (_, text, where) => {
    const problem = 'a line ends here with a carriage return (CR) alone: save the file with line ends LF or CRLF';
    expect(fileWith(text)).toBe(`p.yaml:${where}: ${problem}`);
  });

  test('and line ends of Windows are none', () => {
    expect(
      loadPolicy(`${AGENTS}rules: { deny: [Read] }\n`.replaceAll('\n', '\r\n'), 'p.yaml').policy.rules.deny,
    ).toHaveLength(1);
  });

  test('text of another encoding would look like a rule, and match nothing', () => {
    const latin = Buffer.from(`${AGENTS}rules: { deny: ['Bash(caf\u00e9:*)'] }`, 'latin1').toString('utf8');
    expect(fileWith(latin)).toContain(
      'p.yaml:3:17: rules.deny[0]: holds U+FFFD, which stands for bytes that are not UTF-8',
    );
  });
});

test('a whole file between brackets tells where the open one begins', () => {
  expect(fileWith('{ "rules": { "deny": ["Read"] }')).toMatch(/^p\.yaml:1:1: a mapping begins here with \{/);
});

describe('a mistake of syntax is told where it begins, in words of ours', () => {
  test.each([
    ['rules: { ask: ["Bash(ls:*), Read] }', '3:16: a text begins here with ", and " is missing at its end'],
    ["rules:\n  allow: ['Bash(ls:*), Read]", "4:11: a text begins here with ', and ' is missing at its end"],
    [
      'rules:\n  allow: [{ rule: Read }, Bash',
      '4:10: a list begins here with [, and ] is missing at its end, or has too few spaces before it',
    ],
    [
      'rules:\n  allow: [\n    Read\n]',
      '4:10: a list begins here with [, and ] is missing at its end, or has too few spaces before it',
    ],
    [
      'rules:\n  allow:\n    - { rule: Read, reason: {}',
      '5:7: a mapping begins here with {, and } is missing at its end, or has too few spaces before it',
    ],
    ['rules:\n  deny: @foo', '4:9: a text that begins with @ has to be in quotes'],
    ['rules:\n\tdeny: [Read]', '4:1: a tab stands before this line: indent with spaces'],
    ['rules: { deny: [a: b: c] }', '3:20: a second key begins on this line: put a text that holds ": " in quotes'],
    ['rules: { deny: ["Read" "Bash"] }', '3:24: a comma is missing before this'],
    ['rules: { deny: ["a\\qb"] }', '3:19: \\q means nothing in double quotes: put the text in single quotes'],
    [
      'rules: { ask: [{ rule: A } { rule: B }] }',
      '3:28: a comma is missing before {, or the whole text has to be in quotes',
    ],
    [
      'rules:\n  deny: [Bash: "rm"',
      '4:9: a list begins here with [, and ] is missing at its end, or has too few spaces before it',
    ],
    ['rules:\n  deny: [x]]', '4:12: ] ends nothing that is open: take it away, or put the whole text in quotes'],
    [
      'rules:\n  deny: [\n    - x\n  ]',
      '5:5: - begins no entry between brackets: put commas between the entries, or leave the brackets away',
    ],
    ['- x', '3:1: is no entry of what stands above it: a list has - before each entry, and a mapping has keys alone'],
    ['record:xoxb-1', '3:1: a key has to stand on one line, with a : and a blank behind it'],
    ['rules: { deny: [!foo x] }', '3:17: !foo: tags mean nothing here; a text that begins with ! has to be in quotes'],
  ])('%j', (text, problem) => {
    const words = fileWith(`${AGENTS}${text}`);
    expect(words).toBe(`p.yaml:${problem}`);
  });

  test.each([
    'rules:\n  deny: "It says "no" here"',
    'rules:\n  - a\n - b',
    'rules:\n  deny: [x]\n allow: [y]',
    'rules:\n  deny: a: b',
    'rules\nrecord: {}',
    'rules: {}}',
    'rules: {}}\nrecord: {}\nlint: xoxb-1',
    'rules:\n  - Read\n  deny: xoxb-1\nlint: {}',
  ])('%j is one problem with a step', (text) => {
    expect(fileWith(`${AGENTS}${text}`)).toMatch(/^p\.yaml:\d+:\d+: [^\n]*(?:quotes|column|behind it|mapping)[^\n]*$/);
    expect(fileWith(`${AGENTS}${text}`), 'shows no text of the file').not.toContain('xoxb');
  });
});
