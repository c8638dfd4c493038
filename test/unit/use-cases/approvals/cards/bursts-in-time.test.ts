/**
 * Tests the effects of time on a list of calls.
 *
 * A reminder or an escalation is one message for the list.
 */
import { describe, expect, test } from 'vitest';
import { LimitedSlack } from '../../limited-slack.ts';
import { bash, policyOf, World } from '../../world.ts';
import { AGENT, ask, isList, MANY_WAIT, MINUTE, mentionsIn } from './burst-world.ts';

describe('a reminder of listed calls', () => {
  const REMIND = '{ stages: [{ group: platform, remind: 10m }], timeout: 1h }';
  const reminders = (world: World) => world.slack.thread.filter((text) => text.includes('Reminder'));

  test('is one message for the list, which names its calls and mentions everybody who can answer once', async () => {
    const world = new World(policyOf({ approvals: REMIND }));
    await ask(world, 1, 6);
    await world.clock.advance(12 * MINUTE);
    const list = reminders(world).find((text) => text.includes('calls')) ?? '';
    expect(reminders(world)).toHaveLength(3);
    expect(list).toMatch(
      /^<@U0ALICE> <@U0BOB> Reminder for platform: still waiting are 4 calls of coder: git push 3, git push 4, git push 5, git push 6\. The first until \d\d:\d\d UTC\.$/,
    );
    await world.clock.advance(10 * MINUTE);
    expect(reminders(world)).toHaveLength(6);
  });

  test('waits for the calls that are due within a minute, and not longer', async () => {
    const world = new World(policyOf({ approvals: REMIND }));
    for (const at of [1, 2, 3]) await world.send(bash(`p${at}`, `git push ${at}`));
    await world.clock.advance(45_000);
    await world.send(bash('p4', 'git push 4'));
    await world.clock.advance(12 * MINUTE);
    expect(reminders(world).filter((text) => text.includes('2 calls of coder'))).toHaveLength(1);
    expect(reminders(world)).toHaveLength(3);
    const slow = new World(policyOf({ approvals: REMIND }));
    for (const at of [1, 2, 3]) await slow.send(bash(`p${at}`, `git push ${at}`));
    for (const at of [4, 5, 6, 7, 8]) {
      await slow.clock.advance(50_000);
      await slow.send(bash(`p${at}`, `git push ${at}`));
    }
    const began = slow.clock.now();
    while (!reminders(slow).some((text) => text.includes('git push 3')) && slow.clock.now() < began + 20 * MINUTE)
      await slow.clock.advance(10_000);
    // The third call was asked 250 s before: it is reminded of at most three minutes after its ten.
    expect(slow.clock.now() - began).toBeLessThan(10 * MINUTE - 250_000 + 3 * MINUTE);
  });

  test('is about those alone that still wait, and mentions those alone who can answer one of them', async () => {
    const approvals = '{ stages: [{ group: platform, quorum: 2, remind: 10m }], timeout: 1h }';
    const world = new World(policyOf({ approvals }));
    await ask(world, 1, 6);
    await world.click('p3', 'alice', 'reject');
    for (const id of ['p4', 'p5', 'p6']) await world.click(id, 'alice');
    await world.clock.advance(12 * MINUTE);
    const told = reminders(world).find((text) => text.includes('calls of coder')) ?? '';
    expect(told).toContain('3 calls of coder: git push 4, git push 5, git push 6.');
    expect(mentionsIn(told)).toEqual(['U0BOB']);
  });

  test('is one direct message for who prefers that, about the whole list', async () => {
    const document = policyOf({ approvals: REMIND });
    const bob = { ...document.policy.people['bob'], notify: 'dm' } as never;
    const policy = { ...document.policy, people: { ...document.policy.people, bob } };
    const world = new World({ ...document, policy });
    await ask(world, 1, 6);
    const before = world.slack.direct.length;
    await world.clock.advance(12 * MINUTE);
    const told = world.slack.direct.slice(before).map(({ text }) => text);
    expect(told).toHaveLength(3);
    expect(
      told.filter((text) => text.startsWith('coder wants to run 4 more calls: git push 3, git push 4')),
    ).toHaveLength(1);
    expect(mentionsIn(reminders(world))).toEqual(['U0ALICE', 'U0ALICE', 'U0ALICE']);
  });

  test('is told by itself where one call is left', async () => {
    const world = new World(policyOf({ approvals: REMIND }));
    await ask(world, 1, 4);
    await world.click('p3', 'alice');
    await world.clock.advance(12 * MINUTE);
    expect(reminders(world)).toHaveLength(3);
    expect(reminders(world).some((text) => text.includes('git push 4 of coder still waits'))).toBe(true);
  });

  test('decides nothing', async () => {
    const world = new World(policyOf({ approvals: REMIND }));
    await ask(world, 1, 6);
    await world.clock.advance(32 * MINUTE);
    for (const at of [1, 2, 3, 4, 5, 6])
      expect((await world.row(`p${at}`)).approval).toMatchObject({ status: 'pending', votes: [] });
    expect(JSON.stringify([...world.slack.cards.values()].filter(isList))).not.toContain('countersign_approve');
  });
});

describe('time, over a hundred asks that nobody answers', () => {
  const wait = async (approvals: string, minutes: number) => {
    const slack: LimitedSlack = new LimitedSlack(() => world.clock);
    const world: World = new World(policyOf({ ...AGENT, approvals }), { poster: slack, limits: MANY_WAIT });
    for (let at = 0; at < 100; at++) {
      await world.send(bash(`p${at}`, `git push ${at}`));
      await world.clock.advance(500);
    }
    await world.clock.advance(2 * MINUTE);
    const before = { posts: slack.posted.length, replies: slack.replies, updates: slack.updates };
    await world.clock.advance(minutes * MINUTE);
    return {
      posts: slack.posted.length - before.posts,
      replies: slack.replies - before.replies,
      updates: slack.updates - before.updates,
    };
  };

  test('a reminder costs Slack 11 replies, one for each card', async () => {
    const cost = await wait('{ stages: [{ group: platform, remind: 10m }], timeout: 1h }', 13);
    expect(cost).toMatchObject({ posts: 0, replies: 11 });
    expect(cost.updates).toBeLessThanOrEqual(20);
  });

  // The reconciler comes by twice for them: a list that is a minute old takes no further call.
  test('an escalation costs Slack at most 13 posts in the other channel, and 11 replies', async () => {
    const cost = await wait('{ stages: [{ group: platform, timeout: 10m, escalateTo: security }], timeout: 1h }', 16);
    expect(cost.replies).toBe(11);
    expect(cost.posts).toBeLessThanOrEqual(13);
    expect(cost.updates).toBeLessThanOrEqual(20);
  });
});
