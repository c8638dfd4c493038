/**
 * Checks every way in which a click is not as it has to be (G19), as one table.
 *
 * Nothing changes, the record says why, and the person is told privately. Every row goes through the real door and the
 * real app three times: as a click on Approve, as a click on Reject (which opens no form then), and as the form
 * itself.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { slackSecrets } from '../../../functions/runtime/clients/slack-secrets.ts';
import { respond, slackApp } from '../../../functions/slack/app.ts';
import { answerVerified } from '../../../functions/slack/verify-request.ts';
import { memoryPendingApprovals } from '../../../shared/adapters/memory/stores/pending-approvals.ts';
import { REASON, VIEWS } from '../../../shared/adapters/slack/cards/modals.ts';
import { refusalText } from '../../../shared/adapters/slack/cards/refusals.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import type { VoteRefusal } from '../../../shared/domain/approval/approval.ts';
import type { AccountStatus } from '../../../shared/ports/people.ts';
import { FORM, signedHeaders } from '../../local/slack/interactions/sign.ts';
import { bash, PEOPLE, policyOf, World } from '../../unit/use-cases/world.ts';

const APP = 'A0GATE';
const SECRET = 'the-signing-secret';
type Payload = Record<string, unknown>;

/** Requests to Slack: forms that were opened, and private messages. */
let opened = 0;
let told: string[] = [];
const slack = createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray()).toString('utf8');
  if (request.url === '/api/views.open') opened += 1;
  if (request.url === '/told') told.push(body);
  if (request.url === '/used-up') return void response.writeHead(404).end('used_url');
  response.writeHead(200, { 'content-type': 'application/json' }).end('{"ok":true}');
});
let url = '';
beforeAll(async () => {
  await new Promise<void>((resolve) => slack.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(slack.address() as AddressInfo).port}`;
});
afterAll(() => void slack.close());

interface Row {
  readonly refusal: VoteRefusal | 'not Slack';
  readonly who?: keyof typeof PEOPLE;
  readonly accountStatus?: AccountStatus;
  /** Preparation before the click. */
  readonly before?: (world: World) => Promise<unknown>;
  /** Changes the payload before it is signed. */
  readonly payload?: (payload: Payload) => Payload;
  /** Seconds that the request's time stamp lies off the clock. */
  readonly off?: number;
  readonly headers?: (headers: Record<string, string>) => Record<string, string>;
  readonly swapped?: (body: string) => string;
  /** The value of the button. */
  readonly value?: (value: { approval: string; digest: string }, world: World) => Promise<Payload> | Payload;
  readonly requester?: string;
  readonly quorum?: number;
  /** Absent: all three. */
  readonly not?: 'form';
}

const twice = (payload: Payload): Payload => {
  const [action] = (payload['actions'] ?? []) as Payload[];
  return { ...payload, actions: [action, { ...action, action_id: ACTIONS.approve }] };
};
const message = (change: Payload) => (payload: Payload) => ({
  ...payload,
  message: { ...(payload['message'] as Payload), ...change },
});

const ROWS: Readonly<Record<string, Row>> = {
  'another secret signed it': {
    refusal: 'not Slack',
    headers: (headers) => ({ ...headers, 'x-slack-signature': `v0=${'0'.repeat(64)}` }),
  },
  'nobody signed it': { refusal: 'not Slack', headers: ({ 'content-type': type = '' }) => ({ 'content-type': type }) },
  'its body is another than the one signed': {
    refusal: 'not Slack',
    swapped: (body) => body.replace('U0BOB', 'U0ALICE'),
  },
  'it is 301 seconds old': { refusal: 'not Slack', off: -301 },
  'it is 301 seconds ahead': { refusal: 'not Slack', off: 301 },
  'another app with the secret sent it': {
    refusal: 'foreign_card',
    payload: (payload) => ({ ...payload, api_app_id: 'A0OTHER' }),
  },
  'the message is another app’s': { refusal: 'foreign_card', payload: message({ app_id: 'A0OTHER' }), not: 'form' },
  'it names two buttons (S-028)': { refusal: 'foreign_card', payload: twice, not: 'form' },
  'its type is another than a press': {
    refusal: 'foreign_card',
    payload: (payload) => ({ ...payload, type: 'message_action' }),
    not: 'form',
  },
  'the message is no card of ours': {
    refusal: 'foreign_card',
    payload: (payload) => ({
      ...message({ blocks: [] })(payload),
      container: { message_ts: '9.9' },
      channel: { id: 'C0OTHER' },
    }),
    not: 'form',
  },
  'the button is of another approval': {
    refusal: 'foreign_card',
    before: (world) => world.send(bash('p2', 'git push origin other')),
    value: async (_, world) => {
      const { approval } = await world.row('p2');
      return { approval: approval.pid, digest: approval.question.digest };
    },
    not: 'form',
  },
  'nothing is known of the approval': {
    refusal: 'unknown_approval',
    value: (value) => ({ ...value, approval: '0'.repeat(64) }),
  },
  'the card shows another question': {
    refusal: 'stale_digest',
    value: (value) => ({ ...value, digest: '0'.repeat(64) }),
  },
  'the person is of another workspace': {
    refusal: 'foreign_workspace',
    accountStatus: 'foreign',
    payload: (payload) => ({ ...payload, user: { id: 'U0BOB', team_id: 'T0OTHER' } }),
  },
  'it came from a workspace that the policy file does not name': {
    refusal: 'foreign_workspace',
    payload: (payload) => ({ ...payload, team: { id: 'T0OTHER' } }),
  },
  'it names a person by no id': {
    refusal: 'foreign_workspace',
    accountStatus: 'foreign',
    payload: (payload) => ({ ...payload, user: { id: 'U0 BOB', team_id: 'T0OTHER' } }),
  },
  'the account is deactivated': { refusal: 'deactivated_person', accountStatus: 'deactivated' },
  'the policy file does not name the guest': { refusal: 'guest_not_named', accountStatus: 'guest', who: 'stranger' },
  'a bot clicked': { refusal: 'bot_cannot_approve', accountStatus: 'bot' },
  'Slack does not say who it is': { refusal: 'membership_unknown', accountStatus: 'unknown' },
  'the person is in no group that is asked': { refusal: 'not_in_group', who: 'stranger' },
  'the agent is their own': { refusal: 'owner_cannot_approve', who: 'olga' },
  'it is asked in their name': { refusal: 'requester_cannot_approve', who: 'alice', requester: 'alice' },
  'they voted before': { refusal: 'already_voted', quorum: 2, before: (world) => world.click('p1', 'bob') },
  'it was decided before': {
    refusal: 'already_decided',
    before: (world) => world.click('p1', 'alice'),
  },
  'its time is over': { refusal: 'expired', before: (world) => world.clock.advance(3_600_000) },
};

let world: World;
afterEach(() => world?.gate.stop());

async function asked(row: Row): Promise<{ readonly pid: string; readonly value: Payload }> {
  const { requester, quorum = 1 } = row;
  const document = policyOf({
    agents: '  coder: { owner: olga, requesters: [alice] }',
    approvals: `{ stages: [{ group: platform, quorum: ${quorum} }], timeout: 1h }`,
  });
  const accountStatus = row.accountStatus ?? 'member';
  world = new World(document, {
    people: {
      accountStatus: async () => accountStatus,
      nameOf: async () => undefined,
      membersOf: async () => undefined,
    },
  });
  await world.send({ ...bash('p1'), ...(requester ? { requester } : {}) });
  await row.before?.(world);
  const { approval } = await world.row('p1');
  const value = { approval: approval.pid, digest: approval.question.digest };
  return { pid: approval.pid, value: row.value ? await row.value(value, world) : value };
}

type Kind = 'approve' | 'reject' | 'form';
const FORM_BLOCKS = [{ type: 'section', text: { type: 'mrkdwn', text: 'Reject `git push origin main`?' } }];

async function payloadOf(kind: Kind, { who = 'bob', payload = (same) => same }: Row, value: Payload): Promise<Payload> {
  const [[place = '', card] = []] = [...world.slack.cards.entries()];
  const [channel = '', ts = ''] = place.split('#');
  const { team, user } = PEOPLE[who];
  const base = { api_app_id: APP, team: { id: team }, user: { id: user, team_id: team }, trigger_id: `t-${kind}` };
  if (kind === 'form') {
    const view = {
      id: 'V1',
      hash: 'h1',
      type: 'modal',
      callback_id: VIEWS.reject,
      private_metadata: JSON.stringify({ ...value, channel, ts, shown: true }),
      blocks: FORM_BLOCKS,
      state: { values: { [REASON.block]: { [REASON.action]: { type: 'plain_text_input', value: 'no' } } } },
    };
    const sent = payload({ type: 'view_submission', ...base, view });
    return { ...sent, view: { ...view, app_id: sent['api_app_id'] } };
  }
  return payload({
    type: 'block_actions',
    ...base,
    channel: { id: channel },
    container: { type: 'message', message_ts: ts },
    message: { ts, app_id: APP, blocks: card?.blocks },
    response_url: `${url}/told`,
    actions: [{ type: 'button', action_id: ACTIONS[kind], value: JSON.stringify(value) }],
  });
}

async function post(payload: Payload, { off = 0, headers = (same) => same, swapped = (same) => same }: Row) {
  const { parts } = world.gate;
  const listenerParts = {
    pending: async () => memoryPendingApprovals(parts.state),
    sessions: async () => [],
    control: async () => ({}),
    ask: async () => undefined,
    history: parts.history,
  };
  const settings = {
    botToken: 'xoxb-test',
    appId: APP,
    slackApiUrl: `${url}/api/`,
    conversation: { send: async () => undefined },
  };
  const app = slackApp({ deps: parts, ...listenerParts }, settings);
  const stored = JSON.stringify({ signingSecret: SECRET, botToken: 'xoxb-test' });
  const door = answerVerified({
    clock: world.clock,
    secrets: slackSecrets({ token: 'token', signing: 'signing' }, world.clock, async () => stored),
    answer: (request) => respond(request, app),
  });
  const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
  const seconds = Math.floor(world.clock.now() / 1_000) + off;
  const event = {
    requestContext: { http: { method: 'POST' } },
    headers: headers(signedHeaders(SECRET, seconds, body, FORM)),
    body: swapped(body),
    isBase64Encoded: false,
  };
  return (await door(event as never)) as { readonly statusCode: number; readonly body: string };
}

const refusals = async (pid: string) => {
  const known = await world.look.audit.ofProposal('coder', pid);
  const other = await world.look.audit.ofProposal('coder', world.pid('p2'));
  const unknown = await world.look.audit.recent('-clicks', 5);
  return [...known, ...other, ...unknown].filter(({ entry }) => entry.type === 'click').map(({ entry }) => entry);
};

/** A click on a card is told who decides instead, or what it still waits for. */
const PRECISELY: Readonly<Record<string, string | RegExp>> = {
  'the agent is their own': 'You own coder: Alice or Bob can decide.',
  'the person is in no group that is asked':
    'You are not in the group that decides about this call, platform: Alice or Bob can decide.',
  'they voted before': expect.stringMatching(
    /^<!date\^\d+\^You approved this \{date_short_pretty\} at \{time\}\|You approved this [\d-]+ [\d:]+ UTC>; it waits for one more of platform\. A vote cannot be taken back\.$/,
  ) as string,
};

describe.each(['approve', 'reject', 'form'] as const)('%s', (kind) => {
  const rows = Object.entries(ROWS).filter(([, { not }]) => not !== kind);
  test.each(rows)('%s', async (name, row) => {
    const { pid, value } = await asked(row);
    const [before, earlier] = [(await world.row('p1')).approval, (await refusals(pid)).length];
    [opened, told] = [0, []];
    const answer = await post(await payloadOf(kind, row, value), row);
    expect((await world.row('p1')).approval).toEqual(before);
    expect(opened).toBe(0);
    const audited = (await refusals(pid)).slice(earlier);
    if (row.refusal === 'not Slack') {
      expect(answer).toMatchObject({ statusCode: 401, body: '' });
      expect([audited, told]).toEqual([[], []]);
      return;
    }
    expect(audited).toMatchObject([{ accepted: false, reasonCode: row.refusal }]);
    const general = refusalText(row.refusal);
    const words = kind === 'form' ? general : (PRECISELY[name] ?? general);
    if (kind === 'form')
      expect(JSON.parse(answer.body)).toEqual({ response_action: 'errors', errors: { [REASON.block]: words } });
    else
      expect(told.map((text) => JSON.parse(text) as Payload)).toMatchObject([
        { response_type: 'ephemeral', text: words },
      ]);
  });

  test('and as it has to be, it counts', async () => {
    const { value } = await asked({ refusal: 'not Slack' });
    [opened, told] = [0, []];
    const before = (await world.row('p1')).approval.version;
    expect(
      await post(await payloadOf(kind, ROWS['nobody signed it'] as Row, value), { refusal: 'not Slack' }),
    ).toMatchObject({ statusCode: 200 });
    expect((await world.row('p1')).approval.version - before).toBe(kind === 'reject' ? 0 : 1);
    expect([opened, told]).toEqual([kind === 'reject' ? 1 : 0, []]);
  });

  test('and the record names what the person had before them, and not what they typed', async () => {
    const { value } = await asked({ refusal: 'not Slack' });
    const [card] = world.slack.cards.values();
    const payload = await payloadOf(kind, ROWS['nobody signed it'] as Row, value);
    await post(payload, { refusal: 'not Slack' });
    const vote = (await world.audit('p1')).find(({ type }) => type === 'vote');
    // A click on Reject opens the form, and is no vote yet.
    if (kind === 'reject') return expect(vote).toBeUndefined();
    expect(JSON.parse(vote?.shown ?? 'null')).toEqual({ blocks: kind === 'form' ? FORM_BLOCKS : card?.blocks });
  });
});

test.each<[string, (payload: Payload) => Payload, VoteRefusal | undefined]>([
  ['is one press', (same) => same, undefined],
  ['is of another type', (payload) => ({ ...payload, type: 'message_action' }), 'foreign_card'],
  ['names two buttons', twice, 'foreign_card'],
  ['is for another app', (payload) => ({ ...payload, api_app_id: 'A0OTHER' }), 'foreign_card'],
])('a button within a form: the request %s', async (_, differs, reasonCode) => {
  const row: Row = { refusal: 'foreign_card' };
  const { pid, value } = await asked(row);
  const { message: card, channel, ...pressed } = await payloadOf('reject', row, value);
  const about = { ...value, channel: (channel as Payload)['id'], ts: (card as Payload)['ts'], shown: true };
  const view = { id: 'V1', hash: 'h1', type: 'modal', app_id: APP, private_metadata: JSON.stringify(about) };
  await post(differs({ ...pressed, view }), row);
  const refused = reasonCode ? [{ accepted: false, reasonCode }] : [];
  expect(await refusals(pid)).toMatchObject(refused);
  expect(await refusals(pid)).toHaveLength(refused.length);
});

test('fifty clicks at once, each a signed request of its own, make one decision; the other forty-nine are refused and on the record', async () => {
  const row: Row = { refusal: 'already_decided' };
  const { pid, value } = await asked(row);
  const clicks = await Promise.all(
    Array.from({ length: 50 }, (_, index) => {
      const payload = (click: Payload) => ({ ...click, trigger_id: `t-${index}` });
      return payloadOf('approve', { ...row, who: index % 2 ? 'alice' : 'bob', payload }, value);
    }),
  );
  told = [];
  const answers = await Promise.all(clicks.map((click) => post(click, row)));
  expect(new Set(answers.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  const { approval } = await world.row('p1');
  expect(approval).toMatchObject({ status: 'approved', version: 1 });
  expect(approval.votes).toHaveLength(1);
  const refused = await refusals(pid);
  expect(refused).toHaveLength(49);
  expect(new Set(refused.map(({ reasonCode }) => reasonCode))).toEqual(new Set(['already_decided']));
  expect(told).toHaveLength(49);
  expect((await world.decided('p1')).outcome).toBe('approved');
});

test('a form that is sent again is one on the record, and one that was filled in anew is another (G35)', async () => {
  const row: Row = { refusal: 'not_in_group', who: 'stranger' };
  const { pid, value } = await asked(row);
  const form = await payloadOf('form', row, value);
  for (const reason of ['no', 'no', 'not so']) {
    const values = { [REASON.block]: { [REASON.action]: { type: 'plain_text_input', value: reason } } };
    await post({ ...form, view: { ...(form['view'] as Payload), state: { values } } }, row);
  }
  expect(await refusals(pid)).toHaveLength(2);
});

describe('a refusal that its person cannot be told', () => {
  const row: Row = { refusal: 'not_in_group', who: 'stranger' };
  const refusedAt = async (address: string) => {
    const { pid, value } = await asked(row);
    told = [];
    const payload = (click: Payload) => ({ ...click, response_url: address });
    const answer = await post(await payloadOf('approve', { ...row, payload }, value), row);
    expect(await refusals(pid)).toMatchObject([{ accepted: false, reasonCode: 'not_in_group' }]);
    return answer;
  };

  test('is acknowledged and on the record all the same: an address that is used up is no fault', async () => {
    expect(await refusedAt(`${url}/used-up`)).toMatchObject({ statusCode: 200 });
  });

  test('and is told nowhere but at Slack, whatever address the request names', async () => {
    const heard: string[] = [];
    const elsewhere = createServer((request, response) => {
      heard.push(request.url ?? '');
      response.end('{"ok":true}');
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const { port } = elsewhere.address() as AddressInfo;
    for (const address of [`http://127.0.0.1:${port}/told`, 'not an address', `https://${new URL(url).host}/told`])
      expect(await refusedAt(address)).toMatchObject({ statusCode: 200 });
    await new Promise((resolve) => elsewhere.close(resolve));
    expect([heard, told]).toEqual([[], []]);
  });
});

test.each(['{', '"text"', 'null', '{"approval":7,"digest":"x"}'])(
  'a form that says %s of itself is about no approval: refused at its field and on the record',
  async (metadata) => {
    const row: Row = { refusal: 'unknown_approval' };
    const { pid, value } = await asked(row);
    const form = await payloadOf('form', row, value);
    const view = { ...(form['view'] as Payload), private_metadata: metadata };
    const answer = await post({ ...form, view }, row);
    expect(answer.statusCode).toBe(200);
    const errors = { [REASON.block]: refusalText('unknown_approval') };
    expect(JSON.parse(answer.body)).toEqual({ response_action: 'errors', errors });
    expect(await refusals(pid)).toMatchObject([{ accepted: false, reasonCode: 'unknown_approval' }]);
  },
);
