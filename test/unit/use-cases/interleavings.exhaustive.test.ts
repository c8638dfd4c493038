/**
 * Runs the use cases themselves in every order that fast-check chooses (G18, G33).
 *
 * Every call of every port is held back and let go: people, a cancel, the workflow, its late deliveries and the
 * reconciler, on one approval.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { requestApproval } from '../../../shared/use-cases/approvals/request-approval.ts';
import { resolveApproval } from '../../../shared/use-cases/approvals/resolution/resolve-approval.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { intake } from '../../../shared/use-cases/intake/evaluation/intake.ts';
import { reconcile } from '../../../shared/use-cases/reconcile/reconcile.ts';
import { bash, PEOPLE, policyOf, World } from './world.ts';

const MINUTE = 60_000;
/** People have ten minutes, so that a test need not play an hour. */
const SHORT = policyOf({ approvals: '{ approvers: platform, timeout: 10m }' });

/** Lets each port call through when the scheduler says so; until it is switched on, at once. */
class Held {
  scheduler: fc.Scheduler | undefined;
  readonly wrap = <Port extends object>(name: string, port: Port): Port =>
    new Proxy(port, {
      get: (target, key) => {
        const value: unknown = Reflect.get(target, key, target);
        if (typeof value !== 'function') return value;
        return async (...args: unknown[]) => {
          await this.scheduler?.schedule(Promise.resolve(), `${name}.${String(key)}`);
          return value.apply(target, args);
        };
      },
    });
}

const ACTS = ['approve', 'reject', 'cancel', 'resume', 'reconcile', 'redeliver', 'request again'] as const;
type Act = (typeof ACTS)[number];

/** One actor; what it throws is a retry on AWS and no effect here. */
async function run(act: Act, world: World): Promise<void> {
  const { parts } = world.gate;
  const { approval } = await world.row('p1');
  const incoming = (message: unknown) => ({
    messageId: `${act}-${world.ids.next()}`,
    raw: JSON.stringify(message),
    principal: 'memory/agents/coder',
    firstSentAt: Date.parse(approval.requestedAt),
    rounds: 0,
  });
  const click = (who: 'alice' | 'bob', choice: 'approve' | 'reject') =>
    vote(
      {
        pid: approval.pid,
        person: PEOPLE[who],
        isBot: false,
        ballot: { choice, reason: 'because', questionDigest: approval.question.digest, via: 'slack' },
        requestId: world.ids.next(),
      },
      parts,
    );
  switch (act) {
    case 'approve':
      await click('alice', 'approve');
      return;
    case 'reject':
      await click('bob', 'reject');
      return;
    case 'cancel':
      await Promise.allSettled(
        intake([incoming({ kind: 'cancel', proposalId: world.ids.next(), cancels: 'p1' })], parts),
      );
      return;
    case 'redeliver':
      await Promise.allSettled(intake([incoming(bash('p1'))], parts));
      return;
    case 'resume':
      await resolveApproval(approval.pid, parts);
      return;
    case 'reconcile':
      await reconcile(parts, Number.POSITIVE_INFINITY);
      return;
    case 'request again': {
      const token = { token: world.ids.next(), enteredAt: new Date(world.clock.now()).toISOString(), retryCount: 1 };
      await requestApproval(approval.pid, token, parts).catch(() => undefined);
      return;
    }
    default:
      act satisfies never;
  }
}

test('for all orders of all port calls of up to four actors: one end, one decision, and nothing approved without people', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.scheduler(),
      fc.array(fc.constantFrom(...ACTS), { minLength: 2, maxLength: 4 }),
      fc.constantFrom(0, 11 * MINUTE),
      async (scheduler, acts, later) => {
        const held = new Held();
        const world = new World(SHORT, { wrap: held.wrap, reconcileEveryMs: 0 });
        await world.send(bash('p1'));
        // Without firing the workflow's timer: its time-out is one of the actors.
        world.clock.jump(later);
        held.scheduler = scheduler;
        await scheduler.waitFor(Promise.all(acts.map((act) => run(act, world))));
        held.scheduler = undefined;
        await scheduler.waitIdle();
        for (let minute = 0; minute < 14; minute++) {
          await world.clock.advance(MINUTE);
          await world.gate.reconcile();
        }

        const { approval, decision } = await world.row('p1');
        const record = await world.audit('p1');
        expect(decision).toBeDefined();
        expect(record.filter(({ type }) => type === 'decided')).toHaveLength(1);
        expect(record.filter(({ type }) => type === 'vote')).toHaveLength(approval.votes.length);
        expect(approval.votes.length).toBeLessThanOrEqual(1);
        expect(approval.version).toBe(1);
        expect(decision?.outcome).toBe(approval.status === 'rejected' ? 'denied' : approval.status);
        if (decision?.outcome === 'approved') expect(approval.votes[0]?.choice).toBe('approve');
        if (later) expect(approval.votes).toEqual([]);
        for (const reply of world.gate.replies.sentTo('coder')) expect(reply).toEqual(decision);
        expect([world.waiting('agent', 'coder'), world.waiting('group', 'platform')]).toEqual([0, 0]);
        expect(await world.look.approvals.due(Number.MAX_SAFE_INTEGER, 5)).toEqual([]);
        expect(world.gate.workflow.waiting).toBe(0);
      },
    ),
    { numRuns: 150 },
  );
});

test('for all orders of a wait that begins and a vote that ends it: one of the two sees the other, and no time has to pass (A7)', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.constantFrom<Act>('approve', 'reject', 'cancel'), async (scheduler, act) => {
      const held = new Held();
      const later = <Port extends object>(name: string, port: Port): Port =>
        name === 'workflow' ? { ...port, start: async () => undefined } : held.wrap(name, port);
      const world = new World(undefined, { wrap: later, reconcileEveryMs: 0 });
      await world.send(bash('p1'));
      const { approval } = await world.row('p1');

      held.scheduler = scheduler;
      await world.gate.workflow.start(approval.pid, approval.expiresAt);
      await scheduler.waitFor(run(act, world));
      // Each call that is let go may lead to another one.
      for (let turn = 0; turn < 20; turn++) {
        await scheduler.waitIdle();
        await world.rest();
      }
      expect(await world.decision('p1')).toBeDefined();
      expect(world.gate.workflow.waiting).toBe(0);
    }),
    { numRuns: 100 },
  );
});
