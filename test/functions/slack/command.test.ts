/**
 * Checks `/countersign` as people type it, and App Home.
 *
 * The function answers only its caller, and passes on everything that another function has to do (A25, D31, D36).
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { respond, slackApp } from '../../../functions/slack/app.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/stores/pending-approvals.ts';
import type { PolicyDocument } from '../../../shared/config/document.ts';
import type { AskedInSlack } from '../../../shared/contract/operation.ts';
import type { AccountStatus } from '../../../shared/ports/people.ts';
import { type LocalSlack, startLocalSlack } from '../../local/slack/server.ts';
import { bash, PEOPLE, policyOf, World } from '../../unit/use-cases/world.ts';

const APP = 'A0GATE';
const FORM = 'application/x-www-form-urlencoded';
let world: World;
let asked: AskedInSlack[] = [];
let accountStatus: AccountStatus = 'member';
/** The workspace of everybody's account. */
let homeTeam: string = PEOPLE.alice.team;
/** Where commands and events come from. */
let workspace: string | undefined;
let slack: LocalSlack;
beforeAll(async () => {
  slack = await startLocalSlack({
    signingSecret: 'secret',
    botToken: 'xoxb-test',
    appId: APP,
    appName: 'Countersign',
    teamId: PEOPLE.alice.team,
    teamName: 'Demo',
    botUserId: 'U0BOT',
    users: Object.entries(PEOPLE).map(([name, { user }]) => ({ id: user, name, realName: name })),
    channels: [{ id: 'C0APPROVALS', name: 'approvals', members: [PEOPLE.alice.user, 'U0BOT'] }],
  });
});
afterAll(() => slack.stop());
beforeEach(() => {
  [asked, accountStatus] = [[], 'member'];
  homeTeam = PEOPLE.alice.team;
  world = worldOf();
});
/** `channels`: further ones of the policy file. */
function worldOf(channels: PolicyDocument['policy']['channels'] = {}): World {
  const document = policyOf();
  const policy = { ...document.policy, channels: { ...document.policy.channels, ...channels } };
  return new World(
    { ...document, policy },
    {
      people: {
        accountStatus: async ({ team }) => (team === homeTeam ? accountStatus : 'foreign'),
        nameOf: async () => undefined,
        membersOf: async () => undefined,
      },
    },
  );
}
afterEach(() => {
  workspace = undefined;
  return world.gate.stop();
});

/** A verified request, as the function answers it. */
async function request(body: string, type: string): Promise<string> {
  const { parts } = world.gate;
  const listenerParts = {
    pending: async () => memoryPendingApprovals(parts.state),
    sessions: (agent: string) => parts.sessions.list(agent, 100),
    control: () => parts.control.read(),
    async ask(one: AskedInSlack) {
      asked.push(one);
      world.gate.askInSlack(one);
    },
    history: parts.history,
  };
  const settings = {
    botToken: 'xoxb-test',
    appId: APP,
    slackApiUrl: slack.apiUrl,
    conversation: { send: async () => undefined },
  };
  const headers = { 'content-type': type };
  const answer = (await respond({ body, headers }, slackApp({ deps: parts, ...listenerParts }, settings))) as {
    body: string;
  };
  await world.rest();
  return answer.body;
}

async function say(who: keyof typeof PEOPLE, text: string, apiAppId = APP): Promise<string> {
  const { team, user } = PEOPLE[who];
  const form = {
    command: '/countersign',
    text,
    team_id: workspace ?? team,
    user_id: user,
    user_name: who,
    channel_id: 'C0APPROVALS',
    api_app_id: apiAppId,
    trigger_id: `t-${text}`,
    response_url: 'http://127.0.0.1:9/',
  };
  return request(new URLSearchParams(form).toString(), FORM);
}

/** The person's Home after it was opened. */
async function home(who: keyof typeof PEOPLE): Promise<string> {
  const { team, user } = PEOPLE[who];
  const event = { type: 'app_home_opened', user, channel: 'D0', tab: 'home', event_ts: '1.1' };
  const envelope = { type: 'event_callback', team_id: workspace ?? team, api_app_id: APP, event_id: `Ev${who}`, event };
  await request(JSON.stringify(envelope), 'application/json');
  return shownTo(who);
}
const shownTo = (who: keyof typeof PEOPLE): string =>
  JSON.stringify(slack.home(PEOPLE[who].user)?.content.blocks ?? []);

/** A click on the button of a grant in the Home of a person; `view`, `workspace`, `more`: what the request says. */
async function takeBack(
  who: keyof typeof PEOPLE,
  id: string,
  view: Record<string, unknown> = {},
  workspace: string = PEOPLE[who].team,
  more: (button: object) => Record<string, unknown> = () => ({}),
): Promise<string> {
  const { team, user } = PEOPLE[who];
  const button = { type: 'button', action_id: 'countersign_take_back', block_id: 'b', value: id, action_ts: '1.1' };
  const payload = {
    type: 'block_actions',
    api_app_id: APP,
    user: { id: user, username: who, team_id: team },
    team: { id: workspace },
    container: { type: 'view', view_id: 'V0' },
    trigger_id: `t-${who}-${id}`,
    view: { id: 'V0', type: 'home', app_id: APP, ...view },
    actions: [button],
    ...more(button),
  };
  await request(new URLSearchParams({ payload: JSON.stringify(payload) }).toString(), FORM);
  return shownTo(who);
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
  for (const words of [id, 'exactly one call of Bash', 'for coder, session main, by "', '"Alice"', '"date"'])
    expect(listed).toContain(words);
  expect(await say('stranger', 'grants')).toContain('Nothing was given for later');
  // As a phone writes it.
  expect(await say('stranger', 'Grants')).toContain('Nothing was given for later');
});

test('where Slack refuses a Home, plain words take the place of the one before', async () => {
  await home('bob');
  slack.failNext('views.publish', 'invalid_arguments');
  expect(await home('bob')).toContain('Slack did not take this page. /countersign pending lists what waits for you.');
  expect(await home('bob')).toContain('Approvals for later');
});

test('one that a restore made void is listed nowhere', async () => {
  const id = await granted();
  await world.clock.advance(1_000);
  world.gate.operateAs('oncall', JSON.stringify({ kind: 'void-permits', operationId: 'o1', reason: 'a restore' }));
  await world.rest();
  expect(await say('alice', 'grants')).toContain('Nothing was given for later');
  expect(await say('alice', `revoke ${id}`)).toContain('There is no such grant that you may take back');
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

test('App Home lists it with a button, for who may take it back', async () => {
  const id = await granted();
  for (const words of ['Approvals for later', id, 'Exactly one call of Bash', 'Take back'])
    expect(await home('bob')).toContain(words);
  expect(await home('stranger')).toContain('Nothing that you may take back');
  const told = await takeBack('bob', id);
  expect(told).toContain('On its way');
  expect(asked).toMatchObject([{ person: PEOPLE.bob, name: 'bob', wanted: { kind: 'revoke', grant: id } }]);
  const later = await home('bob');
  expect(later).toContain('Nothing that you may take back');
  expect(later).not.toContain('On its way');
  expect(await takeBack('bob', id)).toContain('There is no such grant');
  expect(asked).toHaveLength(1);
});

test.each([
  ['somebody who may not take it back is told so, and nobody else', 'stranger', {}, 'There is no such grant'],
  ['a click in another app, or in no Home, is not answered', 'stranger', { app_id: 'A0OTHER' }, undefined],
  ['a click in a form is none in Home', 'alice', { type: 'modal' }, undefined],
] as const)('%s', async (_, who, view, says) => {
  const id = await granted();
  const before = shownTo('alice');
  const shown = shownTo(who);
  if (says) expect(await takeBack(who, id, view)).toContain(says);
  else expect(await takeBack(who, id, view)).toBe(shown);
  expect(asked).toEqual([]);
  expect(shownTo('alice')).toBe(before);
});

test.each<[string, (button: object) => Record<string, unknown>]>([
  ['of another type than a press', () => ({ type: 'message_action' })],
  ['that names two buttons', (button) => ({ actions: [button, button] })],
])('a request %s takes nothing back (G19)', async (_, more) => {
  const id = await granted();
  const shown = shownTo('bob');
  expect(await takeBack('bob', id, {}, PEOPLE.bob.team, more)).toBe(shown);
  expect(asked).toEqual([]);
});

test('one is not taken back from a workspace that the policy file does not name (G19)', async () => {
  expect(await takeBack('bob', await granted(), {}, 'T0OTHER')).toContain('Only people of this workspace');
  expect(asked).toEqual([]);
});

test('a seat is delegated for a while, listed for both, and taken back', async () => {
  expect(await say('alice', 'delegate')).toContain('Nobody votes in your place');
  expect(await say('alice', 'Delegate <@U0BOB|bob> Until 3d')).toContain('On its way');
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
  ['delegate <@U0BOB> 2036-12-01 17:00', 'Say until when'],
  ['revoke', 'Say which one'],
  ['revoke a1b2c3d4e5f6 f6e5d4c3b2a1', 'Say which one'],
  ['help', 'Use one of these'],
  ['', 'Use one of these'],
])('%j is answered with what to type', async (text, words) => {
  expect(await say('alice', text)).toContain(words);
  expect(asked).toEqual([]);
});

test('whoever Slack does not vouch for may do nothing, and another app is not answered', async () => {
  accountStatus = 'unknown';
  for (const text of ['grants', 'delegate <@U0BOB> 3d', 'delegate off'])
    expect(await say('alice', text)).toContain('could not be found out');
  expect(await takeBack('alice', await granted())).toContain('could not be found out');
  expect(await home('alice')).toContain('Nothing that you may take back');
  for (const [status, words] of [
    ['guest', 'You are a guest of this workspace'],
    ['foreign', 'Only people of this workspace can do this'],
    ['deactivated', 'This account is deactivated'],
  ] as const) {
    accountStatus = status;
    for (const text of ['delegate off', 'grants', 'revoke abc']) {
      const told = await say('stranger', text);
      expect(told).toContain(words);
      expect(told).not.toContain('could not be found out');
    }
  }
  expect(await say('alice', 'grants', 'A0OTHER')).toBe('');
  expect(asked).toEqual([]);
});

test('a person whose account is in another workspace of the organisation finds what waits for them, and delegates', async () => {
  workspace = 'T0OTHER';
  world = worldOf({ work: { team: workspace, id: 'C0WORK' } });
  await world.send(bash('p1'));
  expect(await home('alice')).toContain('1 waits for you');
  expect(await say('alice', 'pending')).toContain('git push origin main');
  expect(await say('alice', 'delegate <@U0BOB> 3d')).toContain('On its way');
  expect(asked).toMatchObject([{ person: PEOPLE.alice, wanted: { to: PEOPLE.bob } }]);
  // Slack alone says where an account is.
  homeTeam = 'T0THIRD';
  expect(await say('alice', 'pending')).toContain('Nothing waits for you');
  expect(await say('alice', 'delegate off')).toContain('Only people of this workspace');
});

test('nobody acts as a listed account from within a workspace that the policy file does not name (G19)', async () => {
  const id = await granted();
  await world.send(bash('p2'));
  workspace = 'T0OTHER';
  for (const text of [`revoke ${id}`, 'delegate <@U0BOB> 3d', 'delegate off', 'grants'])
    expect(await say('alice', text)).toContain('Only people of this workspace');
  expect(asked).toEqual([]);
  for (const text of [await say('alice', 'pending'), await home('alice')])
    expect(text).toContain('Nothing waits for you');
});

test('a message that reads as a command is none, whatever content type somebody gave its signed bytes (G19)', async () => {
  const { team, user } = PEOPLE.alice;
  const form = {
    command: '/countersign',
    text: `delegate <@${PEOPLE.stranger.user}> 3d`,
    ...{ team_id: team, user_id: user, user_name: 'alice', api_app_id: APP, trigger_id: 't1' },
  };
  const text = `hello&${new URLSearchParams(form).toString()}&`;
  const event = { type: 'message', channel_type: 'im', channel: 'D0', user: PEOPLE.stranger.user, text, ts: '1.1' };
  const envelope = { type: 'event_callback', team_id: team, api_app_id: APP, event_id: 'Ev1', event };
  for (const type of [FORM, 'text/plain', '']) await request(JSON.stringify(envelope), type);
  expect(asked).toEqual([]);
  // Nor is Slack's own form another thing under another type.
  expect(await request(new URLSearchParams({ ...form, text: 'delegate' }).toString(), 'application/json')).toContain(
    'Nobody votes in your place',
  );
});

test('while Slack does not tell who somebody is, nobody reads that nothing waits', async () => {
  await world.send(bash('p1'));
  accountStatus = 'unknown';
  for (const text of [await say('alice', 'pending'), await home('alice')]) {
    expect(text).toContain('What waits for you is not known just now');
    expect(text).not.toContain('Nothing waits for you');
  }
  accountStatus = 'member';
  expect(await say('alice', 'pending')).toContain('1 waits for you');
});
