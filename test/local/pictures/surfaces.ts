/** Lists the surfaces of the pictures: the steps to each, and the clicks before it is taken. */
import type { Page } from 'playwright-core';
import type { MemoryGate } from '../../../shared/adapters/memory/gate-parts.ts';
import type { CountersignClient, ProposedCall } from '../../../shared/client/index.ts';
import { loadPolicy } from '../../../shared/config/load.ts';
import type { Cast } from '../demo/cast.ts';
import { answer } from '../demo/tour.ts';
import type { LocalSlack } from '../slack/server.ts';
import * as policies from './policies.ts';

interface Room {
  readonly gate: MemoryGate;
  readonly slack: LocalSlack;
  readonly client: CountersignClient;
  readonly cast: Cast;
  /** Moves the clock of the gate and of Slack. */
  advance(ms: number): void;
}

interface Surface {
  readonly name: string;
  /** The policy file; the demo's by default. */
  readonly policy?: string;
  /** The surface begins so long ago. */
  readonly agoMs?: number;
  /** Gives where the page shows it, as a query. */
  prepare(room: Room): Promise<string>;
  show?(page: Page): Promise<void>;
}

const PUSH: ProposedCall = {
  toolName: 'Bash',
  input: { command: 'git push origin main' },
  cwd: '/workspace/app',
  title: 'Publish the fix',
  reason: 'The tests pass and the release is due.',
};
const DEPLOY: ProposedCall = {
  toolName: 'Deploy',
  input: { version: 'v1.2.3', environment: 'production' },
  reason: 'The fix for the checkout.',
};
const BATCH = ['git push origin feature/limits', 'git push --force origin main', 'git push origin v1.2.3'].map(
  (command, index) => ({ id: String(index + 1), toolName: 'Bash', input: { command } }),
);
const MINUTE_MS = 60_000;
const APPROVE = { person: 0, press: /^Approve( all.*)?$/ } as const;

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `count` cards stand in the channel. */
async function cards({ slack, cast }: Room, count: number): Promise<void> {
  const posted = () => slack.messages(cast.channel).filter(({ thread_ts }) => thread_ts === undefined).length;
  while (posted() < count) await later(50);
}

/** Waits until the channel's messages hold the words. */
async function shown({ slack, cast }: Room, words: string): Promise<void> {
  while (!JSON.stringify(slack.messages(cast.channel)).includes(words)) await later(50);
}

const inChannel = ({ cast }: Room): string => `channel=${cast.channel}`;
const press = (room: Room, person: 0 | 1 = 0) =>
  answer(room.slack, room.cast.channel, APPROVE, room.cast.approvers[person], 0);

const asking = (name: string, ask: (room: Room) => Promise<unknown>, show?: Surface['show']): Surface => ({
  name,
  async prepare(room) {
    await ask(room);
    await cards(room, 1);
    return inChannel(room);
  },
  ...(show ? { show } : {}),
});

export const SURFACES: readonly Surface[] = [
  asking('card', ({ client }) => client.propose(PUSH)),
  asking('high', ({ client }) => client.propose(DEPLOY)),
  asking('batch', ({ client }) => client.proposeAll(BATCH, { title: 'Publish the release', reason: 'Release day.' })),
  asking('question', ({ gate, cast }) =>
    gate.agentSide(cast.agent).queue.publish(
      JSON.stringify({
        kind: 'input-request',
        proposalId: 'question',
        question: 'Which region shall the new shop be created in?',
        choices: ['eu-west-1', 'us-east-1'],
      }),
      cast.agent,
    ),
  ),
  asking(
    'reject',
    ({ client }) => client.propose(PUSH),
    async (page) => {
      await page.getByRole('button', { name: /^Reject/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  ),
  {
    name: 'decided',
    async prepare(room) {
      const ran = room.client.gate('Bash', () => 'done', { reason: PUSH.reason ?? '' })(PUSH.input);
      await cards(room, 1);
      await press(room);
      await ran;
      await later(1_000);
      return inChannel(room);
    },
  },
  {
    name: 'list',
    async prepare(room) {
      const { client, cast, slack } = room;
      const branches = ['main', 'v1.2.3', 'feature/limits', 'fix/checkout', 'docs'];
      for (const branch of branches) await client.propose({ ...PUSH, input: { command: `git push origin ${branch}` } });
      await shown(room, 'docs');
      await answer(slack, cast.channel, { person: 0, press: /^Read…$/ }, cast.approvers[0], 0);
      await shown(room, 'waits to run');
      return inChannel(room);
    },
  },
  {
    name: 'choice',
    policy: policies.CHOOSING,
    async prepare(room) {
      const flow = (flow_id: string, description: string) => ({ flow_id, persona_id: 'escrow', description });
      const actions = [
        flow('release_escrow', 'Pay the seller 120 EUR for order A-7'),
        flow('cancel_order', 'Cancel order A-7 and pay the buyer back'),
      ];
      await room.client.proposeChoice(
        'payout',
        { persona_id: 'escrow', actions, current_verdicts: [], blocked_actions: [] },
        { facts: { amount: 120 }, entity_states: { Order: 'delivered' }, observed_at: new Date().toISOString() },
      );
      await cards(room, 1);
      return inChannel(room);
    },
  },
  {
    name: 'escalated',
    policy: policies.ESCALATING,
    agoMs: 30 * MINUTE_MS,
    async prepare(room) {
      await room.client.propose(PUSH);
      await cards(room, 1);
      room.advance(30 * MINUTE_MS);
      await room.gate.reconcile();
      await shown(room, 'are asked as well');
      return inChannel(room);
    },
  },
  {
    name: 'superseded',
    policy: policies.PUSH,
    async prepare(room) {
      await room.client.propose(PUSH);
      await cards(room, 1);
      room.gate.usePolicy(loadPolicy(policies.PUSH_TO_LEADS, 'policy.yaml'));
      await room.gate.reconcile();
      await press(room);
      await shown(room, 'the policy changed');
      return inChannel(room);
    },
  },
  {
    name: 'home',
    async prepare(room) {
      const { client, slack, cast } = room;
      const done = client.gate('Bash', () => 'done')(PUSH.input);
      await cards(room, 1);
      await press(room);
      await done;
      await client.propose({ ...DEPLOY, input: { version: 'v1.2.2', environment: 'production' } });
      await cards(room, 2);
      await press(room);
      await client.propose(DEPLOY);
      await client.propose({ ...PUSH, input: { command: 'git push origin release' } });
      await client.propose({
        toolName: 'Mail',
        input: { to: 'beta@example.org', subject: 'A new checkout', body: 'It is faster.' },
      });
      // The last two calls share a card: four messages.
      await cards(room, 4);
      await later(1_000);
      await slack.openHome(cast.approvers[0]);
      return 'home=1';
    },
  },
];
