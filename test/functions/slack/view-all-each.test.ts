/** Checks the buttons within Show everything: nobody gets a form there that they could not send. */
import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import type { ListenerDependencies } from '../../../functions/slack/dependencies.ts';
import { listen } from '../../../functions/slack/listeners.ts';
import { VIEW_ALL } from '../../../shared/adapters/slack/cards/view-all.ts';
import { PEOPLE, policyOf, World } from '../../unit/use-cases/world.ts';

type Listener = (request: object) => Promise<void>;
const APP = 'A0GATE';

interface Press {
  /** Changes to the signed request. */
  readonly differs?: object;
  readonly who?: keyof typeof PEOPLE;
  readonly before?: (world: World) => Promise<unknown>;
  readonly button?: string | RegExp;
  readonly digest?: string;
}

/** The views that a press of the form's button brings. */
async function shownBy({ differs = {}, who = 'alice', before, button = VIEW_ALL.each, digest }: Press = {}) {
  const approvers = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
  const approvals = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
  const more = 'delegations: [{ person: bob, to: alice, until: 2027-06-01T00:00:00Z }]';
  const world = new World(policyOf({ approvers, approvals, more }), {
    people: {
      accountStatus: async () => 'member',
      nameOf: async () => undefined,
      membersOf: async () => [PEOPLE.bob, { team: 'T0DEMO', user: 'U0CAT' }],
    },
  });
  const calls = ['one', 'two'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
  await world.click('p1', 'bob', 'approve', { calls: [{ id: 'one', choice: 'approve' }] });
  await before?.(world);
  const { approval, cards } = await world.row('p1');

  const listeners = new Map<string | RegExp, Listener>();
  const none = () => undefined;
  const action = (name: string | RegExp, listener: Listener) => listeners.set(name, listener);
  const app = { action, view: none, event: none, command: none } as unknown as App;
  listen(app, { deps: world.gate.parts, appId: APP } as unknown as ListenerDependencies);
  const shown: unknown[] = [];
  const value = { approval: approval.pid, digest: digest ?? approval.question.digest };
  const context = { ...value, ...cards[0], shown: true };
  const { team, user } = PEOPLE[who];
  await listeners.get(button)?.({
    ack: async () => undefined,
    respond: async () => undefined,
    body: {
      type: 'block_actions',
      actions: [{}],
      user: { id: user, team_id: team },
      team: { id: team },
      trigger_id: 't1',
      api_app_id: APP,
      view: { type: 'modal', id: 'V0', hash: 'h', app_id: APP, private_metadata: JSON.stringify(context) },
      ...differs,
    },
    action: { value: JSON.stringify(value) },
    client: { views: { update: async ({ view }: { view: unknown }) => shown.push(view) } },
  });
  const entries = await world.audit('p1');
  const refused = entries.flatMap(({ type, reasonCode = [] }) => (type === 'click' ? reasonCode : []));
  return { text: JSON.stringify(shown), refused };
}

test('a delegate is offered no call that was answered from the same seat', async () => {
  const { text } = await shownBy();
  expect(text).toContain('2 · git push two');
  expect(text).not.toContain('1 · git push one');
});

test.each<[string, Press, string, string]>([
  ['somebody outside of the group', { who: 'stranger' }, 'not_in_group', 'You are not in the group'],
  [
    'a batch that was decided meanwhile',
    { before: (world) => world.click('p1', 'bob', 'reject') },
    'already_voted',
    'Your vote was counted before',
  ],
  [
    'a question that ended',
    { before: (world) => world.clock.advance(3_600_000) },
    'expired',
    'The time to answer was over',
  ],
  ['another question', { digest: '0'.repeat(64) }, 'stale_digest', 'it was changed'],
])('no form opens for %s: the person is told why, and it is recorded', async (_, press, code, says) => {
  const { text, refused } = await shownBy(press);
  expect(text).toContain(says);
  expect(text).not.toContain('git push');
  expect(refused).toEqual([code]);
});

test.each([{ type: 'message_action' }, { actions: [{}, {}] }, { api_app_id: 'A0OTHER' }])(
  'no call is shown to a request with %j (G19)',
  async (differs) => {
    const { text, refused } = await shownBy({ differs });
    expect(text).not.toContain('git push');
    expect(refused).toEqual(['foreign_card']);
  },
);

test('a page is turned, and where the question is another one by now the form says so', async () => {
  expect((await shownBy({ button: VIEW_ALL.turns })).text).toContain('git push one');
  const { text } = await shownBy({ button: VIEW_ALL.turns, digest: '0'.repeat(64) });
  expect(text).toContain('it was changed. Look at it again.');
  expect(text).not.toContain('git push');
  const differs = { api_app_id: 'A0OTHER' };
  expect((await shownBy({ button: VIEW_ALL.turns, digest: '0'.repeat(64), differs })).text).toBe('[]');
});
