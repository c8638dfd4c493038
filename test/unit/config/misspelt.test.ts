/**
 * Checks that every misspelt word refuses the whole policy file, with the nearest valid spelling.
 *
 * The message names the path of the word.
 */
import { describe, expect, test } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';
import { judge } from '../permissions/support.ts';

const PEOPLE = 'people: { o: { team: T1A, user: U1A, name: O } }\n';
const AGENTS = `${PEOPLE}agents: { a: { owner: o } }\n`;

function refusal(text: string): string {
  try {
    loadPolicy(text, 'p.yaml');
    return 'loads';
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message.split('\n')[0] as string;
    throw error;
  }
}

describe('modes', () => {
  test.each([
    ['acceptedits', 'acceptEdits'],
    ['AcceptEdits', 'acceptEdits'],
    ['bypassPermissions', 'bypass'],
    ['BypassPermissions', 'bypass'],
    ['Default', 'default'],
    ['dontask', 'dontAsk'],
    ['plna', 'plan'],
    ['auto ', 'auto'],
    ['buble', 'bubble'],
  ])('%s', (mode, nearest) => {
    const refused = refusal(`${PEOPLE}agents: { a: { owner: o, mode: '${mode}' } }`);
    expect(refused).toMatch(/^p\.yaml:2:32: agents\.a\.mode: /);
    expect(refused).toContain(`did you mean ${nearest}?`);
  });

  test('what resembles nothing gets the list', () => {
    expect(refusal(`${PEOPLE}agents: { a: { owner: o, mode: astrology } }`)).toMatch(/one of default, plan, .*bubble$/);
    expect(refusal(`${PEOPLE}agents: { a: { owner: o, mode: 7 } }`)).toMatch(/one of default, plan, .*bubble$/);
  });
});

test('a kind that is not stated is told with the kinds that there are', () => {
  expect(refusal(`${AGENTS}policies: { p: {} }`)).toMatch(
    /: policies\.p\.type: is missing; it is one of .*first-available/,
  );
  expect(refusal(`${AGENTS}policies: { p: { type: 7 } }`)).toMatch(
    /: policies\.p\.type: is of no known kind: it is one of /,
  );
});

describe('a time', () => {
  test.each([
    ['approvals: { timeout: 60 }', 'approvals.timeout'],
    ['record: { retention: 1y }', 'record.retention'],
    ['record: { retention: 400 }', 'record.retention'],
    ['record: { retention: { vote: 1y } }', 'record.retention.vote'],
  ])('%s is told by its own key, and how one is written', (text, path) => {
    expect(refusal(AGENTS + text)).toMatch(new RegExp(`: ${path}: must be a duration like 90s, 15m, 1h or 30d$`));
  });

  test('a word in place of the section is told by the words that stand for it', () => {
    expect(refusal(`${AGENTS}record: digest`)).toMatch(
      /: record: digest is unknown; expected one of redacted, digests/,
    );
  });
});

test('the time of a policy is told as one is written', () => {
  const policy = '{ type: human-in-the-loop, timeout: soon, delegate: { type: random } }';
  expect(refusal(`${AGENTS}policies: { p: ${policy} }`)).toMatch(
    /: policies\.p\.timeout: must be a duration like 90s, 3m, 1h or 7d$/,
  );
});

describe('behaviours and keys', () => {
  test.each([
    ['rules:\n  deni: [Read]', '4:3: rules.deni', 'deny'],
    ['rules:\n  Allow: [Read]', '4:3: rules.Allow', 'allow'],
    ['rules:\n  aks: [Read]', '4:3: rules.aks', 'ask'],
    ['rulse: {}', '3:1: rulse', 'rules'],
    ['rules:\n  deny:\n    - { rul: Read }', '5:9: rules.deny[0].rul', 'rule'],
    ['rules:\n  deny:\n    - { rule: Read, soruce: user }', '5:21: rules.deny[0].soruce', 'source'],
    ['rules:\n  deny:\n    - { permision: Write }', '5:9: rules.deny[0].permision', 'permission'],
    ['policies: { p: { type: prioritty } }', '3:24: policies.p.type', 'priority'],
    ['policies: { p: { type: llm, model: m, clietn: c } }', '3:39: policies.p.clietn', 'client'],
    ['mcpServers: { s: { comamnd: npx, args: [a] } }', '3:20: mcpServers.s.comamnd', 'command'],
    ['mcpServers: { s: { ulr: "https://s.example" } }', '3:20: mcpServers.s.ulr', 'url'],
    ['tools: { T: { permissions: [Read], target: { ulr: "https://t.example" } } }', '3:46: tools.T.target.ulr', 'url'],
    ['tools: { Bash: { shell: { cannonical: true } } }', '3:27: tools.Bash.shell.cannonical', 'canonical'],
    [
      'hooks: { h: { function: f, perMinute: { perAgnet: 1, inAll: 2 } } }',
      '3:41: hooks.h.perMinute.perAgnet',
      'perAgent',
    ],
    [
      'guardrails: { environment: p, environments: { p: { budget: { costPerDya: 1 } } } }',
      '3:62: guardrails.environments.p.budget.costPerDya',
      'costPerDay',
    ],
  ])('%j', (text, place, nearest) => {
    const refused = refusal(AGENTS + text);
    expect(refused).toContain(`p.yaml:${place}: `);
    expect(refused).toContain(`did you mean ${nearest}?`);
  });
});

describe('sources, permissions and severities', () => {
  test.each([
    ['{ rule: Read, source: mangaed }', '5:29', 'managed'],
    ['{ rule: Read, source: Managed }', '5:29', 'managed'],
    ['{ rule: Read, source: UserSettings }', '5:29', 'user'],
    ['{ rule: Read, source: projct }', '5:29', 'project'],
    ['{ rule: Read, severity: hihg }', '5:31', 'high'],
    ['{ permission: Wriet }', '5:21', 'Write'],
    ['{ permission: sensitive }', '5:21', 'Sensitive'],
  ])('%s', (rule, place, nearest) => {
    const refused = refusal(`${AGENTS}rules:\n  deny:\n    - ${rule}`);
    expect(refused).toContain(`p.yaml:${place}: `);
    expect(refused).toContain(`did you mean ${nearest}?`);
  });

  test.each(['session', 'cli'])('%s is no source of a file: what it may be is listed', (source) => {
    expect(refusal(`${AGENTS}rules:\n  deny:\n    - { rule: Read, source: ${source} }`)).toContain(
      'expected one of managed, user, project, local, default',
    );
  });
});

describe('rules and matchers', () => {
  test.each([
    ['Bash(rm', 'Bash(rm)'],
    ['Bash(rm:*) x', 'Bash(rm:*)'],
    ['Read()', 'Read'],
    [' Read', 'Read'],
    ['*(rm)', '*'],
    ['WebFetch(domian:x.example)', 'WebFetch(domain:x.example)'],
    ['WebFetch(Domain:x.example)', 'WebFetch(domain:x.example)'],
    ['WebFetch(https://x.example/a)', 'WebFetch(domain:x.example)'],
    ['WebFetch(url:x.example)', 'WebFetch(domain:x.example)'],
    ['WebFetch(domain:https://x.example/a)', 'WebFetch(domain:x.example)'],
    ['WebFetch(domain:me@x.example)', 'WebFetch(domain:x.example)'],
    ['WebFetch(domain:x.example:443)', 'WebFetch(domain:x.example)'],
    ['WebFetch(domain:2001:db8::1)', 'WebFetch(domain:[2001:db8::1])'],
    ['Bash(command:rm)', 'Bash(rm)'],
    ['Edit(path:src)', 'Edit(src)'],
  ])('%s', (rule, nearest) => {
    const refused = refusal(`${AGENTS}rules:\n  deny:\n    - ${JSON.stringify(rule)}`);
    expect(refused).toContain('p.yaml:5:7: ');
    expect(refused).toContain(`did you mean ${nearest}?`);
  });

  test.each(['Edit(a[b)', 'Edit(a\\)', 'Edit(!a)', 'Edit(**/../a)', '(x)', 'Read)', 'My Tool'])('%s', (rule) => {
    expect(refusal(`${AGENTS}rules:\n  deny:\n    - ${JSON.stringify(rule)}`)).toMatch(/^p\.yaml:5:7: .+: .+/);
  });

  test.each(['x .example', 'x(y)', '.', '..'])(
    'a rule is not what is to be written instead of itself: %s',
    (domain) => {
      expect(refusal(`${AGENTS}rules:\n  deny: ['WebFetch(domain:${domain})']`)).toMatch(/with "\*" for labels$/);
    },
  );

  test.each(['{ reason: x }', '{ rule: Read, permission: Read }'])('%s has not one matcher', (rule) => {
    expect(refusal(`${AGENTS}rules:\n  deny:\n    - ${rule}`)).toBe(
      'p.yaml:5:7: rules.deny[0]: a rule has one of: rule, permission',
    );
  });

  test('a permission speaks of every tool that has it (R4-068)', () => {
    const text = `${AGENTS}tools: { Pay: { permissions: [Sensitive] }, Look: { permissions: [Read] } }
rules:\n  deny: [{ permission: Sensitive, reason: No money. }]\n  allow: [Pay, Look]`;
    const { rules: policy, tools } = compilePolicy(loadPolicy(text, 'p.yaml'));
    const more = { policy, tools };
    const denied = judge('Pay', {}, [], more);
    expect(denied).toMatchObject({ verdict: 'deny', message: 'No money.' });
    expect(denied.rule).toMatchObject({ pattern: 'permission: Sensitive', origin: { line: 5, column: 10 } });
    expect(judge('Look', {}, [], more).verdict).toBe('allow');
  });
});

describe('characters that nobody sees', () => {
  test.each([
    ["rules: { deny: ['Bash(rm\u200b:*)'] }", 'rules.deny[0]', 'U+200B', 'Bash(rm:*)'],
    ["rules: { deny: [{ rule: 'Bash(git\u00a0push:*)' }] }", 'rules.deny[0].rule', 'U+00A0', 'Bash(git push:*)'],
    ["protectedPaths: { add: ['**/\u2060secret.txt'] }", 'protectedPaths.add[0]', 'U+2060', '**/secret.txt'],
    ["redaction: { names: ['pin\u200bcode'] }", 'redaction.names[0]', 'U+200B', 'pincode'],
    [
      "redaction: { patterns: [{ kind: k, pattern: 'ab\u00adcd*' }] }",
      'redaction.patterns[0].pattern',
      'U+00AD',
      'abcd*',
    ],
    ["classifier: { deny: ['Bash(rm\ufeff:*)'] }", 'classifier.deny[0]', 'U+FEFF', 'Bash(rm:*)'],
  ])('%j', (text, path, character, nearest) => {
    const refused = refusal(`${AGENTS}${text}`);
    expect(refused).toContain(`${path}: holds ${character}, which nobody sees; did you mean ${nearest}?`);
  });
});
