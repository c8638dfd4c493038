/** Checks that App Home names people as the policy file does, and lets Slack name all others. */
import { expect, test } from 'vitest';
import { grantBlocks } from '../../../../shared/adapters/slack/home/grant-blocks.ts';
import { homeView } from '../../../../shared/adapters/slack/home/home.ts';
import type { Person, Vote } from '../../../../shared/contract/index.ts';
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

test('voters of a question that waits', () => {
  const source = sourceOf([{ id: 'call', toolName: 'Bash', input: { command: 'make' } }]);
  const approval = { ...source.approval, votes: [voteOf(ANN), voteOf(SAM)] };
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
  expect(textsOf(home.blocks).join('\n')).toMatch(/so far Ann .*Miller.*, <@U0SAM>/);
});
