/** Checks that countersign.yaml loads whole or not at all, each problem named with its place (G11). */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compilePolicy } from '../../../shared/config/compile.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';

const SOUND = `people:
  alice: { team: T1DEMO, user: U1ALICE, name: Alice }
  olga: { team: T1DEMO, user: U1OLGA, name: Olga }
agents:
  demo: { owner: olga }
channels:
  approvals: { team: T1DEMO, id: C1APPR }
approvers:
  platform: { members: [alice], channel: approvals }
approvals: { approvers: platform, timeout: 90s }
rules:
  deny:
    - Bash(rm:*)
  ask:
    - { rule: 'Bash(git push:*)', source: managed, approvers: platform }
`;

const problemsOf = (text: string): string[] => {
  try {
    loadPolicy(text, 'countersign.yaml');
    return [];
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message.split('\n');
    throw error;
  }
};

describe('a sound policy file', () => {
  it('loads with defaults, durations in milliseconds, and the place of each rule', () => {
    const { policy, ruleLines } = loadPolicy(SOUND, 'countersign.yaml');
    expect(policy.approvals.timeout).toBe(90_000);
    expect(policy.agents['demo']).toMatchObject({ mode: 'default', parents: [], unattended: false });
    expect(ruleLines).toEqual({ 'deny.0': { line: 13, column: 7 }, 'ask.0': { line: 15, column: 7 } });
  });

  it('has the same version however it is written, and another one when it says something else (A17)', () => {
    const version = (text: string) => loadPolicy(text, 'countersign.yaml').policyVersion;
    expect(version(`# a comment\n${SOUND}\n`)).toBe(version(SOUND));
    expect(version(SOUND.replace('90s', '91s'))).not.toBe(version(SOUND));
  });

  it('compiles: names become people, channels and groups', () => {
    const policy = compilePolicy(loadPolicy(SOUND, 'countersign.yaml'));
    expect(policy.membersOf('platform')).toEqual([{ team: 'T1DEMO', user: 'U1ALICE' }]);
    expect(policy.membersOf('gone')).toEqual([]);
    expect(policy.channelOf('platform')).toEqual({ team: 'T1DEMO', id: 'C1APPR' });
    const rule = policy.rules.rules.find(({ ref }) => ref.effect === 'ask');
    expect(rule && policy.asksOfRule(rule.ref)?.approvers).toBe('platform');
  });
});

describe('how many questions may wait', () => {
  const stated = (agent: unknown, group: unknown) =>
    SOUND.replace('{ owner: olga }', `{ owner: olga, maxWaiting: ${agent} }`).replace(
      'channel: approvals }\napprovals',
      `channel: approvals, maxWaiting: ${group} }\napprovals`,
    );

  it.each([
    [1, 1],
    [1_000, 3_600],
  ])('%i of an agent and %i of a group load', (agent, group) => {
    expect(problemsOf(stated(agent, group))).toEqual([]);
  });

  it.each([
    [1_001, 200, 'agents.demo.maxWaiting: must be at most 1000: no more questions of one agent'],
    [20, 3_601, 'approvers.platform.maxWaiting: must be at most 3600: no more questions of one group'],
    [0, 200, 'agents.demo.maxWaiting'],
    [20, 1.5, 'approvers.platform.maxWaiting'],
    ['many', 200, 'agents.demo.maxWaiting'],
  ])('%s of an agent and %s of a group are refused, with the figure', (agent, group, problem) => {
    expect(problemsOf(stated(agent, group)).join()).toContain(problem);
  });
});

describe('a policy file with a mistake is refused as a whole, at its place', () => {
  it.each([
    [
      'owner: olga',
      'owner: olgo',
      '5:18: agents.demo.owner: olgo is not declared under people; declared there: alice, olga; did you mean olga?',
    ],
    [
      'timeout: 90s',
      'timeot: 90s',
      /10:35: approvals\.timeot: unknown key timeot; allowed here: approvers, stages, timeoutBehavior, timeout/,
    ],
    ['timeout: 90s', 'timeout: 90s, onTimeout: deny', /approvals\.onTimeout: unknown key onTimeout; [\w, :]+$/],
    ['timeout: 90s', 'timeout: 90s, quorum: 2', /; quorum stands under approvals\.stages$/],
    ['owner: olga', 'owner: olga, members: [alice]', /; members stands under approvers\.<name>$/],
    ['owner: olga', 'owner: olga, timeoutMs: 5', /; timeoutMs stands under guardrails\.agents\.<name>$/],
    ['owner: olga', 'owner: olga, secret: s', /; [\w, :]+, rate$/],
    ['timeout: 90s', 'timeout: 31d', /approvals\.timeout: is longer than 30d/],
    ['timeout: 90s', 'remember: 91d', /approvals\.remember: must be at most 90d/],
    ['timeout: 90s', 'timeout: soon', /must be a duration like 90s, 15m, 1h or 30d/],
    ['source: managed', 'sorce: managed', /rules\.ask\[0\]\.sorce: unknown key sorce/],
    ['source: managed', 'source: boss', /rules\.ask\[0\]/],
    ['Bash(rm:*)', 'Bash(rm', /13:7: Bash\(rm: /],
    ['members: [alice]', 'members: []', /approvers\.platform\.members/],
    ['members: [alice]', 'members: [alice, alice]', /names a person twice/],
    ['user: U1OLGA', 'user: U1ALICE', '3:31: people.olga.user: is already people.alice'],
    ['user: U1OLGA', 'user: C1OLGA', '3:31: people.olga.user: must be the id of a person in Slack, such as U012ABCDEF'],
    [/id: C\w+/, 'id: U1APPROVALS', /channels\.approvals\.id: must be the id of a channel in Slack/],
    [/team: T/, 'team: U', /people\.alice\.team: must be the id of a workspace in Slack/],
    [
      'members: [alice]',
      'userGroup: U1PLATFORM',
      /approvers\.platform\.userGroup: must be the id of a user group in Slack/,
    ],
    ['channel: approvals', 'channel: nowhere', /nowhere is not declared under channels/],
    ['mode', 'mode', undefined],
    ['owner: olga', 'owner: olga, mode: Yolo', /agents\.demo\.mode/],
    ['owner: olga', "owner: olga, senders: ['me']", /agents\.demo\.senders\[0\]: must be a unique id/],
    ['people:', 'people:\npeople:', /Map keys must be unique/],
    ['rules:', 'rules: [', /^countersign\.yaml:11:8: a list begins here with \[/],
    ['user: U1OLGA', 'user: *nobody', /^countersign\.yaml:3:31: \*nobody: is an alias without its anchor/],
  ])('%s → %s', (from, to, expected) => {
    const problems = problemsOf(SOUND.replace(from, to));
    if (expected === undefined) expect(problems).toEqual([]);
    else if (typeof expected === 'string') expect(problems).toContain(`countersign.yaml:${expected}`);
    else expect(problems.join('\n')).toMatch(expected);
  });

  it.each([
    ['demo: { owner: olga }', 'demo: { owner: olga, rate: { perSecond: 0 } }'],
    ['rules:', 'guardrails: { agents: { demo: { ratePerSecond: 0 } } }\nrules:'],
  ])('a rate of 0 is one problem: %s → %s', (from, to) => {
    expect(problemsOf(SOUND.replace(from, to))).toEqual([expect.stringMatching(/[pP]erSecond: must be at least /)]);
  });

  it('a sender speaks for one agent only (A2)', () => {
    const two = SOUND.replace(
      'demo: { owner: olga }',
      "demo: { owner: olga, senders: ['AROAEXAMPLEEXAMPLE001'] }\n  other: { owner: olga, senders: ['AROAEXAMPLEEXAMPLE001'] }",
    );
    expect(problemsOf(two).join()).toMatch(/agents\.other\.senders\[0\]: is already the sender of agents\.demo/);
  });

  it.each([
    ['AROAEXAMPLEEXAMPLE001:night', 'AROAEXAMPLEEXAMPLE001', true],
    ['AROAEXAMPLEEXAMPLE001', 'AROAEXAMPLEEXAMPLE001:day', true],
    ['AROAEXAMPLEEXAMPLE001:night', 'AROAEXAMPLEEXAMPLE001:day', false],
    ['AROAEXAMPLEEXAMPLE001', 'AROAEXAMPLEEXAMPLE002:day', false],
  ])('an agent is no operator by a session of its role: agent %s, operator %s', (agent, operator, refused) => {
    const file = `${SOUND.replace('demo: { owner: olga }', `demo: { owner: olga, senders: ['${agent}'] }`)}
operators: { oncall: { person: olga, senders: ['${operator}'] } }
`;
    expect(problemsOf(file)).toEqual(
      refused
        ? [
            expect.stringContaining(
              `operators.oncall.senders[0]: is of the same role as the sender ${agent} of agents.demo`,
            ),
          ]
        : [],
    );
  });

  it('whatever the text, it loads or is refused with PolicyFileError', () => {
    const mutant = fc
      .tuple(fc.nat(SOUND.length), fc.nat(12), fc.string())
      .map(([at, cut, text]) => SOUND.slice(0, at) + text + SOUND.slice(at + cut));
    fc.assert(
      fc.property(mutant, (text) => void problemsOf(text)),
      { numRuns: 300 },
    );
  });
});
