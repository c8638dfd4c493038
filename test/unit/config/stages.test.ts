/**
 * Checks that stages which nobody can answer, or that contradict themselves, are refused.
 *
 * The refusal names their path (G11, D31, D32, D34, D36).
 */
import { describe, expect, it } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';
import { PolicyFileError } from '../../../shared/config/schema/problems.ts';

const BASE = `people:
  alice: { team: T1DEMO, user: U1ALICE, name: Alice }
  bob: { team: T1DEMO, user: U1BOB, name: Bob }
  olga: { team: T1DEMO, user: U1OLGA, name: Olga }
agents:
  demo: { owner: olga }
channels:
  approvals: { team: T1DEMO, id: C1APPR }
approvers:
  platform: { members: [alice, bob], channel: approvals }
  security: { members: [bob], channel: approvals }
approvals:
  stages: [{ group: platform }]
tools:
  Deploy: { permissions: [Execute], severity: high }
  Note: { permissions: [Write], severity: low }
rules:
  ask:
    - { rule: 'Bash(git push:*)', approvers: platform }
`;

const problemsOf = (text: string): string[] => {
  try {
    loadPolicy(text, 'f');
    return [];
  } catch (error) {
    if (error instanceof PolicyFileError) return error.message.split('\n');
    throw error;
  }
};

const STAGE = '{ group: platform }';
const GROUP = 'members: [alice, bob], channel';
const HIGH = 'severity: high';
const LOW = 'severity: low';
const RULE = 'approvers: platform }';

it('the file that the tables change is sound', () => {
  expect(problemsOf(BASE)).toEqual([]);
});

describe('a stage', () => {
  it.each([
    [
      'of an unknown group',
      '{ group: board }',
      '13:21: approvals.stages[0].group: board is not declared under approvers; declared there: platform, security',
    ],
    ['of no group', '{ quorum: 1 }', '13:12: approvals.stages[0]: names no group'],
    [
      'with a larger quorum than its group',
      '{ group: platform, quorum: 3 }',
      '13:39: approvals.stages[0].quorum: 3 of platform have to approve, and it has 2',
    ],
    [
      'with a quorum of nobody',
      '{ group: platform, quorum: 0 }',
      '13:39: approvals.stages[0].quorum: must be at least 1',
    ],
    [
      'that escalates without a time-out',
      '{ group: platform, escalateTo: security }',
      '13:43: approvals.stages[0].escalateTo: needs a timeout to escalate after',
    ],
    [
      'that escalates to itself',
      '{ group: platform, timeout: 5m, escalateTo: platform }',
      '13:56: approvals.stages[0].escalateTo: is the group of the stage itself',
    ],
    [
      'that escalates to an unknown group',
      '{ group: platform, timeout: 5m, escalateTo: board }',
      '13:56: approvals.stages[0].escalateTo: board is not declared under approvers; declared there: platform, security',
    ],
    [
      'that lasts longer than the wait',
      '{ group: platform, timeout: 2h }',
      '13:40: approvals.stages[0].timeout: is longer than approvals.timeout, which ends every wait',
    ],
    [
      'that reminds after the wait',
      '{ group: platform, remind: 2h }',
      '13:39: approvals.stages[0].remind: is longer than approvals.timeout, which ends every wait',
    ],
    [
      'with a word that is none',
      '{ group: platform, reject: ignored }',
      '13:39: approvals.stages[0].reject: ignored is unknown; expected one of ends, counts',
    ],
    [
      'of the requester, outside of a tool',
      '{ by: requester }',
      '13:18: approvals.stages[0].by: a confirmation by the requester is for tools so marked only',
    ],
  ])('%s', (_, stage, expected) => {
    expect(problemsOf(BASE.replace(STAGE, stage))).toEqual([`f:${expected}`]);
  });

  it.each([
    ['no stage at all', '[]', '13:11: approvals.stages: holds no stage'],
    [
      'two that need the same person',
      '[{ group: security }, { group: security }]',
      '13:11: approvals.stages: cannot all be answered: one person votes once in an approval',
    ],
    [
      'two, of which one person is in both',
      '[{ group: platform, quorum: 2 }, { group: security }]',
      '13:11: approvals.stages: cannot all be answered: one person votes once in an approval',
    ],
    [
      'approvers besides',
      '[{ group: platform }]\n  approvers: platform',
      '13:11: approvals.stages: name either approvers or stages, not both',
    ],
  ])('%s', (_, stages, expected) => {
    expect(problemsOf(BASE.replace('[{ group: platform }]', stages))).toEqual([`f:${expected}`]);
  });
});

describe('a stage of the requester', () => {
  it('that lasts longer than the wait', () => {
    const stage = `${LOW}, stages: [{ by: requester, timeout: 2h }]`;
    expect(problemsOf(BASE.replace(LOW, stage))[0]).toMatch(
      /Note\.stages\[0\]\.timeout: is longer than approvals\.timeout/,
    );
  });

  it('of a tool of low severity loads', () => {
    expect(problemsOf(BASE.replace(LOW, `${LOW}, stages: [{ by: requester }]`))).toEqual([]);
  });

  it.each([
    [
      'on a tool of high severity',
      HIGH,
      '{ by: requester }',
      '15:68: tools.Deploy.stages[0].by: a tool of high severity needs other people than the requester',
    ],
    [
      'with a quorum',
      LOW,
      '{ by: requester, quorum: 2 }',
      '16:82: tools.Note.stages[0].quorum: there is one requester',
    ],
    [
      'with a group',
      LOW,
      '{ by: requester, group: platform }',
      '16:81: tools.Note.stages[0].group: a stage of the requester has no group',
    ],
    [
      'that escalates',
      LOW,
      '{ by: requester, timeout: 1m, escalateTo: platform }',
      '16:99: tools.Note.stages[0].escalateTo: a stage of the requester escalates to nobody',
    ],
  ])('%s', (_, severity, stage, expected) => {
    expect(problemsOf(BASE.replace(severity, `${severity}, stages: [${stage}]`))).toEqual([`f:${expected}`]);
  });

  it('is refused in a rule', () => {
    expect(problemsOf(BASE.replace(RULE, 'stages: [{ by: requester }] }'))).toEqual([
      'f:19:50: rules.ask[0].stages[0].by: a confirmation by the requester is for tools so marked only',
    ]);
  });
});

describe('a group', () => {
  it.each([
    ['of nobody', 'members: [], channel', '10:24: approvers.platform.members: names nobody'],
    [
      'of members and a user group',
      'members: [alice], userGroup: S1GROUP, channel',
      '10:13: approvers.platform: has either members or a userGroup',
    ],
    ['of neither', 'channel', '10:13: approvers.platform: has either members or a userGroup'],
    [
      'of somebody unknown',
      'members: [alice, bob, carol], channel',
      '10:37: approvers.platform.members[2]: carol is not declared under people; declared there: alice, bob, olga',
    ],
    [
      'that names a person twice',
      'members: [bob, bob, alice], channel',
      '10:24: approvers.platform.members: names a person twice',
    ],
  ])('%s', (_, group, expected) => {
    expect(problemsOf(BASE.replace(GROUP, group))).toEqual([`f:${expected}`]);
  });

  it('that bears the name of whoever asks', () => {
    expect(problemsOf(BASE.replace('  security:', '  requester:'))).toEqual([
      'f:11:14: approvers.requester: is the name of whoever asks; call the group otherwise',
    ]);
  });

  it('that a rule names and nobody declared', () => {
    expect(problemsOf(BASE.replace(RULE, 'approvers: board }'))).toEqual([
      'f:19:46: rules.ask[0].approvers: board is not declared under approvers; declared there: platform, security',
    ]);
  });
});

describe('silence that approves', () => {
  it.each(['high', 'critical'])('is refused of a tool of %s severity, wherever it is said', (severity) => {
    const text = BASE.replace(HIGH, `severity: ${severity}`);
    const why = `Approve would let Deploy, of ${severity} severity, run without anybody`;
    const own = text.replace(`severity: ${severity}`, `timeoutBehavior: Approve, severity: ${severity}`);
    expect(problemsOf(own)).toEqual([`f:15:54: tools.Deploy.timeoutBehavior: ${why}`]);
    const all = text.replace('approvals:\n  stages', 'approvals:\n  timeoutBehavior: Approve\n  stages');
    expect(problemsOf(all)).toEqual([`f:13:20: approvals.timeoutBehavior: ${why}`]);
    expect(problemsOf(all.replace(`severity: ${severity}`, `timeoutBehavior: Reject, severity: ${severity}`))).toEqual(
      [],
    );
  });
});

describe('a schema of arguments', () => {
  it.each([
    ['with an unknown type', '{ type: banana }', /type must be JSONType|must be equal to one of the allowed values/],
    ['with a keyword that is none', '{ type: object, propertys: {} }', /unknown keyword: "propertys"/],
    ['that refers to nothing', "{ $ref: '#/definitions/none' }", /can't resolve reference #\/definitions\/none/],
  ])('%s', (_, schema, why) => {
    const [problem, ...more] = problemsOf(BASE.replace(LOW, `${LOW}, argsSchema: ${schema}`));
    expect(more).toEqual([]);
    expect(problem).toMatch(/^f:16:60: tools\.Note\.argsSchema: is not a usable JSON Schema: /);
    expect(problem).toMatch(why);
  });
});
