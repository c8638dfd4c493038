/**
 * Checks agents' questions to people: who is asked, and which answer still counts.
 *
 * Covers what ends them, too (R4's second scenario, A17, A18, D30).
 */
import { describe, expect, test } from 'vitest';
import type { HumanAnswer } from '../../../../shared/contract/index.ts';
import type { InputRequestProposal } from '../../../../shared/contract/proposal.ts';
import { type Control, NO_CONTROL, type Pause } from '../../../../shared/ports/stores/control.ts';
import { vote } from '../../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { decideInput } from '../../../../shared/use-cases/kernel/decide-input.ts';
import { Journal } from '../../../../shared/use-cases/kernel/state/journal.ts';
import type { Session } from '../../../../shared/use-cases/kernel/state/session.ts';
import { operateNow } from '../giving-steps.ts';
import { bash, PEOPLE, type PolicyParts, policyOf, World } from '../world.ts';

const QUESTION = { kind: 'input-request', proposalId: 'q1', question: 'Which branch?' } as const;

async function asked(parts: PolicyParts = {}, more: Record<string, unknown> = {}) {
  const world = new World(policyOf(parts));
  await world.send({ ...QUESTION, ...more });
  return world;
}
async function answered(world: World, answer: string) {
  const { approval } = await world.row('q1');
  const ballot = { choice: 'respond', answer, questionDigest: approval.question.digest, via: 'slack' } as const;
  const click = { pid: approval.pid, person: PEOPLE.alice, isBot: false, requestId: 'r1', ballot };
  await vote(click, world.gate.parts);
  await world.rest();
}
const pause = (world: World, scope: Record<string, unknown>, effect: string) => {
  const operation = { kind: 'pause', operationId: 'o1', reason: 'fire drill', scope, effect };
  world.gate.operateAs('oncall', JSON.stringify(operation));
  return world.rest();
};

/** Lines of an environment, up to so many characters. */
const shortSecrets = (length: number) =>
  Array.from({ length: 400 }, (_, at) => `A${at}_PASSWORD=x${at}y`)
    .join('\n')
    .slice(0, length);

test.each([
  ['a call', bash('b1')],
  ['one call of a batch', { kind: 'tool-call', proposalId: 'b1', calls: ['a', 'b'].map(pushOf) }],
])('the refusal of %s stands, whose reason is longer without its secrets', async (_, message) => {
  const world = new World();
  await world.send(message);
  const reason = shortSecrets(1000);
  const calls = ['a', 'b'].map((id) => ({ id, choice: 'reject', reason }) as const);
  if ('calls' in message) await world.click('b1', 'alice', 'approve', { calls });
  else await world.click('b1', 'alice', 'reject', { reason });
  expect(await world.decided('b1')).toMatchObject({ outcome: 'denied', reasonCode: 'rejected' });
  expect(world.faults).toEqual([]);
});

function pushOf(id: string) {
  return { id, toolName: 'Bash', input: { command: `git push origin ${id}` } };
}

describe('a question', () => {
  test.each([
    ['asks nobody', 'mode: dontAsk', 'dont_ask'],
    ['nobody attends', 'unattended: true', 'no_handler'],
  ])('of a session that %s is put to nobody; one that was asked before is still answered', async (_, setting, code) => {
    const agents = `  coder: { owner: olga, ${setting} }`;
    const world = await asked({ agents });
    expect(await world.decided('q1')).toMatchObject({ outcome: 'denied', reasonCode: code });
    expect(world.slack.cards.size).toBe(0);
    const before = await asked();
    before.gate.usePolicy(policyOf({ agents }));
    await answered(before, 'main');
    expect(await before.decided('q1')).toMatchObject({ outcome: 'answered', answer: 'main' });
  });

  test('of one session that an operator has ask nobody is put to nobody, whatever its agent’s mode', async () => {
    const world = new World();
    await operateNow(world, { kind: 'set-mode', agent: 'coder', session: 'quiet', mode: 'dontAsk' });
    await world.send({ ...QUESTION, sessionId: 'quiet' });
    expect(await world.decided('q1')).toMatchObject({ outcome: 'denied', reasonCode: 'dont_ask' });
    await world.send({ ...QUESTION, proposalId: 'q2' });
    expect((await world.row('q2')).approval.status).toBe('pending');
  });

  test.each(['mode: dontAsk', 'unattended: true'])(
    'of a session that escalates to one with %s is put to nobody',
    async (setting) => {
      const agents = `  lead: { owner: olga, ${setting} }\n  coder: { owner: olga, mode: bubble, parents: [lead] }`;
      const world = await asked({ agents });
      expect((await world.decided('q1')).outcome).toBe('denied');
    },
  );

  test('asks one person of the first stage, whatever a call would need', async () => {
    const stages = '{ stages: [{ group: platform, quorum: 2 }, { group: security }], timeout: 1h }';
    const world = await asked({ approvals: stages });
    const { question } = (await world.row('q1')).approval;
    expect(question).toMatchObject({ severity: 'medium', offers: ['respond', 'reject'] });
    expect(question.stages).toMatchObject([{ group: 'platform', quorum: 1 }]);
    expect(question).not.toHaveProperty('choices');
    await answered(world, 'main');
    expect(await world.decided('q1')).toMatchObject({
      outcome: 'answered',
      reasonCode: 'answered',
      answer: 'main',
      actionDigest: null,
      calls: [],
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' },
    });
  });

  test('that nobody can answer is said to be one', async () => {
    const world = await asked({ approvers: '  platform: { members: [olga], channel: approvals }' });
    expect(await world.decided('q1')).toMatchObject({ outcome: 'error', reasonCode: 'no_approvers' });
  });

  test('with a secret in a choice is answered by that choice, as it was shown', async () => {
    const world = await asked({}, { choices: [`use ghp_${'a1B2c3D4e5F6'.repeat(3)}`, 'none'] });
    const { question } = (await world.row('q1')).approval;
    const [shown = ''] = question.kind === 'input' ? (question.choices ?? []) : [];
    expect(shown).toBe('use ‹redacted: github›');
    await answered(world, shown);
    expect(await world.decided('q1')).toMatchObject({ outcome: 'answered', answer: shown });
  });

  test('is answered by a text whose marks are longer than its secrets', async () => {
    const world = await asked();
    await answered(world, shortSecrets(3000));
    const answer = String((await world.decided('q1')).answer);
    expect(answer.length).toBeGreaterThan(2900);
    expect(answer.length).toBeLessThanOrEqual(3000);
    expect(answer).toMatch(/^A0_PASSWORD=‹redacted: .*…$/s);
    expect(answer).not.toContain('x0y');
  });

  test('is another one with other choices', async () => {
    const digests = [{}, { choices: ['a', 'b'] }, { choices: ['a', 'c'] }].map(async (more) => {
      const world = await asked({}, more);
      return (await world.row('q1')).approval.question.digest;
    });
    expect(new Set(await Promise.all(digests)).size).toBe(3);
  });

  test('is asked in a session that remembers something of calls, too', async () => {
    const world = new World();
    await world.send(bash('p1', 'make all'));
    await world.click('p1', 'bob', 'reject');
    await world.send(QUESTION);
    expect((await world.row('q1')).approval.status).toBe('pending');
    expect(world.faults).toEqual([]);
  });

  test('that a person declines is denied with the reason', async () => {
    const world = await asked();
    await world.click('q1', 'bob', 'reject', { reason: 'ask the lead' });
    const decision = await world.decided('q1');
    expect(decision).toMatchObject({ outcome: 'denied', reasonCode: 'rejected', decidedBy: { id: 'T0DEMO/U0BOB' } });
    expect(decision.message).toContain('ask the lead');
  });

  test('that nobody answers expires, and is no refusal', async () => {
    const world = await asked();
    await world.clock.advance(62 * 60_000);
    const decidedBy = { type: 'system', id: 'expired' };
    expect(await world.decided('q1')).toMatchObject({ outcome: 'expired', reasonCode: 'expired', decidedBy });
  });

  test('that its agent takes back is cancelled', async () => {
    const world = await asked();
    await world.send({ kind: 'cancel', proposalId: 'x1', cancels: 'q1' });
    expect(await world.decided('q1')).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
  });

  test.each<[Record<string, unknown>, string, string]>([
    [{ all: true }, 'deny', 'denied paused'],
    [{ agent: 'coder' }, 'deny', 'denied paused'],
    [{ agent: 'writer' }, 'deny', 'answered answered'],
    [{ tool: 'Bash' }, 'deny', 'answered answered'],
    [{ all: true }, 'ask', 'answered answered'],
  ])('that is answered under a pause of %j that says %s: %s', async (scope, effect, expected) => {
    const world = await asked();
    await pause(world, scope, effect);
    await answered(world, 'main');
    const { outcome, reasonCode } = await world.decided('q1');
    expect(`${outcome} ${reasonCode}`).toBe(expected);
  });
});

describe('an answer counts only', async () => {
  const document = policyOf();
  const { policy } = new World(document).gate.parts;
  const settings = policy.settings.agents['coder'] as Session['settings'];
  const session: Session = {
    ...{ pid: 'p'.repeat(32), agent: 'coder', sessionId: 'main', mode: 'default', control: NO_CONTROL, settings },
  };
  const proposal = { ...QUESTION } as unknown as InputRequestProposal;
  const run = (answer?: Partial<HumanAnswer>, control: Control = NO_CONTROL) =>
    decideInput(proposal, { ...session, control }, new Journal(answer ? [whole(answer)] : []), { policy }, 0);
  const asking = await run();
  if (asking.kind !== 'suspended') throw new Error('nobody was asked');
  const { digest, stagesDigest } = asking.question;
  const whole = (answer: Partial<HumanAnswer>): HumanAnswer => ({
    ...{ type: 'human', place: 'input', round: 1, at: '2026-11-21T09:00:00.000Z', calls: [], digest, stagesDigest },
    ...{ result: 'answered', by: [{ person: PEOPLE.alice, name: 'Alice' }], answer: 'main' },
    ...answer,
  });
  const other = '0'.repeat(64);

  test.each<[string, Partial<HumanAnswer>, string]>([
    ['as it is', {}, 'answered'],
    ['to this question', { digest: other }, 'superseded'],
    ['of those who would be asked now', { stagesDigest: other }, 'superseded'],
    ['with a text', { answer: undefined }, 'superseded'],
    ['as an answer: no approval', { result: 'approved' }, 'superseded'],
    ['as an answer: no edit', { result: 'edited' }, 'superseded'],
    ['as an answer: no substitute', { result: 'substituted' }, 'superseded'],
    ['where nobody declined', { result: 'rejected' }, 'denied'],
    ['in time', { result: 'expired' }, 'expired'],
    ['while it is wanted', { result: 'cancelled' }, 'cancelled'],
  ])('%s', async (_, answer, outcome) => {
    expect(await run(answer)).toMatchObject({ kind: 'decided', answer: { outcome } });
  });

  test('while nothing is paused; what ended otherwise ended so', async () => {
    const drill: Pause = { scope: { all: true }, effect: 'deny', reason: 'drill', by: 'oncall' };
    const control = { ...NO_CONTROL, pauses: [drill] };
    expect(await run({}, control)).toMatchObject({ answer: { outcome: 'denied', reasonCode: 'paused' } });
    expect(await run({ result: 'expired' }, control)).toMatchObject({ answer: { outcome: 'expired' } });
  });
});
