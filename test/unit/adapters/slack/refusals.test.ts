/** Checks that a refused click names only people who can decide instead. */
import { expect, test } from 'vitest';
import { refusalFor } from '../../../../shared/adapters/slack/cards/refusals.ts';
import { REFUSALS } from '../../../../shared/adapters/slack/texts/refusals.ts';
import { compilePolicy } from '../../../../shared/config/compile.ts';
import { loadPolicy } from '../../../../shared/config/load.ts';
import type { Approval, Vote } from '../../../../shared/contract/index.ts';
import { sourceOf } from './surfaces.ts';

const policy = compilePolicy(
  loadPolicy(
    `
people:
  alice: { team: T0, user: U0ALICE, name: Alice }
  bob: { team: T0, user: U0BOB, name: Bob }
  carol: { team: T0, user: U0CAROL, name: Carol }
  olga: { team: T0, user: U0OLGA, name: Olga }
agents: { coder: { owner: olga, projectRoot: /srv/shop } }
channels: { asks: { team: T0, id: C0ASKS } }
approvers: { platform: { members: [alice, bob, carol, olga], channel: asks } }
approvals: { approvers: platform }
`,
    'countersign.yaml',
  ),
);
const person = (user: string) => ({ team: 'T0', user });
const approved = (user: string): Vote => ({
  ...{ choice: 'approve', by: person(user), name: user, stage: 0, at: '2026-11-22T09:30:00.000Z', via: 'slack' },
});
const told = (change: Partial<Approval>) => {
  const { approval } = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'ls' } }], change);
  return refusalFor({ refusal: 'owner_cannot_approve', approval }, person('U0OLGA'), policy);
};

const strangerTold = (refusal: 'not_in_group' | 'requester_cannot_approve', change: Partial<Approval> = {}) => {
  const { approval } = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'ls' } }], change);
  return refusalFor({ refusal, approval }, person('U0SAM'), policy);
};

test('somebody outside of the group is told which group it is and who can decide, where the file names anybody', () => {
  expect(strangerTold('not_in_group')).toBe(
    'You are not in the group that decides about this call, platform: Alice or Bob or Carol can decide.',
  );
  expect(strangerTold('not_in_group', { votes: [approved('U0ALICE'), approved('U0BOB'), approved('U0CAROL')] })).toBe(
    'You are not in the group that decides about this call: leave it to the people who are.',
  );
  expect(strangerTold('requester_cannot_approve')).toContain('somebody else has to decide');
});

test('whoever clicks twice reads that the first click counted, and others that it was decided', () => {
  const votes = [approved('U0ALICE')];
  const { approval } = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'ls' } }], {
    status: 'approved',
    votes,
  });
  const toldTo = (user: string) => refusalFor({ refusal: 'already_decided', approval }, person(user), policy);
  expect(toldTo('U0ALICE')).toBe('Your vote was counted before; nothing changed.');
  expect(toldTo('U0BOB')).toBe('This was decided before your click; nothing changed.');
});

test('of calls that their first click left to others, and of a withdrawn question, nobody reads that they had voted', () => {
  const calls = ['a', 'b'].map((id) => ({ id, toolName: 'Bash', input: { command: id } }));
  const about = (...ids: readonly string[]) =>
    ({ ...approved('U0ALICE'), calls: ids.map((id) => ({ id, choice: 'approve' })) }) as Vote;
  const toldAlice = (status: Approval['status'], ...votes: Vote[]) => {
    const { approval } = sourceOf(calls, { status, votes });
    return refusalFor({ refusal: 'already_decided', approval }, person('U0ALICE'), policy);
  };
  expect(toldAlice('approved', about('a'), approved('U0BOB'))).toContain('decided before your click');
  expect(toldAlice('cancelled', approved('U0ALICE'))).toBe(
    'The agent withdrew this before your click; nothing changed.',
  );
  expect(toldAlice('approved', about('a'), about('b'))).toContain('Your vote was counted before');
  expect(toldAlice('approved', approved('U0ALICE'))).toContain('Your vote was counted before');
});

test('somebody of a workspace that the file does not name is told no names', () => {
  const { approval } = sourceOf([{ id: 'c', toolName: 'Bash', input: { command: 'ls' } }]);
  expect(refusalFor({ refusal: 'not_in_group', approval }, { team: 'T0PARTNER', user: 'U0EVE' }, policy)).toBe(
    'You are not in the group that decides about this call: leave it to the people who are.',
  );
});

test('no refusal leaves a person without a word on what to do, or that nothing changed', () => {
  const isHelpful =
    /somebody else|nothing changed|Nothing changed|Only|cannot|leave (?:it|this)|can decide|policy file|propose|approve it|Choose|Look at it|not known/;
  for (const text of Object.values(REFUSALS.byCode)) expect(text).toMatch(isHelpful);
});

test.each<[string, Partial<Approval>, string]>([
  ['everybody else', {}, 'You own coder: Alice or Bob or Carol can decide.'],
  ['not the requester', { requester: person('U0ALICE') }, 'You own coder: Bob or Carol can decide.'],
  ['nobody who has voted', { votes: [approved('U0BOB')] }, 'You own coder: Alice or Carol can decide.'],
  [
    'nobody who owns an agent above it, or started its session',
    { above: { agents: ['lead'], owners: [person('U0ALICE')], requesters: [person('U0BOB')] } },
    'You own coder: Carol can decide.',
  ],
  [
    'and nobody by name where nobody is left',
    { requester: person('U0ALICE'), votes: [approved('U0BOB'), approved('U0CAROL')] },
    'You own this agent, so somebody else has to decide about its calls.',
  ],
])('the owner is told of %s', (_, change, text) => {
  expect(told(change)).toBe(text);
});
