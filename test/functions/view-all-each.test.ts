/** Checks that the form behind Show everything offers a delegate no call of an answered place. */
import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import type { ListenerDependencies } from '../../functions/slack/dependencies.ts';
import { listenToViewAll } from '../../functions/slack/view-all.ts';
import { VIEW_ALL } from '../../shared/adapters/slack/cards/view-all.ts';
import { PEOPLE, policyOf, World } from '../unit/use-cases/world.ts';

type Listener = (request: object) => Promise<void>;
const APP = 'A0GATE';

/** The views that a press of the form's button brings, by such a request. */
async function shownBy(differs: object): Promise<string> {
  const approvers = '  platform: { userGroup: S0PLATFORM, channel: approvals }';
  const approvals = '{ stages: [{ group: platform, quorum: 2 }], timeout: 1h }';
  const more = 'delegations: [{ person: bob, to: alice, until: 2027-06-01T00:00:00Z }]';
  const world = new World(policyOf({ approvers, approvals, more }), {
    people: {
      accountStatus: async () => 'member',
      nameOf: async () => undefined,
      membersOf: async () => [PEOPLE.bob, PEOPLE.stranger],
    },
  });
  const calls = ['one', 'two'].map((id) => ({ id, toolName: 'Bash', input: { command: `git push ${id}` } }));
  await world.send({ kind: 'tool-call', proposalId: 'p1', calls });
  await world.click('p1', 'bob', 'approve', { calls: [{ id: 'one', choice: 'approve' }] });
  const { approval } = await world.row('p1');

  const listeners = new Map<string, Listener>();
  const app = { action: (name: string, listener: Listener) => listeners.set(name, listener) };
  listenToViewAll(app as unknown as App, { deps: world.gate.parts, appId: APP } as unknown as ListenerDependencies);
  const shown: unknown[] = [];
  const context = { approval: approval.pid, digest: approval.question.digest, channel: 'C0', ts: '1.1', shown: true };
  const { team, user } = PEOPLE.alice;
  await listeners.get(VIEW_ALL.each)?.({
    ack: async () => undefined,
    body: {
      type: 'block_actions',
      actions: [{}],
      user: { id: user, team_id: team },
      team: { id: team },
      api_app_id: APP,
      view: { type: 'modal', id: 'V0', hash: 'h', app_id: APP, private_metadata: JSON.stringify(context) },
      ...differs,
    },
    action: { value: JSON.stringify({ approval: approval.pid, digest: approval.question.digest }) },
    client: { views: { update: async ({ view }: { view: unknown }) => shown.push(view) } },
  });
  return JSON.stringify(shown);
}

test('a delegate is offered no call that was answered in the same place', async () => {
  const text = await shownBy({});
  expect(text).toContain('2 · git push two');
  expect(text).not.toContain('1 · git push one');
});

test.each([{ type: 'message_action' }, { actions: [{}, {}] }, { api_app_id: 'A0OTHER' }])(
  'nothing is shown to a request with %j (G19)',
  async (differs) => expect(await shownBy(differs)).toBe('[]'),
);
