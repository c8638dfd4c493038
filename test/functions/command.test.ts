/** `/countersign` as people type it: answers only who asks, and passes on what is not for this function to do (A25, D31, D36). */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { respond, slackApp } from '../../functions/slack/app.ts';
import { memoryPendingApprovals } from '../../shared/adapters/memory/pending-approvals.ts';
import type { AskedInSlack } from '../../shared/contract/operation.ts';
import type { Standing } from '../../shared/ports/people.ts';
import { bash, PEOPLE, World } from '../unit/pipeline/world.ts';

const APP = 'A0GATE';
let world: World;
let asked: AskedInSlack[] = [];
let standing: Standing = 'member';
beforeEach(() => {
  [asked, standing] = [[], 'member'];
  world = new World(undefined, { people: { standing: async () => standing, membersOf: async () => undefined } });
});
afterEach(() => world.gate.stop());

async function say(who: keyof typeof PEOPLE, text: string, apiAppId = APP): Promise<string> {
  const { parts } = world.gate;
  const desk = {
    pending: async () => memoryPendingApprovals(parts.state),
    sessions: (agent: string) => parts.sessions.list(agent, 100),
    async ask(one: AskedInSlack) {
      asked.push(one);
      world.gate.askInSlack(one);
    },
    history: parts.history,
  };
  const settings = {
    botToken: 'xoxb-test',
    appId: APP,
    slackApiUrl: 'http://127.0.0.1:9/',
    talk: { send: async () => undefined },
  };
  const { team, user } = PEOPLE[who];
  const form = {
    command: '/countersign',
    text,
    team_id: team,
    user_id: user,
    user_name: who,
    channel_id: 'C0APPROVALS',
    api_app_id: apiAppId,
    trigger_id: `t-${text}`,
    response_url: 'http://127.0.0.1:9/',
  };
  const body = new URLSearchParams(form).toString();
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  const answer = (await respond({ body, headers }, slackApp({ gate: parts, ...desk }, settings))) as { body: string };
  await world.rest();
  return answer.body;
}

async function granted(): Promise<string> {
  await world.send(bash('p1', 'make all'));
  await world.click('p1', 'alice', 'approve', { remember: 'session' });
  return /[0-9a-f]{12}/.exec(await say('alice', 'grants'))?.[0] ?? '';
}

test('grants are listed with their scope and end, for who may take them back', async () => {
  const id = await granted();
  const listed = await say('bob', 'grants');
  expect(listed).toContain('ephemeral');
  for (const words of [id, 'exactly one call of Bash', 'for coder, session main, by Alice', '"date"'])
    expect(listed).toContain(words);
  expect(await say('stranger', 'grants')).toContain('Nothing was given for later');
});

test('one is taken back by its id, in the name of who asks, and nothing by anybody else', async () => {
  const id = await granted();
  expect(await say('stranger', `revoke ${id}`)).toContain('There is no such grant that you may take back');
  expect(await say('bob', 'revoke')).toContain('Say which one');
  expect(asked).toEqual([]);
  expect(await say('bob', `revoke ${id}`)).toContain('On its way');
  expect(asked).toMatchObject([
    { person: PEOPLE.bob, wanted: { kind: 'revoke', agent: 'coder', session: 'main', grant: id } },
  ]);
  expect(await say('bob', 'grants')).toContain('Nothing was given for later');
});

test('a place is given for a while, listed for both, and taken back', async () => {
  expect(await say('alice', 'delegate')).toContain('Nobody votes in your place');
  expect(await say('alice', 'delegate <@U0BOB|bob> 3d')).toContain('On its way');
  const until = new Date(world.clock.now() + 3 * 86_400_000).toISOString();
  expect(asked[0]).toMatchObject({ groups: ['platform'], wanted: { kind: 'delegate', to: PEOPLE.bob, until } });
  for (const who of ['alice', 'bob'] as const) {
    const listed = await say(who, 'delegate');
    expect(listed).toContain('U0BOB');
    expect(listed).toContain('votes in the place of');
  }
  await say('alice', 'delegate off');
  expect(await say('alice', 'delegate')).toContain('Nobody votes in your place');
});

test.each([
  ['delegate bob 3d', 'Name a person with @'],
  ['delegate <@U0BOB>', 'Say until when'],
  ['delegate <@U0BOB> yesterday', 'Say until when'],
  ['delegate <@U0BOB> 2020-01-01', 'Say until when'],
  ['help', 'Use one of these'],
  ['', 'Use one of these'],
])('%j is answered with what to type', async (text, words) => {
  expect(await say('alice', text)).toContain(words);
  expect(asked).toEqual([]);
});

test('whoever Slack does not vouch for may do nothing, and another app is not answered', async () => {
  standing = 'unknown';
  for (const text of ['grants', 'delegate <@U0BOB> 3d', 'delegate off'])
    expect(await say('alice', text)).toContain('could not be found out');
  standing = 'deactivated';
  expect(await say('alice', 'delegate off')).toContain('Only people of this workspace');
  expect(await say('alice', 'grants', 'A0OTHER')).toBe('');
  expect(asked).toEqual([]);
});
