/** Checks that people's answer is decided beside the workflow, which then ends without another step. */
import { describe, expect, test } from 'vitest';
import { bash, policyOf, World } from '../world.ts';

const MINUTE = 60_000;

/** A world that notes how often each function ran, and each answer to a task token. */
function noting() {
  const ran: string[] = [];
  const answers: (string | undefined)[] = [];
  const world = new World(policyOf(), {
    reconcileEveryMs: 0,
    invoke: (name, work) => {
      ran.push(name);
      return work();
    },
    wrap: (name, port) => {
      if (name !== 'workflow') return port;
      const { completeWait } = port as unknown as { completeWait(...given: unknown[]): Promise<string> };
      return {
        ...port,
        completeWait: (token: string, as?: string) => {
          answers.push(as);
          return completeWait(token, as);
        },
      };
    },
  });
  return { world, answers, runsOf: (name: string) => ran.filter((one) => one === name).length };
}

describe('an answer of people', () => {
  test('is decided by one run, which tells the execution that nothing is left to do', async () => {
    const { world, answers, runsOf } = noting();
    await world.send(bash('p1'));
    expect(world.gate.workflow.waiting).toBe(1);
    await world.click('p1', 'alice');
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(answers).toEqual(['decided']);
    expect([runsOf('request-approval'), runsOf('resume')]).toEqual([1, 1]);
    expect(world.gate.workflow.waiting).toBe(0);
    expect((await world.row('p1')).dueAt).toBeUndefined();
  });

  test('that leads to another question leaves the execution waiting as it is', async () => {
    const { world, answers, runsOf } = noting();
    await world.send(bash('p1'));
    await world.edit('p1', 'alice', { command: 'git push --dry-run' });
    await world.rest();
    expect((await world.row('p1')).approval).toMatchObject({ status: 'pending', round: 2 });
    expect(answers).toEqual([]);
    await world.click('p1', 'bob');
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(answers).toEqual(['decided']);
    expect([runsOf('request-approval'), runsOf('resume')]).toEqual([1, 2]);
    expect(world.gate.workflow.waiting).toBe(0);
  });

  test('whose run stops before it tells the execution is told by the reconciler', async () => {
    let down = true;
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) => {
        if (name !== 'workflow') return port;
        const { completeWait } = port as unknown as { completeWait(...given: unknown[]): Promise<string> };
        return {
          ...port,
          completeWait: (...given: unknown[]) => (down ? Promise.reject(new Error('stopped')) : completeWait(...given)),
        };
      },
    });
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(world.gate.workflow.waiting).toBe(1);
    expect((await world.row('p1')).dueAt).toBeDefined();
    down = false;
    await world.clock.advance(2 * MINUTE);
    await world.gate.reconcile();
    await world.rest();
    expect(world.gate.workflow.waiting).toBe(0);
    expect((await world.row('p1')).dueAt).toBeUndefined();
  });

  test('whose run met a fault is decided by the execution, which tries again within seconds', async () => {
    let faults = 1;
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) => {
        if (name !== 'journal') return port;
        const { read } = port as unknown as { read(pid: string): Promise<unknown> };
        return { ...port, read: (pid: string) => (faults-- > 0 ? Promise.reject(new Error('busy')) : read(pid)) };
      },
    });
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
    expect(world.gate.workflow.waiting).toBe(0);
  });

  test('that is repeated while nobody decides it has it decided', async () => {
    let lost = true;
    const world = new World(policyOf(), {
      reconcileEveryMs: 0,
      wrap: (name, port) => {
        if (name !== 'resumer') return port;
        const { resume } = port as unknown as { resume(pid: string): Promise<void> };
        return { ...port, resume: async (pid: string) => (lost ? undefined : resume(pid)) };
      },
    });
    await world.send(bash('p1'));
    await world.click('p1', 'alice');
    expect(await world.decision('p1')).toBeUndefined();
    lost = false;
    expect(await world.click('p1', 'alice')).toMatchObject({ refusal: 'already_decided' });
    await world.rest();
    expect(await world.decided('p1')).toMatchObject({ outcome: 'approved' });
  });
});

test('a cancel wakes the execution, which has it decided', async () => {
  const { world, answers, runsOf } = noting();
  await world.send(bash('p1'));
  await world.send({ kind: 'cancel', proposalId: 'cancel-p1', cancels: 'p1' });
  await world.rest();
  expect(await world.decided('p1')).toMatchObject({ outcome: 'cancelled' });
  expect(answers).toEqual(['answered']);
  expect(runsOf('resume')).toBe(1);
});
