/** Checks which clicks on the task agent's buttons count: this app's, in a known workspace. */
import type { App } from '@slack/bolt';
import { expect, test } from 'vitest';
import { listenToTasks } from '../../../functions/slack/task-events.ts';
import { TASK_ACTIONS } from '../../../shared/adapters/slack/task-speaker.ts';
import { compilePolicy } from '../../../shared/config/compile.ts';
import type { ConversationMessage } from '../../../shared/ports/conversation.ts';
import { FakeClock } from '../../../shared/testing/fake-clock.ts';
import { PEOPLE, policyOf } from '../../unit/use-cases/world.ts';

type Listener = (request: object) => Promise<void>;
const APP = 'A0GATE';
const { team, user } = PEOPLE.bob;
const BUTTON = {
  type: 'button',
  action_id: TASK_ACTIONS.yes,
  block_id: 'b',
  value: '{"asks":"a1","conversation":"c1"}',
};

/** Whether a click with these fields of its request counts as one on a button of ours. */
async function isOwn(differs: object): Promise<boolean> {
  const listeners = new Map<string, Listener>();
  const app = { event: () => {}, action: (name: string, listener: Listener) => listeners.set(name, listener) };
  const heard: ConversationMessage[] = [];
  listenToTasks(app as unknown as App, {
    queue: { send: async (one) => void heard.push(one) },
    policy: compilePolicy(policyOf()),
    clock: new FakeClock(0),
    deployment: 'test',
    appId: APP,
  });
  const message = { ts: '1.1', app_id: APP, blocks: [{ type: 'actions', elements: [BUTTON] }] };
  const body = {
    type: 'block_actions',
    actions: [BUTTON],
    api_app_id: APP,
    team: { id: team },
    user: { id: user, team_id: team },
    channel: { id: 'D0' },
    message,
  };
  await listeners.get(TASK_ACTIONS.yes)?.({ ack: async () => {}, body: { ...body, ...differs }, action: BUTTON });
  const [first] = heard;
  return first?.kind === 'button' && first.isOwn;
}

test.each<[string, object, boolean]>([
  ['its own', {}, true],
  ['of a whole organisation', { team: null }, true],
  ['of another workspace (G19)', { team: { id: 'T0OTHER' } }, false],
  ['of another app', { api_app_id: 'A0OTHER' }, false],
  ['in a request of another type', { type: 'message_action' }, false],
  ['beside another button', { actions: [BUTTON, BUTTON] }, false],
])('a click %s', async (_, differs, counts) => expect(await isOwn(differs)).toBe(counts));
