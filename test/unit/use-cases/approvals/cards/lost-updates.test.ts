/** Checks that a card whose update was lost is drawn again by the next click on it. */
import { expect, test } from 'vitest';
import type { ApprovalStore } from '../../../../../shared/ports/stores/approval-store.ts';
import type { CardQueue } from '../../../../../shared/ports/stores/outbox.ts';
import { bash, policyOf, World } from '../../world.ts';

const MINUTE = 60_000;

/** `lost`: what is put into the queue of cards is gone, and the queue takes nothing twice, as those of SQS within five minutes. */
function worldWithQueue(document = policyOf()) {
  const queue = { lost: false, requests: [] as string[], postponed: 0 };
  const world = new World(document, {
    wrap: (name, port) => {
      if (name === 'approvals') {
        const approvals = port as unknown as ApprovalStore;
        const postpone: ApprovalStore['postpone'] = (...given) => {
          queue.postponed += 1;
          return approvals.postpone(...given);
        };
        return Object.assign(Object.create(approvals), { postpone }) as typeof port;
      }
      if (name !== 'cards') return port;
      const cards = port as unknown as CardQueue;
      const refresh: CardQueue['refresh'] = async (pid, channel, revision, line) => {
        const id = `${pid}#${revision}#${line?.only}`;
        if (queue.requests.includes(id)) return;
        queue.requests.push(id);
        if (!queue.lost) await cards.refresh(pid, channel, revision, line);
      };
      return Object.assign(Object.create(cards), { refresh }) as typeof port;
    },
  });
  return { world, queue };
}

test('a decided card that still asks says how it ended once anybody clicks, and costs one request', async () => {
  const { world, queue } = worldWithQueue();
  await world.send(bash('p1'));
  queue.lost = true;
  await world.click('p1', 'alice');
  await world.clock.advance(10 * MINUTE);
  queue.lost = false;
  expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  expect(world.slack.titles).toEqual([expect.stringContaining('wants to run')]);
  expect(await world.click('p1', 'bob', 'reject')).toMatchObject({ kind: 'refused', refusal: 'already_decided' });
  expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
  const asked = queue.requests.length;
  await world.click('p1', 'bob', 'reject');
  expect(queue.requests).toHaveLength(asked);
});

test('a click a minute later asks once more, because the first drawing may have been lost', async () => {
  const { world, queue } = worldWithQueue();
  await world.send(bash('p1'));
  queue.lost = true;
  await world.click('p1', 'alice');
  await world.clock.advance(10 * MINUTE);
  await world.click('p1', 'bob', 'reject');
  queue.lost = false;
  await world.click('p1', 'bob', 'reject');
  expect(world.slack.titles).toEqual([expect.stringContaining('wants to run')]);
  await world.clock.advance(MINUTE);
  await world.click('p1', 'bob', 'reject');
  expect(world.slack.titles).toEqual([expect.stringContaining('Approved')]);
});

test('so does one that expired', async () => {
  const { world, queue } = worldWithQueue();
  await world.send(bash('p1'));
  queue.lost = true;
  await world.clock.advance(24 * 60 * MINUTE);
  queue.lost = false;
  await world.click('p1', 'alice');
  expect(world.slack.titles).toEqual([expect.stringContaining('Expired')]);
});

test('a card with the call of before an edit shows the changed one', async () => {
  const { world, queue } = worldWithQueue();
  await world.send(bash('p1'));
  const { questionDigest } = { questionDigest: (await world.row('p1')).approval.question.digest };
  queue.lost = true;
  await world.edit('p1', 'alice', { command: 'git push origin changed' });
  await world.clock.advance(5 * MINUTE);
  queue.lost = false;
  expect(JSON.stringify([...world.slack.cards.values()])).not.toContain('origin changed');
  const late = await world.click('p1', 'bob', 'approve', { questionDigest });
  expect(late).toMatchObject({ kind: 'refused', refusal: 'stale_digest' });
  expect(JSON.stringify([...world.slack.cards.values()])).toContain('origin changed');
});

test('a click that the queue of cards cannot follow is answered all the same', async () => {
  const { world } = worldWithQueue();
  await world.send(bash('p1'));
  await world.click('p1', 'alice');
  world.gate.parts.cards.refresh = () => Promise.reject(new Error('no queue'));
  expect(await world.click('p1', 'bob', 'reject')).toMatchObject({ kind: 'refused', refusal: 'already_decided' });
});

test('late clicks on a card that is as it should be ask for one update, and write nothing to the row', async () => {
  const { world, queue } = worldWithQueue();
  await world.send(bash('p1'));
  const { digest: questionDigest } = (await world.row('p1')).approval.question;
  await world.edit('p1', 'alice', { command: 'git push origin changed' });
  await world.clock.advance(5 * MINUTE);
  const { postponed } = queue;
  const requests = queue.requests.length;
  for (const who of ['bob', 'alice', 'bob', 'alice'] as const)
    expect(await world.click('p1', who, 'approve', { questionDigest })).toMatchObject({ refusal: 'stale_digest' });
  expect(queue.requests.slice(requests)).toEqual([expect.stringMatching(/#update$/)]);
  expect(queue.postponed).toBe(postponed);
});
