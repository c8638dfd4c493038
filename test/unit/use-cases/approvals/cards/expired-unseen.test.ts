/** Checks that a channel hears of questions that expired before their cards could be posted (G45). */
import { describe, expect, test } from 'vitest';
import { SlackProblemError, SlackRefusedError } from '../../../../../shared/adapters/slack/posting/errors.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;

async function outage(world: World, minutes: number, during: () => Promise<void>): Promise<void> {
  world.slack.down = true;
  await during();
  await world.clock.advance(minutes * MINUTE);
  world.slack.down = false;
  await world.clock.advance(20 * MINUTE);
}

describe('a question that expired while Slack was away', () => {
  test('is told of once in its channel, with its call and its time, and asks nobody', async () => {
    const world = new World();
    await outage(world, 90, async () => {
      await world.send(bash('p1', 'git push origin main'));
      await world.send(bash('p2', 'git push origin other'));
    });
    expect((await world.decided('p1')).outcome).toBe('expired');
    const { approval } = await world.row('p1');
    expect(world.slack.titles).toEqual([]);
    expect(world.slack.notices).toEqual([
      expect.stringMatching(
        /^No card could be posted here in time: git push origin (?:main|other) of agent coder waited/,
      ),
    ]);
    expect(world.slack.notices[0]).toContain(approval.expiresAt.slice(0, 16));
  });

  test('is told of for each agent', async () => {
    const world = new World();
    await outage(world, 90, async () => {
      await world.send(bash('p1', 'git push origin main'));
      await world.send(bash('p2', 'git push origin main'), { agent: 'writer' });
    });
    expect(world.slack.notices.map((text) => / of agent (\w+)/.exec(text)?.[1]).toSorted()).toEqual([
      'coder',
      'writer',
    ]);
  });

  test('of a later stage is told of in the channel of that stage alone', async () => {
    const world = new World(
      policyOf({ approvals: '{ stages: [{ group: platform }, { group: security }], timeout: 1h }' }),
    );
    const channels: string[] = [];
    world.slack.announce = async (channel) => {
      if (world.slack.down) throw new SlackProblemError(undefined);
      channels.push(channel);
    };
    await world.send(bash('p1', 'git push origin main'));
    await outage(world, 90, async () => {
      await world.click('p1', 'alice');
    });
    expect(channels).toEqual(['C0SECURITY']);
  });
});

describe('nothing is told', () => {
  test.each([0, 500, 20_000])(
    'of a call that an identical one asked for, whose card was there, %i ms apart',
    async (ms) => {
      const world = new World();
      await world.send(bash('p1', 'git push origin main'));
      await world.clock.advance(ms);
      await world.send(bash('p2', 'git push origin main'));
      await world.clock.advance(90 * MINUTE);
      expect((await world.decided('p2')).outcome).toBe('expired');
      expect(world.slack.notices).toEqual([]);
    },
  );

  test('of a call whose time was over before an identical one was answered', async () => {
    const world = new World();
    await world.send(bash('p1', 'git push origin main'));
    const expiresAt = new Date(world.clock.now() + 5 * MINUTE).toISOString();
    await world.send({ ...bash('p2', 'git push origin main'), expiresAt });
    world.gate.workflow.stop();
    await world.clock.advance(5 * MINUTE + 1_000);
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
    expect((await world.decided('p2')).outcome).toBe('expired');
    await world.clock.advance(20 * MINUTE);
    expect(world.slack.notices).toEqual([]);
  });

  test('again while the queue of the agent takes no decision', async () => {
    const world = new World();
    const { send } = world.gate.replies;
    world.gate.replies.send = async () => Promise.reject(new Error('no queue'));
    await outage(world, 90, () => world.send(bash('p1', 'git push origin main')));
    await world.clock.advance(4 * 60 * MINUTE);
    world.gate.replies.send = send;
    await world.clock.advance(60 * MINUTE);
    expect(world.slack.notices).toHaveLength(1);
  });

  test('of a question whose card was there, or that its agent withdrew', async () => {
    const world = new World();
    await world.send(bash('seen', 'git push origin main'));
    await outage(world, 90, async () => {
      await world.send(bash('gone', 'git push origin gone'));
      await world.send({ kind: 'cancel', proposalId: 'c1', cancels: 'gone' });
    });
    expect((await world.decided('seen')).outcome).toBe('expired');
    expect((await world.decided('gone')).outcome).toBe('cancelled');
    expect(world.slack.notices).toEqual([]);
  });

  test.each([
    ['is closed', () => new SlackProblemError('is_archived')],
    ['takes no such message', () => new SlackRefusedError('msg_too_long')],
  ])('where the channel %s, and nothing is left to be tried again', async (_, fault) => {
    const world = new World();
    world.slack.post = async () => Promise.reject(new SlackRefusedError('invalid_blocks'));
    let tries = 0;
    world.slack.announce = async () => {
      tries++;
      throw fault();
    };
    await world.send(bash('p1', 'git push origin main'));
    await world.clock.advance(48 * 60 * MINUTE);
    expect((await world.decided('p1')).outcome).toBe('expired');
    expect(tries).toBe(1);
  });
});
