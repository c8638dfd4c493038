/** Checks that a question is asked however long an outage lasts (A7, A8, A22, G27). */
import { describe, expect, test } from 'vitest';
import { SlackProblemError } from '../../../../shared/adapters/slack/posting/errors.ts';
import { DEFAULT_LIMITS } from '../../../../shared/ports/stores/claim-store.ts';
import { ReplyQueueUnknownError, ReplyRefusedError } from '../../../../shared/ports/stores/outbox.ts';
import { Outages } from '../outages.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const LONG = { approvals: '{ approvers: platform, timeout: 5d }' };

/** A backlog is a matter of hours, not of these tests. */
const MANY = { ...DEFAULT_LIMITS, perAgent: 1_000, perGroup: 1_000 };

function worldWithOutages(parts: PolicyParts = LONG) {
  const outages: Outages = new Outages(() => world);
  const world: World = new World(policyOf(parts), { wrap: outages.wrap, limits: MANY });
  return { world, outages };
}

const EVERY_STORE = ['approvals', 'journal', 'audit', 'sessions', 'permits', 'claims', 'rates'];
const OUTAGES = {
  'the cards queue': ['cards'],
  'the function that begins the wait': ['approvals.storeToken'],
  'the tables': EVERY_STORE,
  'the tables and all queues': [...EVERY_STORE, 'cards', 'replies', 'deferred'],
  'Step Functions': ['workflow'],
} as const;
const INTAKE = ['claims', 'rates', 'sessions'];
const LENGTHS = { 'three minutes': 3 * MINUTE, 'three hours': 3 * HOUR, 'a weekend': 62 * HOUR } as const;

describe.each(Object.entries(LENGTHS))('after %s', (_, length) => {
  test.each(Object.entries(OUTAGES))(
    'without %s the card is posted within two minutes, and decided on',
    async (_, ports) => {
      const { world, outages } = worldWithOutages();
      // The approval is opened; from its next step on everything is out of service.
      outages.begin(
        ports.filter((port) => !INTAKE.includes(port)),
        length,
      );
      await world.send(bash('p1'));
      outages.begin(ports, length);
      await world.clock.advance(length + 2 * MINUTE);
      expect(world.slack.titles).toHaveLength(1);
      await world.click('p1', 'alice');
      await world.clock.advance(2 * MINUTE);
      expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
      expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
    },
  );

  test('without Slack it is posted within two minutes', async () => {
    const { world } = worldWithOutages();
    world.slack.down = true;
    await world.send(bash('p1'));
    await world.clock.advance(length);
    world.slack.down = false;
    await world.clock.advance(2 * MINUTE);
    expect(world.slack.titles).toHaveLength(1);
  });

  test('in which the requests for its card were lost, it is posted within two minutes', async () => {
    const { world } = worldWithOutages();
    const { refresh } = world.gate.parts.cards;
    world.gate.parts.cards.refresh = async () => undefined;
    await world.send(bash('p1'));
    await world.clock.advance(length);
    world.gate.parts.cards.refresh = refresh;
    await world.clock.advance(2 * MINUTE);
    expect(world.slack.titles).toHaveLength(1);
  });
});

test('an approval that expired meanwhile is told of its end, and never posted', async () => {
  const { world, outages } = worldWithOutages({});
  outages.begin(['cards', 'approvals.storeToken', 'replies'], 3 * HOUR);
  await world.send(bash('p1'));
  await world.clock.advance(3 * HOUR);
  expect(world.slack.titles).toEqual([]);
  await world.clock.advance(2 * MINUTE);
  expect(await world.decided('p1')).toMatchObject({ outcome: 'expired' });
  expect(world.slack.titles).toEqual([]);
});

test('while Slack is down a weekend, one approval asks for its card a few times only', async () => {
  const { world } = worldWithOutages();
  const { refresh } = world.gate.parts.cards;
  let asked = 0;
  world.gate.parts.cards.refresh = async (...args) => {
    asked += 1;
    await refresh(...args);
  };
  world.slack.down = true;
  await world.send(bash('p1'));
  await world.clock.advance(62 * HOUR);
  expect(asked).toBeLessThan(80);
});

describe('the reconciler', () => {
  test('repairs what is behind a hundred rows that cannot be read, within a minute', async () => {
    const { world } = worldWithOutages();
    const { state } = world.gate.parts;
    for (let index = 0; index < 100; index++)
      await world.send(bash(`bad-${index}`, `git push ${index}`), { agent: 'writer' });
    await breakRows(world);
    await world.send(bash('p1'));
    // The vote is written, and the process that was to wake the workflow stopped.
    const { completeWait: wake } = world.gate.parts.workflow;
    world.gate.parts.workflow.completeWait = async () => Promise.reject(new Error('stopped'));
    await world.click('p1', 'alice').catch(() => undefined);
    world.gate.parts.workflow.completeWait = wake;
    expect(state.approvals.size).toBe(101);
    await world.clock.advance(2 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test('sets a row that cannot be read back, further each time, and says so', async () => {
    const { world } = worldWithOutages();
    await world.send(bash('p1'));
    await breakRows(world);
    const { state } = world.gate.parts;
    const pid = world.pid('p1');
    state.approvals.set(pid, { ...row(world), dueAt: world.clock.now() });
    const pauses: number[] = [];
    for (let round = 0; round < 6; round++) {
      const before = world.clock.now();
      const { failed } = await world.gate.reconcile();
      expect(failed.map((one) => one.pid)).toEqual([pid]);
      pauses.push(((row(world).dueAt ?? 0) - before) / MINUTE);
      world.clock.jump((row(world).dueAt ?? 0) - before);
    }
    expect(pauses).toEqual([1, 2, 4, 8, 15, 15]);
  });

  test('lets go of a due row that belongs to nothing, and counts it', async () => {
    const { world } = worldWithOutages();
    await world.send(bash('p1'));
    const { state } = world.gate.parts;
    state.proposals.delete(world.pid('p1'));
    state.approvals.set(world.pid('p1'), { ...row(world), dueAt: world.clock.now() });
    expect((await world.gate.reconcile()).orphans).toEqual([world.pid('p1')]);
    expect(await world.gate.reconcile()).toMatchObject({ looked: 0, orphans: [] });
  });

  test('works every page of what is due, and says how long the oldest had waited', async () => {
    const { world } = worldWithOutages({
      ...LONG,
      agents: '  coder: { owner: olga, rate: { perSecond: 1000, burst: 2000 } }',
    });
    world.slack.down = true;
    for (let index = 0; index < 1_000; index++) await world.send(bash(`p${index}`, `git push ${index}`));
    world.clock.jump(5 * MINUTE);
    const { looked, oldestMs } = await world.gate.reconcile();
    expect(looked).toBe(1_000);
    expect(oldestMs).toBe(4 * MINUTE);
    expect(await world.gate.reconcile()).toMatchObject({ looked: 0, oldestMs: 0 });
  });

  test('looks at nothing whose card stands for six hours, unless time or people do something to it', async () => {
    const { world } = worldWithOutages();
    await world.send(bash('p1'));
    await world.clock.advance(30 * MINUTE);
    expect(row(world).dueAt).toBe(Date.parse((await world.row('p1')).approval.requestedAt) + 6 * HOUR);
  });
});

describe('an agent whose own queue takes nothing', () => {
  const dead = (parts?: PolicyParts) => {
    const { world } = worldWithOutages(parts);
    world.gate.replies.send = async () => Promise.reject(new ReplyRefusedError('gone'));
    return world;
  };

  test('costs one approval a few tries: its decision stands, nothing stays due, the loss is counted', async () => {
    const world = dead();
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    await world.clock.advance(10 * MINUTE);
    expect(row(world).dueAt).toBeUndefined();
    expect(world.gate.replies.givenUp('coder')).toBe(1);
    expect(world.gate.workflow.failed.size).toBe(0);
    const faults = world.faults.length;
    await world.clock.advance(HOUR);
    expect(world.faults).toHaveLength(faults);
  });

  test('does not bring automatic decisions to the dead letters', async () => {
    const world = dead();
    await world.send(bash('auto', 'git status'));
    await world.clock.advance(30 * MINUTE);
    expect(await world.decided('auto')).toMatchObject({ outcome: 'approved' });
    expect(world.faults.length).toBeLessThanOrEqual(3);
    expect(world.gate.queues.proposals.deadLetters).toEqual([]);
    expect(world.gate.replies.givenUp('coder')).toBe(1);
  });

  test('does not keep identical calls from their answer', async () => {
    const world = dead();
    await world.send(bash('p1'));
    await world.send(bash('p2'));
    await world.click('p1', 'alice');
    expect(await world.decided('p2')).toMatchObject({ outcome: 'approved' });
  });
});

describe('while the service of agents’ own queues is out', () => {
  test('decisions are tried for hours, further apart each time, and none is counted as lost', async () => {
    const { world, outages } = worldWithOutages();
    outages.begin(['replies.send'], 5 * HOUR);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    await world.clock.advance(HOUR);
    expect(world.gate.replies.givenUp('coder')).toBe(0);
    const due = row(world).dueAt ?? 0;
    expect(due).toBeGreaterThan(world.clock.now());
    expect(due).toBeLessThanOrEqual(world.clock.now() + 15 * MINUTE);
    await world.clock.advance(4 * HOUR + 16 * MINUTE);
    expect(world.gate.replies.sentTo('coder')).toHaveLength(1);
    expect(world.gate.replies.givenUp('coder')).toBe(0);
    expect(row(world).dueAt).toBeUndefined();
  });

  test.each([
    ['a queue that does not answer counts as lost', new Error('timeout'), 1],
    ['one that nobody could look up does not', new ReplyQueueUnknownError('SSM'), 0],
  ])('after six hours it ends; %s', async (_, fault, lost) => {
    const { world } = worldWithOutages();
    world.gate.replies.send = async () => Promise.reject(fault);
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    await world.clock.advance(7 * HOUR);
    expect(row(world).dueAt).toBeUndefined();
    expect(world.gate.replies.givenUp('coder')).toBe(lost);
  });
});

describe('a card that fails for a reason of its own', () => {
  test('goes aside after three tries, is noted in its row, and the channel moves on', async () => {
    const { world } = worldWithOutages();
    const { post } = world.slack;
    world.slack.post = async (channel, card) => {
      if (JSON.stringify(card).includes('git push bad')) throw new SlackProblemError('restricted_action');
      return post.call(world.slack, channel, card);
    };
    await world.send(bash('p1', 'git push bad'));
    await world.send(bash('p2', 'git push good'));
    await world.clock.advance(MINUTE);
    expect(world.slack.titles).toHaveLength(1);
    expect((await world.row('p1')).cardProblem).toBe('refused');
    world.slack.post = post;
    await world.clock.advance(20 * MINUTE);
    expect(world.slack.titles).toHaveLength(2);
    expect((await world.row('p1')).cardProblem).toBeUndefined();
  });

  test('so does one whose row cannot be read', async () => {
    const { world } = worldWithOutages();
    const { read } = world.gate.parts.approvals;
    const pid = world.pid('p1');
    world.gate.parts.approvals.read = async (one) => {
      if (one === pid) throw new TypeError('no such property');
      return read(one);
    };
    await world.send(bash('p1')).catch(() => undefined);
    await world.gate.parts.cards.refresh(pid, 'C0APPROVALS', 'test', { agent: 'coder', only: 'post' });
    await world.send(bash('p2', 'git push good'));
    await world.clock.advance(MINUTE);
    expect(world.slack.titles).toHaveLength(1);
    expect(world.gate.parts.state.approvals.get(pid)?.cardProblem).toBe('cannot_draw');
  });

  test('of a decided call costs its agent no second reply', async () => {
    const { world } = worldWithOutages({ approvals: '{ approvers: platform, timeout: 5d }' });
    await world.send(bash('p1'));
    let updates = 0;
    world.slack.update = async () => {
      updates += 1;
      throw new SlackProblemError('restricted_action');
    };
    await world.click('p1', 'alice');
    await world.clock.advance(3 * HOUR);
    expect(updates).toBeGreaterThan(6);
    expect(world.gate.replies.sentTo('coder')).toHaveLength(1);
  });

  test.each([
    ['that waits', 2, '1 so far (Alice)'],
    ['that was decided', 1, 'Approved'],
  ])('an update of a card %s is tried again within a quarter of an hour', async (_, quorum, text) => {
    const { world } = worldWithOutages({
      approvers: '  platform: { members: [alice, bob, olga], channel: approvals }',
      approvals: `{ stages: [{ group: platform, quorum: ${quorum} }], timeout: 5d }`,
    });
    await world.send(bash('p1'));
    const [asked] = world.slack.titles;
    const { update } = world.slack;
    let updates = 0;
    world.slack.update = async () => {
      updates += 1;
      throw new SlackProblemError('restricted_action');
    };
    await world.click('p1', 'alice');
    await world.clock.advance(2 * MINUTE);
    expect(updates).toBe(3);
    expect(world.slack.titles).toEqual([asked]);
    const drawn: string[] = [];
    world.slack.update = async (at, card) => {
      drawn.push(JSON.stringify(card));
      return update.call(world.slack, at, card);
    };
    await world.clock.advance(15 * MINUTE);
    expect(drawn.at(-1)).toContain(text);
    expect((await world.row('p1')).cardProblem).toBeUndefined();
    const due = row(world).dueAt;
    expect(due === undefined || due > world.clock.now() + HOUR, 'nobody looks at it any more').toBe(true);
  });

  test('of a decided row it is let go of a day after the end', async () => {
    const { world } = worldWithOutages();
    await world.send(bash('p1'));
    let updates = 0;
    world.slack.update = async () => {
      updates += 1;
      throw new SlackProblemError('restricted_action');
    };
    await world.click('p1', 'alice');
    await world.clock.advance(20 * HOUR);
    const before = updates;
    await world.clock.advance(HOUR);
    expect(updates).toBeGreaterThan(before);
    await world.clock.advance(4 * HOUR);
    expect(row(world).dueAt).toBeUndefined();
    const made = updates;
    await world.clock.advance(5 * HOUR);
    expect(updates).toBe(made);
  });

  test.each(['ekm_access_denied', 'org_login_required', 'accesslimited', 'team_access_not_granted'])(
    'is none where Slack answers %s, which every card would meet: it waits in its line',
    async (answer) => {
      const { world } = worldWithOutages();
      const { post } = world.slack;
      world.slack.post = async () => Promise.reject(new SlackProblemError(answer));
      await world.send(bash('p1'));
      await world.clock.advance(2 * MINUTE);
      expect((await world.row('p1')).cardProblem).toBe('down');
      expect(world.gate.queues.cards.isIdle).toBe(false);
      world.slack.post = post;
      await world.clock.advance(2 * MINUTE);
      expect(world.slack.titles).toHaveLength(1);
    },
  );

  test('is also one whose fault is neither Slack’s nor the network’s: its line moves on', async () => {
    const { world } = worldWithOutages();
    const { post } = world.slack;
    world.slack.post = async (channel, card) => {
      if (JSON.stringify(card).includes('git push bad')) throw new TypeError('no such property');
      return post.call(world.slack, channel, card);
    };
    await world.send(bash('p1', 'git push bad'));
    await world.send(bash('p2', 'git push good'));
    await world.clock.advance(MINUTE);
    expect(world.slack.titles).toHaveLength(1);
    expect((await world.row('p1')).cardProblem).toBe('cannot_draw');
  });

  test('an old card in a channel that was archived stops nothing', async () => {
    const { world } = worldWithOutages({
      approvals: '{ stages: [{ group: platform }, { group: security }], timeout: 1h }',
    });
    await world.send(bash('p1'));
    const { update } = world.slack;
    world.slack.update = async (at, card) => {
      if (at.channel === 'C0APPROVALS') throw new SlackProblemError('is_archived');
      return update.call(world.slack, at, card);
    };
    await world.click('p1', 'alice');
    await world.clock.advance(MINUTE);
    expect([...world.slack.cards.keys()].filter((key) => key.startsWith('C0SECURITY'))).toHaveLength(1);
    expect((await world.row('p1')).cardProblem).toBeUndefined();
    expect(world.gate.queues.cards.isIdle).toBe(true);
    expect(world.faults).toEqual([]);
  });
});

const row = (world: World, id = 'p1') => {
  const found = world.gate.parts.state.approvals.get(world.pid(id));
  if (!found) throw new Error(`no row of ${id}`);
  return found;
};

/** Every row that there is, as a release would find it that knows none of its fields. */
async function breakRows(world: World): Promise<void> {
  const { approvals } = world.gate.parts.state;
  for (const [pid, one] of approvals) approvals.set(pid, { ...one, approval: { json: '{"status":"pending"}' } });
}
