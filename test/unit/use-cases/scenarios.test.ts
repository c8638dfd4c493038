/**
 * Checks scenarios of the security cases, by their ids (areas token and audit).
 *
 * Scenarios: tokens of waits, and the record of decisions.
 */
import { describe, expect, test } from 'vitest';
import { actionDigest, sha256Hex } from '../../../shared/domain/digest.ts';
import type { Workflow } from '../../../shared/ports/workflow.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { bash, PEOPLE, policyOf, World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('the token of a wait', () => {
  test('T-003 of another execution, put into the row, ends neither wait wrongly: each resume looks at its own row', async () => {
    const world = new World(policyOf(), { reconcileEveryMs: 0 });
    await world.send(bash('p1', 'git push one'));
    await world.send(bash('p2', 'git push two'));
    const { approvals } = world.gate.parts;
    const foreign = await approvals.readToken(world.pid('p2'));
    if (!foreign) throw new Error('p2 does not wait');
    await approvals.storeToken(world.pid('p1'), { ...foreign, retryCount: foreign.retryCount + 1 });
    await world.click('p1', 'alice');
    expect(await world.decision('p2')).toBeUndefined();
    expect((await world.row('p2')).approval).toMatchObject({ status: 'pending', votes: [] });
    await world.clock.advance(3 * MINUTE);
    await world.gate.reconcile();
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(await world.decision('p2')).toBeUndefined();
  });

  test('T-005 that nothing waits on any more leaves the row as it is; one decision is reported, once', async () => {
    let woken = 0;
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) =>
        name === 'workflow'
          ? {
              ...port,
              completeWait: async () => {
                woken += 1;
                return 'gone' as const;
              },
            }
          : port,
    });
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    const after = (await world.row('p1')).approval;
    expect(woken).toBe(1);
    expect(after.status).toBe('approved');
    await world.clock.advance(3 * MINUTE);
    await world.gate.reconcile();
    await world.gate.reconcile();
    expect((await world.row('p1')).approval).toEqual(after);
    expect((await world.audit('p1')).filter(({ type }) => type === 'decided')).toHaveLength(1);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test('T-007 is used once by the reconciler if the process died between the vote and the call of resume', async () => {
    const wakes: unknown[] = [];
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) => {
        if (name === 'resumer') return { ...port, resume: () => Promise.reject(new Error('the process died')) };
        if (name !== 'workflow') return port;
        const { completeWait } = port as unknown as Workflow;
        return {
          ...port,
          completeWait: async (...token: Parameters<Workflow['completeWait']>) => {
            const result = await completeWait(...token);
            wakes.push(result);
            return result;
          },
        };
      },
    });
    await world.send(bash('p1'));
    await expect(world.click('p1', 'alice')).rejects.toThrow('died');
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(MINUTE);
    await world.gate.reconcile();
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    await world.clock.advance(5 * MINUTE);
    await world.gate.reconcile();
    expect(wakes.filter((result) => result === 'woken')).toHaveLength(1);
  });

  test('T-009 an approval at the very end of the time and the time-out agree on one end', async () => {
    for (const early of [1, 0]) {
      const world = new World();
      await world.send(bash('p1'));
      await world.clock.advance(HOUR - early);
      const [voted] = await Promise.all([world.click('p1', 'alice'), world.clock.advance(2 * MINUTE)]);
      const { approval } = await world.row('p1');
      const decision = await world.decided('p1');
      expect([approval.status, decision.outcome]).toEqual(
        voted.kind === 'counted' ? ['approved', 'approved'] : ['expired', 'expired'],
      );
      expect((await world.audit('p1')).filter(({ type }) => type === 'decided')).toHaveLength(1);
    }
  });

  test('T-011 with Slack down the wait has its end: the approval is listed, and expires', async () => {
    const world = new World();
    world.slack.down = true;
    await world.send(bash('p1'));
    expect((await world.row('p1')).approval.status).toBe('pending');
    await world.clock.advance(HOUR + 2 * MINUTE);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'expired' });
  });

  test('T-015 a rule that came between approval and execution wins', async () => {
    const world = new World();
    await world.send(bash('p1'));
    world.gate.usePolicy(policyOf({ deny: ["'Bash(git push:*)'"] }));
    await world.click('p1', 'alice');
    const decision = await world.decided('p1');
    expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'policy_changed' });
    expect(decision.calls[0]?.permit).toBeUndefined();
  });
});

describe('the record', () => {
  test('AU-001 has one entry a decision, with who, what, rule, source, stage, mode, policy version and outcome', async () => {
    const world = new World();
    await world.send(bash('p1', 'git status'));
    const entries = await world.audit('p1');
    expect(entries).toHaveLength(1);
    expect(entries[0]).toMatchObject({
      agent: 'coder',
      pid: world.pid('p1'),
      mode: 'default',
      policyVersion: expect.stringMatching(/^[0-9a-f]{64}$/),
      outcome: 'approved',
      decidedBy: { type: 'rule' },
      calls: [
        {
          toolName: 'Bash',
          auditDigest: expect.stringMatching(/^[0-9a-f]{64}$/),
          verdict: 'allow',
          reason: expect.any(String),
          source: expect.any(String),
          rule: { pattern: 'Bash(git status:*)', source: 'project', effect: 'allow' },
        },
      ],
    });
  });

  test('AU-004 keeps two calls apart whose short labels are the same', async () => {
    const world = new World(policyOf({ deny: [], allow: ["'Bash(ls:*)'", "'Bash(rm:*)'"] }));
    await world.send(bash('p1', 'ls -la build/66199'));
    await world.send(bash('p2', 'rm -rf build/309'));
    const [[one], [two]] = [await world.audit('p1'), await world.audit('p2')];
    const digests = [one, two].map((entry) => entry?.calls?.[0]?.auditDigest);
    expect(new Set(digests).size).toBe(2);
    expect([one?.pid, two?.pid]).toEqual([world.pid('p1'), world.pid('p2')]);
  });

  test('AU-012 holds a keyed digest of the real arguments, not one that a guess could confirm', async () => {
    const world = new World(policyOf({ allow: ["'Bash(deploy:*)'"] }));
    const command = 'deploy --password hunter22';
    await world.send(bash('p1', command));
    const text = JSON.stringify((await world.audit('p1'))[0]?.calls);
    const input = { command };
    for (const guess of [actionDigest({ toolName: 'Bash', input }), sha256Hex(JSON.stringify(input))]) {
      expect(text).not.toContain(guess);
      expect(text).not.toContain(guess.slice(0, 8));
    }
    expect((await world.decided('p1')).actionDigest).toBe(actionDigest({ toolName: 'Bash', input }));
  });

  test('AU-017 names people by the ids of the signed request, whatever they call themselves', async () => {
    const world = new World();
    await world.send(bash('p1'));
    const { approval } = await world.row('p1');
    const ballot = { choice: 'approve', questionDigest: approval.question.digest, via: 'slack' } as const;
    const click = { pid: approval.pid, person: PEOPLE.stranger, isBot: false, requestId: 'r1' };
    expect(await vote({ ...click, ballot }, world.gate.parts)).toMatchObject({ refusal: 'not_in_group' });
    const [entry] = (await world.audit('p1')).filter(({ type }) => type === 'click');
    expect(entry?.person).toEqual(PEOPLE.stranger);
    expect(JSON.stringify(entry)).not.toContain('Security Bot');
  });

  test('AU-019 has no silent gap: a decision whose writing failed comes again, and is then there once', async () => {
    let failing = 2;
    const world = new World(policyOf(), {
      wrap: (name, port) =>
        name === 'claims'
          ? {
              ...port,
              claim: async (...args: unknown[]) => {
                if (failing-- > 0) throw new Error('the table is down');
                return (port as unknown as { claim(...args: unknown[]): Promise<unknown> }).claim(...args);
              },
            }
          : port,
    });
    await world.send(bash('p1', 'git status'));
    expect(await world.decision('p1')).toBeUndefined();
    await world.clock.advance(5 * MINUTE);
    expect(await world.audit('p1')).toHaveLength(1);
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });

  test('AU-020 has the server’s time; what the agent states is a claim', async () => {
    const world = new World();
    const claimed = new Date(world.clock.now() - HOUR).toISOString();
    await world.send(bash('p1', 'git status', { sentAt: claimed }));
    const [entry] = await world.audit('p1');
    expect(entry).toMatchObject({ recordedAt: new Date(world.clock.now()).toISOString(), claimedSentAt: claimed });
    await world.send(bash('p2', 'git status', { sentAt: '1970-01-01T00:00:00Z' }));
    expect(await world.decided('p2')).toMatchObject({ outcome: 'error', reasonCode: 'stale_proposal' });
  });
});
