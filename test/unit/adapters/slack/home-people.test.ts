/** Checks that App Home names people as the policy file does, and lets Slack name all others. */
import { expect, test } from 'vitest';
import { grantBlocks } from '../../../../shared/adapters/slack/home/grant-blocks.ts';
import { homeView } from '../../../../shared/adapters/slack/home/home.ts';
import type { Approval, Person, Stage, Vote } from '../../../../shared/contract/index.ts';
import { sourceOf, textsOf } from './surfaces.ts';

const ANN = { team: 'T0', user: 'U0ANN' };
const SAM = { team: 'T0', user: 'U0SAM' };
const at = '2026-11-22T09:00:00.000Z';
const voteOf = (by: Person): Vote => ({ choice: 'approve', by, name: by.user, stage: 0, at, via: 'slack' });

const people = new Map([['U0ANN', 'Ann *Miller*']]);
const names = { tools: {}, people, address: undefined };

test('those who gave something for later, also in the answer of a command', () => {
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
