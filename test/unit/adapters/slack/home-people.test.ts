/** Checks that App Home names people as the policy file does, and lets Slack name all others. */
import { expect, test } from 'vitest';
import { grantBlocks } from '../../../../shared/adapters/slack/home/grant-blocks.ts';
import { homeView, pendingBlocks } from '../../../../shared/adapters/slack/home/home.ts';
import type { Approval, Person, Stage, Vote } from '../../../../shared/contract/index.ts';
import { sourceOf, textsOf } from './surfaces.ts';

const ANN = { team: 'T0', user: 'U0ANN' };
const SAM = { team: 'T0', user: 'U0SAM' };
const at = '2026-11-22T09:00:00.000Z';
const voteOf = (by: Person): Vote => ({ choice: 'approve', by, name: by.user, stage: 0, at, via: 'slack' });

const people = new Map([['U0ANN', 'Ann *Miller*']]);
const names = { tools: {}, people, address: undefined };

test('Home and the command name the people who gave something for later', () => {
  const given = { id: 'a1b2c3d4e5f6', agent: 'coder', sessionId: 'main', toolName: 'Bash', what: 'call' } as const;
  const grants = [
    { ...given, by: 'U0ANN and U0SAM', givenBy: [ANN, SAM] },
    { ...given, by: 'operator <oncall>', givenBy: [] },
  ];
  const inbox = { waiting: [], hasMore: false, page: 0, pages: 1, shown: [], forOthers: [], decided: [] };
  const home = JSON.stringify(homeView({ person: ANN, inbox, given: grants, delegations: [], at, names }).blocks);
  expect(home).toMatch(/given by Ann .Miller. and <@U0SAM> · /);
  expect(home).toContain('given by operator &lt;oncall&gt; · ');
  const answer = JSON.stringify(grantBlocks(grants, people));
  expect(answer).toContain('"Ann *Miller*"},{"type":"text","text":" and "},{"type":"user","user_id":"U0SAM"}');
  expect(answer).toContain('"operator <oncall>"');
});

test('from when somebody votes in the place of another, where that is still to begin', () => {
  const inbox = { waiting: [], hasMore: false, page: 0, pages: 1, shown: [], forOthers: [], decided: [] };
  const told = (from: string) => {
    const delegations = [{ person: ANN, to: SAM, from, until: '2026-11-24T09:00:00.000Z', by: 'U0ANN' }];
    return textsOf(homeView({ person: ANN, inbox, given: [], delegations, at, names }).blocks).join('\n');
  };
  expect(told('2026-11-23T09:00:00.000Z')).toMatch(/<@U0SAM> votes in your place <!date\S*from .*> <!date\S*until /);
  expect(told('2026-11-21T09:00:00.000Z')).toMatch(/<@U0SAM> votes in your place <!date\S*until /);
});

test('the answer of a command to more than a page says where the others are', () => {
  const inbox = { waiting: [], hasMore: false, page: 0, pages: 2, shown: [], forOthers: [], decided: [] };
  expect(textsOf(pendingBlocks(inbox, names))).toContain('App Home has the other pages.');
  expect(textsOf(pendingBlocks({ ...inbox, pages: 1 }, names))).not.toContain('App Home has the other pages.');
});

const asked = sourceOf([{ id: 'call', toolName: 'Bash', input: { command: 'make' } }]);
function homeOf(approval: Approval): string {
  const source = asked;
  const view = { approval, proposal: JSON.stringify(source.proposal), cards: [] } as never;
  const inbox = {
    waiting: [approval],
    hasMore: false,
    page: 0,
    pages: 1,
    shown: [{ view, proposal: source.proposal }],
  };
  const home = homeView({
    ...{ person: ANN, inbox: { ...inbox, forOthers: [], decided: [] }, given: [], delegations: [], at },
    names,
  });
  return textsOf(home.blocks).join('\n');
}

test('voters of a question that waits', () => {
  const home = homeOf({ ...asked.approval, votes: [voteOf(ANN), voteOf(SAM)] });
  expect(home).toMatch(/so far Ann .*Miller.*, <@U0SAM>/);
});

test('those who rejected it where that does not end it, also call by call', () => {
  const each = { ...voteOf(SAM), calls: [{ id: 'call', choice: 'reject' as const }] } as Vote;
  for (const against of [{ ...voteOf(SAM), choice: 'reject' } as Vote, each]) {
    const home = homeOf({ ...asked.approval, votes: [voteOf(ANN), against] });
    expect(home).toMatch(/so far Ann .Miller., rejected by <@U0SAM> /);
  }
});

const staged = (stage: Partial<Stage>, more: Partial<Approval> = {}): Approval => {
  const { question } = asked.approval;
  const stages = question.stages.map((one) => ({ ...one, ...stage }));
  return { ...asked.approval, ...more, question: { ...question, stages } };
};

test('both groups that an escalation asks, and nobody else before it', () => {
  const stage = {
    group: 'platform',
    timeoutMs: 60_000,
    escalateTo: { group: 'leads', team: 'T0', channel: 'C0LEADS' },
  };
  expect(homeOf(staged(stage))).toContain('one of platform · ');
  expect(homeOf(staged(stage, { escalated: true }))).toContain('one of platform and leads · ');
});

test('the person who confirms, and no channel', () => {
  const home = homeOf(staged({ group: 'requester', by: 'requester', channel: 'U0ANN' }));
  expect(home).toContain('you asked for this: confirm it yourself');
  expect(home).not.toContain('U0ANN');
});

test('letters that look like others show in the names of calls and in what was given for later, as no note stands there', () => {
  const source = sourceOf([{ id: 'call', toolName: 'Bash', input: { command: 'curl https://b\u0430nk.example' } }]);
  const { approval, proposal } = source;
  const view = { approval, proposal: JSON.stringify(proposal), cards: [] } as never;
  const line = { ...voteOf(ANN), pid: 'a', subject: 'Pay b\u0430nk' } as never;
  const grant = { id: 'a1b2c3d4e5f6', agent: 'coder', sessionId: 'main', by: 'U0ANN', givenBy: [ANN] };
  const given = [
    { ...grant, toolName: 'm\u0430il', what: 'tool' },
    { ...grant, toolName: 'Bash', what: 'rule', pattern: 'Bash(m\u0430ke:*)' },
  ] as const;
  const inbox = { waiting: [approval], hasMore: false, page: 0, pages: 1, shown: [{ view, proposal }], forOthers: [] };
  const home = homeView({
    person: ANN,
    inbox: { ...inbox, decided: [{ line }] },
    given,
    delegations: [],
    at,
    names,
  });
  const texts = [home.blocks, grantBlocks(given, people)].map((blocks) => textsOf(blocks).join('\n'));
  for (const text of texts) {
    expect(text).not.toContain('\u0430');
    expect(text).toContain('m\\u{0430}il');
    expect(text).toContain('Bash(m\\u{0430}ke:*)');
  }
  expect(texts[0]).toContain('curl https://b\\u{0430}nk.example');
  expect(texts[0]).toContain('Pay b\\u{0430}nk');
});
