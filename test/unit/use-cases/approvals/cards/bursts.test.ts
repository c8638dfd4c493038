/**
 * Checks the card that lists several calls.
 *
 * An agent's third waiting call in a channel within a minute begins the list.
 */
import { describe, expect, test } from 'vitest';
import { renderCard } from '../../../../../shared/adapters/slack/cards/card.ts';
import type { Drawing } from '../../../../../shared/adapters/slack/posting/drawing.ts';
import { drawList } from '../../../../../shared/adapters/slack/posting/list-draw.ts';
import { joinList } from '../../../../../shared/adapters/slack/posting/list-join.ts';
import type { SlackPoster } from '../../../../../shared/adapters/slack/posting/poster.ts';
import { sourceOf } from '../../../../../shared/adapters/slack/posting/source.ts';
import { LimitedSlack } from '../../limited-slack.ts';
import { bash, policyOf, World } from '../../world.ts';
import {
  AGENT,
  ask,
  CHANNEL,
  cards,
  isList,
  last,
  lists,
  MANY,
  MANY_WAIT,
  MINUTE,
  mentionsIn,
  textOf,
} from './burst-world.ts';

describe('a burst of one agent', () => {
  test('has own cards for the first two calls, and one card that lists the rest, each behind its own button', async () => {
    const world = new World();
    await ask(world, 1, 6);
    expect(cards(world)).toHaveLength(3);
    const text = textOf(last(world));
    expect(text).toContain('coder wants to run 4 more calls');
    for (const at of [3, 4, 5, 6]) expect(text).toContain(`git push ${at}`);
    expect(text.match(/Read…/g)).toHaveLength(4);
    expect(text.match(/medium severity/g)).toHaveLength(4);
    expect(text.match(/until \*<!date/g)).toHaveLength(4);
    expect(JSON.stringify(last(world).blocks)).not.toContain('countersign_approve');
    expect(last(world).text).toContain('coder wants to run 4 more calls: git push 3, git push 4');
  });

  test('is the card of each listed call: no other is posted, nothing waits in line, and nobody looks before there is something to do', async () => {
    const world = new World();
    await ask(world, 1, 5);
    const rows = await Promise.all([3, 4, 5].map((at) => world.row(`p${at}`)));
    expect(new Set(rows.flatMap((row) => row.cards.map(({ ts }) => ts)))).toHaveLength(1);
    for (const row of rows) {
      expect(row.cardProblem).toBeUndefined();
      expect(row.dueAt).toBeGreaterThan(world.clock.now() + 30 * MINUTE);
    }
    await world.clock.advance(10 * MINUTE);
    expect(cards(world)).toHaveLength(3);
  });

  test('does not begin where the earlier calls were decided, are of another agent, or are older than a minute', async () => {
    const decided = new World();
    for (const id of ['p1', 'p2', 'p3', 'p4']) {
      await decided.send(bash(id, `git push ${id}`));
      await decided.click(id, 'alice');
    }
    expect(lists(decided)).toEqual([]);
    const others = new World();
    for (const [index, agent] of ['coder', 'writer', 'coder', 'writer'].entries())
      await others.send(bash(`p${index}`, `git push ${index}`), { agent });
    expect(lists(others)).toEqual([]);
    const slow = new World();
    for (const at of [1, 2, 3, 4]) {
      await slow.send(bash(`p${at}`, `git push ${at}`));
      await slow.clock.advance(40_000);
    }
    expect(lists(slow)).toEqual([]);
  });

  test('mentions everybody who can answer once in a list, and never the owner', async () => {
    const world = new World();
    await ask(world, 1, 6);
    expect(mentionsIn(last(world).blocks)).toEqual(['U0ALICE', 'U0BOB']);
    expect(world.slack.thread).toEqual([]);
  });

  test('tells somebody who wants direct messages once for a list', async () => {
    const document = policyOf();
    const bob = { ...document.policy.people['bob'], notify: 'dm' } as never;
    const policy = { ...document.policy, people: { ...document.policy.people, bob } };
    const world = new World({ ...document, policy });
    await ask(world, 1, 6);
    await world.clock.advance(MINUTE);
    expect(world.slack.direct.map(({ user, text }) => [user, text.match(/git push \d/)?.[0]])).toEqual([
      ['U0BOB', 'git push 1'],
      ['U0BOB', 'git push 2'],
      ['U0BOB', 'git push 3'],
    ]);
  });

  test('leaves calls of high and critical severity, and questions, a card of their own', async () => {
    const more = 'tools:\n  Deploy: { severity: high, permissions: [Execute] }\n';
    const world = new World(policyOf({ ...AGENT, approvals: MANY, ask: ["'Bash(git push:*)'", 'Deploy'], more }));
    await ask(world, 1, 4);
    await world.send({ kind: 'tool-call', proposalId: 'deploy', toolName: 'Deploy', input: { name: 'shop' } });
    await world.send({ kind: 'input-request', proposalId: 'question', question: 'Which colour?' });
    await world.clock.advance(20_000);
    expect(cards(world)).toHaveLength(5);
    expect(
      cards(world)
        .map(({ text }) => text)
        .filter((text) => /^High: |asks:/.test(text)),
    ).toHaveLength(2);
  });

  test('goes on in a further list once one is full', async () => {
    const world = new World(policyOf({ ...AGENT, approvals: MANY }), { limits: MANY_WAIT });
    await ask(world, 1, 30);
    const counts = lists(world).map((card) => textOf(card).match(/Read…/g)?.length);
    expect(counts).toEqual([12, 12, 4]);
  });
});

describe('a listed call', () => {
  test('that is decided shows how, beside those that wait; once all are, nobody is asked', async () => {
    const world = new World();
    await ask(world, 1, 4);
    await world.click('p3', 'alice');
    await world.clock.advance(10_000);
    expect(textOf(last(world))).toContain('✓ Approved, waits to run · Alice · `git push 3`');
    expect(textOf(last(world))).toContain('coder wants to run 1 more call');
    await world.click('p4', 'bob', 'reject', { reason: 'No.' });
    await world.clock.advance(10_000);
    const text = textOf(last(world));
    expect(text).toContain('Nothing waits any more: 2 calls of coder');
    expect(text).toContain('✗ Rejected · Bob · `git push 4`');
    expect(mentionsIn(last(world).blocks)).toEqual([]);
    expect((await world.decided('p4')).outcome).toBe('denied');
  });

  test('that ran shows what came of it, and tells its approvers in the thread if it failed', async () => {
    const world = new World();
    await ask(world, 1, 4);
    await world.click('p3', 'alice');
    const permitId = (await world.decided('p3')).calls[0]?.permit?.permitId ?? '';
    const ran = { callId: 'call', permitId, status: 'failed', durationMs: 5, errorCode: 'exit-1' } as const;
    await world.gate.parts.cards.ran(world.pid('p3'), CHANNEL, ran, 'coder');
    await world.clock.advance(20_000);
    expect(textOf(last(world))).toContain('⚠ Approved, but failed · Alice · `git push 3`');
    expect(world.slack.thread).toHaveLength(1);
    expect(mentionsIn(world.slack.thread)).toEqual(['U0ALICE']);
    expect(lists(world)).toHaveLength(1);
  });

  test('that is edited is asked again, with the new arguments and digest, by the same list', async () => {
    const world = new World();
    await ask(world, 1, 4);
    const before = await world.row('p3');
    await world.edit('p3', 'alice', { command: 'git push changed' });
    await world.clock.advance(20_000);
    const { approval } = await world.row('p3');
    expect(approval.question.digest).not.toBe(before.approval.question.digest);
    expect(textOf(last(world))).toContain('git push changed');
    expect(JSON.stringify(last(world).blocks)).toContain(approval.question.digest);
    expect(JSON.stringify(last(world).blocks)).not.toContain(before.approval.question.digest);
  });

  test('that escalates to another channel is listed there too, and the thread of its list is told once', async () => {
    const approvers =
      '  platform: { members: [alice, olga], channel: approvals }\n  security: { members: [bob], channel: security }';
    const approvals = '{ stages: [{ group: platform, timeout: 10m, escalateTo: security }], timeout: 1h }';
    const world = new World(policyOf({ approvers, approvals }));
    await ask(world, 1, 6);
    await world.clock.advance(12 * MINUTE);
    const there = cards(world, 'C0SECURITY');
    expect(there).toHaveLength(3);
    expect(mentionsIn(there.map(({ blocks }) => blocks))).toEqual(['U0BOB', 'U0BOB', 'U0BOB']);
    for (const at of [1, 2, 3, 4, 5, 6]) expect(there.map(textOf).join()).toContain(`git push ${at}`);
    const told = world.slack.thread.filter((text) => text.includes('did not answer in time'));
    expect(told).toHaveLength(3);
    expect(
      told.filter((text) =>
        /answer 4 calls of coder: git push 3, git push 4, git push 5, git push 6\. The first until/.test(text),
      ),
    ).toHaveLength(1);
    expect(lists(world, 'C0SECURITY').map(textOf).join()).toMatch(/one of security decides/);
    expect(lists(world, 'C0SECURITY').map(textOf).join()).not.toContain('platform');
    await world.click('p3', 'bob');
    await world.clock.advance(10_000);
    for (const channel of [CHANNEL, 'C0SECURITY'])
      expect(lists(world, channel).map(textOf).join()).toContain('✓ Approved, waits to run · Bob · `git push 3`');
  });

  test('that expires, or is withdrawn, says so', async () => {
    const world = new World();
    await ask(world, 1, 4);
    await world.send({ kind: 'cancel', proposalId: 'c', cancels: 'p3' });
    await world.clock.advance(10_000);
    expect(textOf(last(world))).toContain('✗ Cancelled by the agent · `git push 3`');
    await world.clock.advance(65 * MINUTE);
    expect(textOf(last(world))).toContain('⌛ Expired, not run · `git push 4`');
    expect(isList(last(world))).toBe(false);
  });

  test('whose policy changed under it says that it was not run', async () => {
    const world = new World();
    await ask(world, 1, 4);
    world.gate.usePolicy(policyOf({ deny: ["'Bash(git push 3)'"] }));
    await world.click('p3', 'alice');
    await world.clock.advance(10_000);
    expect(textOf(last(world))).toMatch(/(Approved, then denied by policy|Not run: the policy changed).*`git push 3`/);
  });

  test('that ended before anybody saw it is not listed', async () => {
    const world = new World();
    await ask(world, 1, 2);
    world.slack.down = true;
    await ask(world, 3, 4);
    await world.send({ kind: 'cancel', proposalId: 'c', cancels: 'p3' });
    world.slack.down = false;
    await world.clock.advance(5 * MINUTE);
    expect(textOf(last(world))).toContain('coder wants to run 1 more call');
    expect(textOf(last(world))).not.toContain('git push 3');
  });
});

describe('what can go wrong with a list', () => {
  test('somebody deletes the message: the list is posted again', async () => {
    const world = new World();
    await ask(world, 1, 4);
    world.slack.update = async () => false;
    await world.click('p3', 'alice');
    await world.clock.advance(10_000);
    expect(lists(world)).toHaveLength(2);
    const { cards: known } = await world.row('p4');
    expect(known.filter(({ gone }) => !gone)).toHaveLength(1);
    expect(known.filter(({ gone }) => gone)).toHaveLength(1);
  });

  test('the request to draw it is lost: the reconciler finds that nobody sees the call', async () => {
    const lost = { calls: 0 };
    const world: World = new World(policyOf(), {
      wrap: (name, port) => {
        if (name !== 'cards') return port;
        const queue = port as unknown as { list(...given: unknown[]): Promise<void> };
        const send = queue.list.bind(queue);
        return Object.assign(port, {
          list: async (...given: unknown[]) => (lost.calls++ < 2 ? undefined : send(...given)),
        });
      },
    });
    await ask(world, 1, 4);
    await world.clock.advance(6 * MINUTE);
    expect(textOf(last(world))).toContain('coder wants to run 2 more calls');
    expect((await world.row('p4')).cards).toHaveLength(1);
  });

  test('Slack is down for a while: the list comes, with all that waits then', async () => {
    const world = new World();
    await ask(world, 1, 2);
    world.slack.down = true;
    await ask(world, 3, 6);
    expect((await world.row('p3')).cardProblem).toBe('down');
    world.slack.down = false;
    await world.clock.advance(5 * MINUTE);
    expect(lists(world)).toHaveLength(1);
    expect(textOf(last(world))).toContain('coder wants to run 4 more calls');
    expect((await world.row('p3')).cardProblem).toBeUndefined();
  });

  test('drawn twice for nothing, it costs Slack nothing', async () => {
    const world = new World();
    await ask(world, 1, 4);
    const { update } = world.slack;
    let updates = 0;
    world.slack.update = async (...given) => {
      updates += 1;
      return update.apply(world.slack, given);
    };
    const [id = ''] = listIds(world);
    for (const revision of ['a', 'b', 'c']) await world.gate.parts.cards.list(id, CHANNEL, 'coder', revision);
    await world.clock.advance(MINUTE);
    expect(updates).toBe(0);
  });

  test('two runs draw it at once: the last message that Slack took shows the newest state in the end', async () => {
    const world = new World(policyOf({ approvals: MANY }));
    await ask(world, 1, 4);
    const [id = ''] = listIds(world);
    const release: (() => void)[] = [];
    const { update } = world.slack;
    // The first update is slow: Slack takes it after the second one.
    let updates = 0;
    world.slack.update = async (...given) => {
      updates += 1;
      if (updates === 1) await new Promise<void>((resolve) => release.push(resolve));
      return update.apply(world.slack, given);
    };
    await world.click('p3', 'alice');
    await world.click('p4', 'alice');
    const second = drawList(id, drawingOf(world));
    await world.rest();
    for (const one of release) one();
    await second;
    await world.clock.advance(MINUTE);
    expect(textOf(last(world))).toContain('Nothing waits any more: 2 calls of coder');
  });

  test('two runs join it at once: each call is on one list', async () => {
    const world = new World(policyOf({ approvals: MANY }), { poster: silent });
    for (const at of [1, 2]) await world.send(bash(`p${at}`, `git push ${at}`));
    const drawing = drawingOf(world);
    for (const at of [3, 4, 5]) await world.send(bash(`p${at}`, `git push ${at}`));
    await Promise.all(
      [3, 4, 5, 3, 4, 5].map(async (at) => {
        const view = await world.row(`p${at}`);
        return joinList(view, () => renderCard(sourceOf(view), CHANNEL), CHANNEL, drawing);
      }),
    );
    const pids = listIds(world).map(async (id) => (await world.gate.parts.lists.readList(id))?.pids ?? []);
    const listed = (await Promise.all(pids)).flat();
    expect(listed.toSorted()).toEqual([3, 4, 5].map((at) => world.pid(`p${at}`)).toSorted());
  });
});

describe('a hundred asks in a minute', () => {
  test('cost Slack 11 posts and at most 10 updates until all are shown, and at most 30 for a hundred decisions', async () => {
    const slack: LimitedSlack = new LimitedSlack(() => world.clock);
    const world: World = new World(policyOf(AGENT), { poster: slack, limits: MANY_WAIT });
    for (let at = 0; at < 100; at++) {
      await world.send(bash(`p${at}`, `git push ${at}`));
      await world.clock.advance(500);
    }
    await world.clock.advance(2 * MINUTE);
    const shown = await Promise.all([...Array(100).keys()].map(async (at) => (await world.row(`p${at}`)).cards.length));
    expect(shown.every((count) => count === 1)).toBe(true);
    expect(slack.posted).toHaveLength(11);
    expect(slack.updates).toBeLessThanOrEqual(10);

    const before = slack.updates;
    for (let at = 0; at < 100; at++) {
      await world.click(`p${at}`, 'alice');
      await world.clock.advance(600);
    }
    await world.clock.advance(2 * MINUTE);
    expect(slack.updates - before).toBeLessThanOrEqual(30);
  });
});

const silent: SlackPoster = {
  post: async (channel) => ({ channel, ts: '1.1' }),
  update: async () => true,
  reply: async () => undefined,
  announce: async () => undefined,
  message: async () => undefined,
};

const listIds = (world: World): string[] =>
  [...world.gate.parts.state.cardLists.keys()].flatMap((key) => (key.startsWith('of#') ? [key.slice(3)] : []));

const drawingOf = (world: World): Drawing => {
  const { approvals, history, lists: stored, clock, rates, cards: queue, policy } = world.gate.parts;
  const { newCards } = policy.settings.approvals;
  return { approvals, history, lists: stored, clock, rates, cards: queue, newCards, poster: world.slack };
};
