/**
 * Checks rules on a policy's choice while people answer.
 *
 * Covers changes of the policy meanwhile (D23, G9, G26, A17).
 */
import { describe, expect, test } from 'vitest';
import type { Ballot } from '../../../../shared/domain/approval/approval.ts';
import { choiceDigest } from '../../../../shared/domain/digest.ts';
import { NO_CONTROL } from '../../../../shared/ports/stores/control.ts';
import { decideChoice } from '../../../../shared/use-cases/kernel/decide-choice.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';
import type { Session } from '../../../../shared/use-cases/kernel/state/session.ts';
import { choice, choicePolicy, choiceWorld, flow, say } from '../choice-world.ts';

const RULE = (flowId: string, more = '') => `{ rule: 'Flow(${flowId})'${more} }`;
const ask = (...rules: string[]) => choicePolicy({ ask: rules });
const approve = { choice: 'approve' } as const;

describe('a rule that asks about the action that people are asked about', () => {
  test('adds its words to their question, and their yes is enough', async () => {
    const at = choiceWorld([], ask(RULE('update_status')));
    await at.world.send(choice('c1', 'person'));
    const { question } = (await at.world.row('c1')).approval;
    expect(question).toMatchObject({ place: 'human', why: expect.stringContaining('The rule Flow(update_status)') });
    await say(at, 'c1', 'alice', approve);
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
  });

  test.each(['high', 'critical'])('asks two people more where it is of %s severity (G26)', async (severity) => {
    const at = choiceWorld([], ask(RULE('update_status', `, severity: ${severity}`)));
    await at.world.send(choice('c1', 'person'));
    await say(at, 'c1', 'alice', approve);
    const { approval } = await at.world.row('c1');
    expect(approval).toMatchObject({
      round: 2,
      status: 'pending',
      question: { place: 'rules/human', severity, stages: [{ quorum: 2 }] },
    });
    await say(at, 'c1', 'alice', approve);
    expect(await at.world.decision('c1')).toBeUndefined();
    await say(at, 'c1', 'bob', approve);
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
  });
});

test('a person who approves before silence would is heard at once', async () => {
  const at = choiceWorld();
  await at.world.send(choice('c1', 'lenient'));
  await at.world.clock.advance(60_000);
  await say(at, 'c1', 'alice', approve);
  expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', decidedBy: { type: 'human' } });
});

test('a question that nobody may answer is said to be one', async () => {
  const { world } = choiceWorld(
    [],
    choicePolicy({
      approvers:
        '  platform: { members: [olga], channel: approvals }\n  security: { members: [bob], channel: security }',
    }),
  );
  await world.send(choice('c1', 'person'));
  expect(await world.decided('c1')).toMatchObject({ outcome: 'error', reasonCode: 'no_approvers' });
});

describe('while a rule’s question waits', () => {
  const asks = [RULE('update_status'), RULE('cancel_order')];
  const others =
    '  platform: { members: [bob], channel: approvals }\n  security: { members: [bob], channel: security }';
  test.each<[string, ReturnType<typeof choicePolicy>, RegExp]>([
    ['others are to be asked', choicePolicy({ ask: asks, approvers: others }), /not what a rule asks now/],
    [
      'the policy chooses another action',
      choicePolicy({ ask: asks }, (trees) =>
        trees.replace('first: { type: first-available }', 'first: { type: priority, priorities: [cancel_order] }'),
      ),
      /not what a rule asks now/,
    ],
    [
      'the policy asks people itself',
      choicePolicy({ ask: asks }, (trees) => trees.replace(/ {2}first: .*\n/, '').replace('  person: {', '  first: {')),
      /asks another question now/,
    ],
  ])('%s: superseded', async (_, document, why) => {
    const at = choiceWorld([], ask(...asks));
    await at.world.send(choice('c1', 'first'));
    at.world.gate.usePolicy(document);
    await say(at, 'c1', 'bob', approve);
    const decision = await at.world.decided('c1');
    expect(decision).toMatchObject({ outcome: 'superseded', actionDigest: null });
    expect(decision.message).toMatch(why);
    expect(decision).not.toHaveProperty('answer');
  });

  test('and nothing changes, the answer counts', async () => {
    const at = choiceWorld([], ask(...asks));
    await at.world.send(choice('c1', 'first'));
    at.world.gate.usePolicy(choicePolicy({ ask: [...asks, RULE('wait')] }));
    await say(at, 'c1', 'bob', approve);
    expect(await at.world.decided('c1')).toMatchObject({ outcome: 'answered', answer: flow('update_status') });
  });
});

test('a substitute by those who would not be asked now does not count (A17)', async () => {
  const at = choiceWorld();
  await at.world.send(choice('c1', 'person'));
  at.world.gate.usePolicy(
    choicePolicy({
      approvers:
        '  platform: { members: [bob], channel: approvals }\n  security: { members: [bob], channel: security }',
    }),
  );
  const substitute = { choice: 'substitute', index: 2, actionDigest: choiceDigest(flow('cancel_order')) } as Ballot;
  await say(at, 'c1', 'bob', substitute);
  const decision = await at.world.decided('c1');
  expect(decision).toMatchObject({ outcome: 'superseded' });
  expect(decision.message).toContain('others would be asked now');
});

test.each<[string, unknown, string]>([
  ['an error', new Error('out of order'), 'out of order'],
  ['something else', 'out of order', 'unknown'],
])('G9: what throws %s while a policy runs is an error, and no choice', async (_, thrown, why) => {
  const { parts } = choiceWorld().world.gate;
  const policy = Object.create(parts.policy, {
    protectedPaths: {
      get() {
        throw thrown;
      },
    },
  });
  const settings = parts.policy.settings.agents['coder'] as Session['settings'];
  const session: Session = {
    pid: 'p',
    agent: 'coder',
    sessionId: 'main',
    mode: 'default',
    control: NO_CONTROL,
    settings,
  };
  const start = { type: 'now', place: 'start', round: 0, at: '2026-11-21T09:00:00.000Z' } as const;
  const run = await decideChoice(
    choice('c1', 'first') as never,
    session,
    new Journal([start]),
    { ...parts, policy },
    0,
  );
  expect(run).toMatchObject({ kind: 'decided', answer: { outcome: 'error', reasonCode: 'policy_failed' } });
  expect(run).toHaveProperty('answer.message', expect.stringContaining(why));
});
