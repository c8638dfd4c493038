/**
 * Checks proposals whose session others change meanwhile (A6, A12, D12).
 *
 * Covers conversations, too, and how often and until when the gate tries.
 */
import { describe, expect, test } from 'vitest';
import { memorySenderId } from '../../../../shared/adapters/memory/senders.ts';
import { memorySessionStore } from '../../../../shared/adapters/memory/stores/session-store.ts';
import type { SessionRow } from '../../../../shared/contract/index.ts';
import { newSession } from '../../../../shared/domain/session.ts';
import { intake } from '../../../../shared/use-cases/intake/evaluation/intake.ts';
import { bash, type PolicyParts, policyOf, World } from '../world.ts';

const HOUR = 60 * 60_000;
const AUTO: PolicyParts = {
  agents: '  coder: { owner: olga, mode: auto }',
  more: "classifier: { deny: ['Bash(curl:*)'], allow: ['Bash(echo:*)'] }",
};
const MODEL: PolicyParts = {
  ...AUTO,
  more: 'classifier: { model: { provider: anthropic, model: judge-1, secret: model-key, timeout: 10s } }',
};
const TASKS: PolicyParts = { more: 'taskAgent: { enabled: true }' };

type Write = (...args: unknown[]) => Promise<{ readonly kind: string }>;

/** A gate of which is told what became of each write of a claim; `before` comes between the decision and its `nth` write. */
function watched(parts: PolicyParts, before: (world: World, nth: number) => unknown = () => false) {
  const kinds: string[] = [];
  const world: World = new World(policyOf(parts), {
    reconcileEveryMs: 0,
    wrap: (name, port) => {
      if (name !== 'claims') return port;
      const claims = port as unknown as Record<'claim' | 'open', Write>;
      const seen =
        (write: Write): Write =>
        async (...args) => {
          await before(world, kinds.length);
          const result = await write(...args);
          kinds.push(result.kind);
          return result;
        };
      return { ...port, claim: seen(claims.claim), open: seen(claims.open) };
    },
  });
  return { world, kinds };
}

async function change(world: World, over: Partial<SessionRow>) {
  const store = memorySessionStore(world.gate.parts.state);
  const read = (await store.read('coder', 'main')) ?? newSession('coder', 'main');
  await store.write({ ...read, ...over, version: read.version + 1 });
}

/** One receipt of a message, by a process of its own. */
function receive(world: World, body: Record<string, unknown>, over: { rounds?: number; firstSentAt?: number } = {}) {
  const message = {
    messageId: String(body['proposalId']),
    raw: JSON.stringify(body),
    principal: memorySenderId('agents', 'coder'),
    firstSentAt: world.clock.now(),
    rounds: 0,
    ...over,
  };
  return Promise.all(intake([message], world.gate.parts));
}
const task = (proposalId: string, message: string) => ({
  kind: 'task-message',
  proposalId,
  context: { user_id: 'u1', message, conversation_id: '99999999-9999-4999-8999-999999999999' },
});

describe('a session', () => {
  test('of several calls in one batch: each is decided with what the one before it left, and written at once', async () => {
    const { world, kinds } = watched(AUTO);
    const { queue } = world.gate.agentSide('coder');
    for (const id of ['p1', 'p2', 'p3']) await queue.publish(JSON.stringify(bash(id, `curl ${id}`)), 'coder');
    await world.rest();
    expect(kinds).toEqual(['claimed', 'claimed', 'claimed']);
  });

  const DENY = { effect: 'deny', pattern: 'Bash', source: 'session', by: 'oncall' } as const;
  test.each<[string, PolicyParts, string, Partial<SessionRow>, string]>([
    ['an allowed call meets the deny rule', AUTO, 'echo hi', { rules: [DENY] }, 'denied'],
    ['a call that a person is asked about does', AUTO, 'make all', { rules: [DENY] }, 'denied'],
    ['it is asked about all the same', AUTO, 'make all', { total: 1 }, 'waits'],
    ['what keeps no call any more keeps none', MODEL, 'git status', { mode: 'default' }, 'approved'],
  ])('that changes before the write is read again: %s', async (_, parts, command, over, expected) => {
    const { world, kinds } = watched(parts, (on, nth) => nth === 0 && change(on, over));
    await world.send(bash('p1', command));
    const decision = await world.decision('p1');
    expect(decision?.outcome ?? `${(await world.row('p1')).approval.status && 'waits'}`).toBe(expected);
    expect(kinds).toEqual(['session_changed', 'claimed']);
    expect((await world.audit('p1'))[0]?.classifiers ?? []).toHaveLength(parts === AUTO ? 1 : 0);
    expect(world.faults).toEqual([]);
  });

  test('that loses the rule which allowed the call: it is put aside for the model', async () => {
    const rules = [{ effect: 'allow', pattern: 'Bash(make:*)', source: 'session', by: 'oncall' } as const];
    const { world, kinds } = watched(MODEL, (on, nth) => nth === 0 && change(on, { rules: [] }));
    await change(world, { rules });
    await receive(world, bash('p1', 'make all'));
    expect(kinds).toEqual(['session_changed']);
    expect(await world.decision('p1')).toBeUndefined();
  });

  test('that changes twice: nobody is asked twice, and the record has one answer', async () => {
    const { world, kinds } = watched(AUTO, (on, nth) => nth < 3 && change(on, { total: nth }));
    await world.send(bash('p1', 'echo hi'));
    expect(kinds).toEqual(['session_changed', 'session_changed', 'session_changed', 'claimed']);
    expect((await world.audit('p1'))[0]?.classifiers).toHaveLength(1);
  });

  test('that keeps changing: five tries, then the message comes again', async () => {
    let busy = true;
    const { world, kinds } = watched(AUTO, (on) => busy && change(on, {}));
    await world.send(bash('p1', 'echo hi'));
    expect(kinds).toEqual(Array(5).fill('session_changed'));
    expect(world.faults).toMatchObject([{ message: 'the session kept changing while it was written' }]);
    busy = false;
    await world.clock.advance(5 * 60_000);
    expect((await world.decided('p1')).outcome).toBe('approved');
  });
});

test('two proposals by one id at once: the first stands, the other is told that its id is taken', async () => {
  for (const commands of [
    ['make one', 'make two'],
    ['git status', 'git status -s'],
  ]) {
    const { world, kinds } = watched({});
    await Promise.all(commands.map((command) => receive(world, bash('p1', command))));
    expect(kinds).toEqual(['claimed', 'exists']);
    expect((await world.audit('p1')).map(({ reasonCode }) => reasonCode)).toContain('proposal_id_conflict');
  }
});

describe('a message', () => {
  const kinds = [bash('p1', 'git status'), task('p1', 'todo: milk')] as const;
  test.each([
    [0, 'done'],
    [99, 'done'],
    [100, 'expired'],
  ])('that was put aside %i times is %s', async (rounds, expected) => {
    for (const body of kinds) {
      const { world } = watched(TASKS);
      await receive(world, body, { rounds });
      const { outcome } = await world.decided('p1');
      expect(outcome === 'expired' ? outcome : 'done', body.kind).toBe(expected);
    }
  });

  test.each([
    [HOUR - 1, 'done'],
    [HOUR, 'expired'],
  ])('that came %i ms ago is %s', async (age, expected) => {
    for (const body of kinds) {
      const { world } = watched(TASKS);
      await receive(world, body, { firstSentAt: world.clock.now() - age });
      const { outcome } = await world.decided('p1');
      expect(outcome === 'expired' ? outcome : 'done', body.kind).toBe(expected);
    }
  });
});

describe('a task', () => {
  /** Others rename it before each of the first writes of a message that completes it. */
  const racing = async (times: number, more: (on: World) => Promise<unknown> = async () => undefined) => {
    let others = 0;
    let inside = true;
    const seen = watched(TASKS, async (on) => {
      if (inside || others >= times) return;
      inside = true;
      others += 1;
      await receive(on, task(`other${others}`, `change gym to gym ${others}`));
      await more(on);
      inside = false;
    });
    await receive(seen.world, task('p0', 'todo: gym'));
    inside = false;
    seen.kinds.length = 0;
    return seen;
  };
  const done = async (world: World) =>
    (await world.gate.parts.tasks.list('agent:coder/u1')).map(
      ({ description, completed }) => `${description}: ${completed}`,
    );

  test('that others change before the write: the message is decided again, and done once', async () => {
    const { world, kinds } = await racing(1);
    await receive(world, task('p1', 'mark gym as done'));
    expect(kinds).toEqual(['claimed', 'session_changed', 'claimed']);
    expect(await done(world)).toEqual(['gym 1: true']);
  });

  test('whose session is put into plan mode meanwhile stays as it is', async () => {
    const { world, kinds } = await racing(1, (on) => change(on, { mode: 'plan' }));
    await receive(world, task('p1', 'mark gym as done'));
    expect(kinds).toEqual(['claimed', 'session_changed', 'claimed']);
    expect(await done(world)).toEqual(['gym 1: false']);
  });

  test('that others keep changing: five tries, then the message comes again', async () => {
    const { world, kinds } = await racing(9);
    await expect(receive(world, task('p1', 'mark gym as done'))).rejects.toThrow('kept changing');
    expect(kinds).toEqual(Array(5).fill(['claimed', 'session_changed']).flat());
  });
});
