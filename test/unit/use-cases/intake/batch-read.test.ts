/** Checks the one read of a batch: the rows that it leaves out, its claims, and when it begins. */
import { describe, expect, test } from 'vitest';
import { EVERY_SESSION } from '../../../../shared/contract/session.ts';
import type { ClaimStore } from '../../../../shared/ports/stores/claim-store.ts';
import type { RateLimitStore } from '../../../../shared/ports/stores/guardrail-state.ts';
import { bash, policyOf, World } from '../world.ts';

const CLASSIFIER = 'classifier: { model: { provider: anthropic, secret: llm, model: claude-haiku-4-5 } }';

/** A world that notes its reads and bookings, in their order. */
function noting(more?: string, agents?: string, peeked?: RateLimitStore['peek']) {
  const reads: Parameters<ClaimStore['readBatch']>[] = [];
  const steps: string[] = [];
  const wrap = <Port extends object>(name: string, port: Port): Port => {
    if (name === 'claims') {
      const claims = port as unknown as ClaimStore;
      const readBatch: ClaimStore['readBatch'] = async (...given) => {
        reads.push(given);
        steps.push('read');
        return claims.readBatch(...given);
      };
      return { ...claims, readBatch } as unknown as Port;
    }
    if (name !== 'rates') return port;
    const rates = port as unknown as RateLimitStore;
    const book: RateLimitStore['book'] = async (...given) => {
      steps.push('book');
      const waits = await rates.book(...given);
      steps.push('booked');
      return waits;
    };
    return {
      book,
      peek: peeked ?? ((bucket) => rates.peek(bucket)),
    } satisfies Partial<RateLimitStore> as unknown as Port;
  };
  const policy = policyOf({ ...(more ? { more } : {}), ...(agents ? { agents } : {}) });
  return { world: new World(policy, { wrap }), reads, steps };
}

describe('recent calls', () => {
  test.each([
    ['are read where the policy has a model that judges calls', CLASSIFIER, false],
    ['are left out where no model is told of them', undefined, true],
  ])('%s', async (_, more, withoutRecent) => {
    const { world, reads } = noting(more);
    await world.send(bash('p1', 'git status'));
    expect(reads[0]?.[0][0]?.sessions).toMatchObject([
      { agent: 'coder', sessionId: 'main', withoutRecent },
      { agent: 'coder', sessionId: EVERY_SESSION },
    ]);
  });
});

describe('denials of the day', () => {
  const lead = '  lead: { owner: olga }';
  test.each([
    ['are read where a model judges calls', CLASSIFIER, undefined, false],
    ['are read where patterns judge calls', "classifier: { deny: ['Bash(git clean:*)'] }", undefined, false],
    [
      'are read of an agent whose parent may deny',
      undefined,
      `${lead}\n  coder: { owner: olga, parents: [lead] }`,
      false,
    ],
    ['are left out of an agent that neither denies', undefined, `${lead}\n  coder: { owner: olga }`, true],
  ])('%s', async (_, more, agents, withoutDenials) => {
    const { world, reads } = noting(more, agents);
    await world.send(bash('p1', 'git status'));
    expect(reads[0]?.[0][0]?.sessions).toMatchObject([
      { agent: 'coder', sessionId: 'main', withoutDenials },
      { agent: 'coder', sessionId: EVERY_SESSION, withoutDenials },
    ]);
  });
});

describe('a batch of a sender', () => {
  test('is read while its rate is booked, if it is known to be below it', async () => {
    const { world, steps } = noting();
    await world.send(bash('p1', 'git status'));
    expect(steps).toEqual(['read', 'book', 'booked']);
    expect(await world.decision('p1')).toMatchObject({ outcome: 'approved' });
  });

  test('is read once it is admitted, as long as nothing is known of its rate', async () => {
    const { world, steps } = noting(undefined, undefined, () => undefined);
    await world.send(bash('p1', 'git status'));
    expect(steps).toEqual(['book', 'booked', 'read']);
  });

  test('is not read ahead where its rate was used up when it was looked at last', async () => {
    const { world, steps } = noting(undefined, '  coder: { owner: olga, rate: { perSecond: 1, burst: 10 } }');
    for (let n = 0; n < 10; n++) await world.send(bash(`p${n}`, 'git status'));
    steps.length = 0;
    await world.send(bash('late', 'git status'));
    expect(steps.slice(0, 2)).toEqual(['book', 'booked']);
  });
});

test('a claim that was put a moment ago and is not seen is found by the put, and the first answer stands', async () => {
  let isBlind = false;
  const wrap = <Port extends object>(name: string, port: Port): Port => {
    if (name !== 'claims') return port;
    const claims = port as unknown as ClaimStore;
    const readBatch: ClaimStore['readBatch'] = async (keys, day, read) => {
      const view = await claims.readBatch(keys, day, read);
      return isBlind && read === 'likely' ? { ...view, claims: new Map() } : view;
    };
    return { ...claims, readBatch } as unknown as Port;
  };
  const world = new World(undefined, { wrap });
  await world.send(bash('p1', 'git status'));
  await world.send(bash('p2', 'git push'));
  const [allowed, waiting] = [await world.decision('p1'), await world.row('p2')];
  isBlind = true;
  await world.send(bash('p1', 'git status'));
  await world.send(bash('p2', 'git push'));
  expect(await world.decision('p1')).toEqual(allowed);
  expect(await world.row('p2')).toEqual(waiting);
  expect(world.waiting('agent', 'coder')).toBe(1);
  await world.send(bash('p1', 'rm -rf /'));
  expect(await world.decision('p1')).toEqual(allowed);
});
