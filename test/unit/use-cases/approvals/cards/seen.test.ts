/** Checks that silence counts only about cards that people see, and that lost cards are posted again. */
import { describe, expect, test } from 'vitest';
import { SlackProblemError, SlackRefusedError } from '../../../../../shared/adapters/slack/posting/errors.ts';
import type { CardQueue } from '../../../../../shared/ports/stores/outbox.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SILENT = policyOf({ approvals: '{ approvers: platform, timeout: 1h, timeoutBehavior: Approve }' });

/** Somebody deletes every message that stands, by hand: Slack tells nobody. */
function deleting(world: World) {
  const gone = new Set<string>();
  const { update } = world.slack;
  world.slack.update = async (at, card) =>
    gone.has(`${at.channel}#${at.ts}`) ? false : update.call(world.slack, at, card);
  return () => {
    for (const key of world.slack.cards.keys()) gone.add(key);
    world.slack.cards.clear();
  };
}

/** A world whose requests for cards are lost while `lost`, as in a queue that somebody purges. */
function purged(document = SILENT) {
  const queue = { lost: false, requests: 0, looks: 0, lostLooks: 0 };
  const world = new World(document, {
    wrap: (name, port) => {
      if (name !== 'cards') return port;
      const cards = port as unknown as CardQueue;
      const refresh: CardQueue['refresh'] = async (...given) => {
        queue.requests += 1;
        if (given[3]?.anew === 'look' && queue.looks++ < queue.lostLooks) return;
        if (!queue.lost) await cards.refresh(...given);
      };
      return Object.assign(Object.create(cards), { refresh }) as typeof port;
    },
  });
  return { world, queue };
}

const endOf = async (world: World, id = 'p1') => (await world.decided(id)).reasonCode;

describe('silence is no yes', () => {
  test('about a card that somebody deleted', async () => {
    const world = new World(SILENT);
    const remove = deleting(world);
    await world.send(bash('p1'));
    remove();
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await endOf(world)).toBe('expired');
  });

  test.each(['is_archived', 'not_in_channel'])('about a card that nobody can click on: %s', async (problem) => {
    const world = new World(SILENT);
    await world.send(bash('p1'));
    const refuse = async () => {
      throw new SlackProblemError(problem);
    };
    Object.assign(world.slack, { post: refuse, update: refuse });
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await endOf(world)).toBe('expired');
  });

  test.each([
    [20, 'timeout_approved'],
    [40, 'expired'],
  ])('about a card that came %i minutes late of sixty: %s, as the card tells', async (late, end) => {
    const world = new World(SILENT);
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.clock.advance(late * MINUTE);
    world.slack.down = false;
    await world.clock.advance(10 * MINUTE);
    expect(world.slack.titles[0]?.includes('Then it runs without an answer')).toBe(end === 'timeout_approved');
    expect(JSON.stringify([...world.slack.cards.values()]).includes('then it runs without an answer')).toBe(
      end === 'timeout_approved',
    );
    await world.clock.advance(HOUR);
    expect(await endOf(world)).toBe(end);
  });

  test('about a call as it was changed, on a card that shows the call of before', async () => {
    const { world, queue } = purged();
    await world.send(bash('p1'));
    queue.lost = true;
    await world.edit('p1', 'alice', { command: 'git push origin changed' });
    await world.clock.advance(40 * MINUTE);
    queue.lost = false;
    expect(world.slack.titles).toEqual([expect.stringContaining('git push origin main')]);
    await world.clock.advance(HOUR);
    expect(await endOf(world)).toBe('expired');
  });

  test('about a stage that the card does not show', async () => {
    const { world, queue } = purged(
      policyOf({
        approvals: '{ stages: [{ group: platform }, { group: other }], timeout: 1h, timeoutBehavior: Approve }',
        approvers:
          '  platform: { members: [alice], channel: approvals }\n  other: { members: [bob], channel: approvals }',
      }),
    );
    await world.send(bash('p1'));
    queue.lost = true;
    await world.click('p1', 'alice');
    await world.clock.advance(40 * MINUTE);
    queue.lost = false;
    await world.clock.advance(HOUR);
    expect(await endOf(world)).toBe('expired');
  });

  test('where nobody could look at the card before the end', async () => {
    const { world, queue } = purged();
    await world.send(bash('p1'));
    queue.lost = true;
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await endOf(world)).toBe('expired');
  });

  test('about a call that nobody can read in full, as its card tells', async () => {
    const { world, queue } = purged();
    // A control character is written out in eight.
    const input = { content: '\u0080'.repeat(120_000) };
    await world.send({ kind: 'tool-call', proposalId: 'p1', toolName: 'mcp__notes__write', input });
    const shown = JSON.stringify([...world.slack.cards.values()]);
    expect(shown).toContain('too long for people to read');
    expect(shown.toLowerCase()).not.toContain('then it runs without an answer');
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await endOf(world)).toBe('expired');
    expect(queue.looks).toBe(1);
  });

  test.each([
    ['a card', ['p1']],
    ['a list', ['p1', 'p2', 'p3', 'p4']],
  ])('about %s that stood in plain words, without buttons, for most of the time', async (_, ids) => {
    const world = new World(SILENT);
    const { update, post } = world.slack;
    const refused = new SlackRefusedError('invalid_blocks');
    let isRefusing = true;
    world.slack.post = async (...given) => ({ ...(await post.apply(world.slack, given)), refused });
    world.slack.update = async (...given) => {
      if (isRefusing) throw refused;
      return update.apply(world.slack, given);
    };
    for (const id of ids) await world.send(bash(id, `git push origin ${id}`));
    await world.clock.advance(50 * MINUTE);
    isRefusing = false;
    await world.clock.advance(HOUR);
    for (const id of ids) expect(await endOf(world, id)).toBe('expired');
  });

  test('of a list that somebody deleted', async () => {
    const world = new World(SILENT);
    const remove = deleting(world);
    for (const id of ['p1', 'p2', 'p3', 'p4']) await world.send(bash(id, `git push origin ${id}`));
    await world.clock.advance(2 * MINUTE);
    remove();
    await world.clock.advance(HOUR + 3 * MINUTE);
    for (const id of ['p1', 'p4']) expect(await endOf(world, id)).toBe('expired');
  });
});

describe('silence is a yes', () => {
  test('about calls of a list that stands', async () => {
    const world = new World(SILENT);
    for (const id of ['p1', 'p2', 'p3', 'p4']) await world.send(bash(id, `git push origin ${id}`));
    await world.clock.advance(HOUR + 3 * MINUTE);
    for (const id of ['p1', 'p4']) expect(await endOf(world, id)).toBe('timeout_approved');
  });

  test('about a changed call whose card shows the change, after one look at the card', async () => {
    const { world, queue } = purged();
    await world.send(bash('p1'));
    await world.edit('p1', 'alice', { command: 'git push origin changed' });
    await world.clock.advance(10 * MINUTE);
    const { requests } = queue;
    await world.clock.advance(49 * MINUTE);
    expect(queue.requests - requests).toBeLessThanOrEqual(3);
    await world.clock.advance(4 * MINUTE);
    expect(await endOf(world)).toBe('timeout_approved');
  });

  test.each(['sent', 'changed'])(
    'about a call as it was %s, although the first request to look at its card is lost',
    async (as) => {
      const { world, queue } = purged();
      queue.lostLooks = 1;
      await world.send(bash('p1'));
      if (as === 'changed') await world.edit('p1', 'alice', { command: 'git push origin changed' });
      await world.clock.advance(HOUR + 3 * MINUTE);
      expect(queue.looks).toBe(2);
      expect(await endOf(world)).toBe('timeout_approved');
    },
  );

  test('of a stage with an own time, and after an escalation', async () => {
    const stage = '{ group: platform, timeout: 20m, escalateTo: security }';
    const world = new World(policyOf({ approvals: `{ stages: [${stage}], timeout: 1h, timeoutBehavior: Approve }` }));
    await world.send(bash('p1'));
    await world.clock.advance(HOUR + 3 * MINUTE);
    expect(await endOf(world)).toBe('timeout_approved');
  });
});

describe('a card that is gone', () => {
  test('is posted again within six hours, and mentions people again', async () => {
    const world = new World(policyOf({ approvals: '{ approvers: platform, timeout: 3d }' }));
    const remove = deleting(world);
    await world.send(bash('p1'));
    for (let times = 0; times < 3; times++) {
      remove();
      await world.clock.advance(6 * HOUR + 2 * MINUTE);
      expect(world.slack.titles).toEqual([expect.stringMatching(/git push origin main.* Asked 2026-11-21 /)]);
    }
    await world.click('p1', 'alice');
    expect((await world.decided('p1')).outcome).toBe('approved');
  });

  test('is noticed where its channel was archived: the question moves to the channel that the file names by now', async () => {
    const inChannel = (channel: string) =>
      policyOf({
        approvals: '{ approvers: platform, timeout: 3d }',
        approvers: `  platform: { members: [alice, bob], channel: ${channel} }`,
      });
    const world = new World(inChannel('approvals'));
    await world.send(bash('p1'));
    const { update, post } = world.slack;
    const refuse = (channel: string) => {
      if (channel === 'C0APPROVALS') throw new SlackProblemError('is_archived');
    };
    world.slack.update = async (at, card) => {
      refuse(at.channel);
      return update.call(world.slack, at, card);
    };
    world.slack.post = async (channel, card) => {
      refuse(channel);
      return post.call(world.slack, channel, card);
    };
    world.gate.usePolicy(inChannel('security'));
    await world.clock.advance(7 * HOUR);
    expect([...world.slack.cards.keys()].map((key) => key.split('#')[0])).toContain('C0SECURITY');
  });

  test('a card that stands costs one request in six hours', async () => {
    const { world, queue } = purged(policyOf({ approvals: '{ approvers: platform, timeout: 3d }' }));
    await world.send(bash('p1'));
    await world.clock.advance(2 * MINUTE);
    const { requests } = queue;
    await world.clock.advance(48 * HOUR);
    expect(queue.requests - requests).toBe(8);
    expect(world.slack.cards.size).toBe(1);
  });
});
