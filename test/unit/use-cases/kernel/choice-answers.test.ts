/** Tests the answer to an agent's choice, and its decider (D30, D35, R0-108). */
import { describe, expect, test } from 'vitest';
import type { HumanAnswer } from '../../../../shared/contract/index.ts';
import { LIMITS } from '../../../../shared/contract/primitives.ts';
import { canonicalJson, choiceDigest } from '../../../../shared/domain/digest.ts';
import {
  answerOfChoice,
  choiceMessages,
  deniedFlow,
  endedByPeople,
} from '../../../../shared/use-cases/kernel/choices/choice-answer.ts';
import { answersInOrder, questionOfChoice } from '../../../../shared/use-cases/kernel/choices/choice-question.ts';
import { deciderIds, messages } from '../../../../shared/use-cases/model-messages.ts';
import { choice, flow, space } from '../choice-world.ts';
import { PEOPLE } from '../world.ts';

const person = (over: Partial<HumanAnswer> = {}): HumanAnswer => ({
  ...{ type: 'human', place: 'human', round: 1, at: '2026-11-21T09:00:00.000Z', digest: 'd', stagesDigest: 's' },
  ...{ calls: [], result: 'approved', by: [{ person: PEOPLE.alice, name: 'Alice' }] },
  ...over,
});
const stage = (place: string, outcome: string, flowId?: string) =>
  ({ place, outcome, ...(flowId ? { flowId } : {}) }) as never;
const [PAY, WAIT] = [flow('pay'), flow('wait')];

describe('a chosen action', () => {
  const chosen = (action: typeof PAY, stages: never[], people: HumanAnswer[] = [], byRule?: HumanAnswer) =>
    answerOfChoice('p', { action, stages } as never, people, byRule).answer;

  test('is by the policy at its place, by who approved it, or by who did because a rule asked', () => {
    const stages = [stage('first-available', 'chosen', 'pay'), stage('human', 'approved', 'pay')];
    expect(chosen(PAY, stages.slice(0, 1))).toMatchObject({ decidedBy: { type: 'policy', id: 'p:first-available' } });
    expect(chosen(PAY, stages, [person()])).toMatchObject({ decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' } });
    const bob = person({ place: 'rules/human', by: [{ person: PEOPLE.bob, name: 'Bob' }] });
    expect(chosen(PAY, stages, [person()], bob)).toMatchObject({ decidedBy: { id: 'T0DEMO/U0BOB' } });
    expect(chosen(PAY, stages, [person({ by: [] })])).toMatchObject({ decidedBy: { type: 'human', id: 'unknown' } });
    const long = answerOfChoice('p'.repeat(400), { action: PAY, stages: stages.slice(0, 1) } as never, []).answer;
    expect(long.decidedBy.id).toHaveLength(300);
  });

  test('says whether it was put in another one’s place', () => {
    const stages = [stage('first-available', 'chosen', 'wait'), stage('human', 'substituted', 'pay')];
    expect(chosen(PAY, stages, [person({ result: 'substituted' })])).toMatchObject({ reasonCode: 'substituted' });
    const approved = [stage('other', 'substituted', 'wait'), stage('human', 'approved', 'pay')];
    expect(chosen(PAY, approved, [person()])).toMatchObject({ reasonCode: 'chosen' });
  });

  test('is told whole up to the limit of a row, and by its name above', () => {
    const payload = (length: number) => flow('pay', { reasoning: 'x'.repeat(length) } as never);
    const room = LIMITS.inlineInputBytes - Buffer.byteLength(canonicalJson(payload(0)));
    for (const [length, whole] of [
      [room, true],
      [room + 1, false],
    ] as const) {
      const action = payload(length);
      const { answer, actionDigest } = chosen(action, []);
      expect(answer).toEqual(whole ? action : { flow_id: 'pay', persona_id: 'ops' });
      expect(actionDigest).toBe(choiceDigest(action));
    }
  });
});

describe('no action', () => {
  const none = (stages: never[], people: HumanAnswer[] = []) =>
    answerOfChoice('p', { action: null, stages } as never, people).answer;

  test('is the answer of the first stage that gave none', () => {
    const stages = [stage('a', 'chosen', 'pay'), stage('b', 'declined'), stage('c', 'client_failed')];
    expect(none(stages)).toMatchObject({ outcome: 'answered', answer: null, reasonCode: 'declined' });
    expect(none(stages).decidedBy).toEqual({ type: 'policy', id: 'p:b' });
  });

  test('is a person’s refusal or nobody’s answer, and nothing else that a person said', () => {
    const ends = (over: Partial<HumanAnswer>) => endedByPeople('p', person(over), [])?.answer;
    expect(ends({ result: 'rejected', reason: 'no money' })).toMatchObject({
      outcome: 'denied',
      reasonCode: 'rejected',
      decidedBy: { type: 'human', id: 'T0DEMO/U0ALICE' },
      message: expect.stringContaining('U0ALICE refused the action that was proposed: no money.'),
    });
    expect(ends({ result: 'rejected', by: [] })).toMatchObject({
      decidedBy: { id: 'unknown' },
      message: expect.stringContaining('an approver refused the action that was proposed. '),
    });
    expect(ends({ result: 'expired' })).toMatchObject({ outcome: 'expired', decidedBy: { type: 'system' } });
    expect(ends({ result: 'approved' })).toBeUndefined();
  });
});

describe('an action that is denied', () => {
  const RULE = { id: 'r1', pattern: 'Flow(pay)', source: 'project', effect: 'deny' };
  const denied = (stages: never[], more: Record<string, unknown> = {}) =>
    deniedFlow('p', stages, PAY, {
      ...{ verdict: 'deny', reason: 'rule_match', source: 'rules', message: 'No.', ...more },
    } as never).answer;

  test('is denied by the rule, or by the stage', () => {
    expect(denied([], { rule: RULE })).toMatchObject({ outcome: 'denied', decidedBy: { type: 'rule', id: 'r1' } });
    expect(denied([])).toMatchObject({ decidedBy: { type: 'system', id: 'rules' }, reasonCode: 'rule_match' });
    expect(denied([], { code: 'special' })).toMatchObject({ reasonCode: 'special' });
    expect(denied([]).message).toBe('The action pay was chosen, and is denied. No.');
    expect(denied([], { verdict: 'error' })).toMatchObject({ outcome: 'error' });
  });

  test('although a person approved it: the policy changed; no other person and no other action', () => {
    const changed = { reasonCode: 'policy_changed' };
    expect(denied([stage('human', 'approved', 'pay')])).toMatchObject(changed);
    expect(denied([stage('human', 'approved', 'pay')]).message).toBe(messages.policyChanged('No.'));
    expect(denied([stage('human', 'approved', 'wait')])).not.toMatchObject(changed);
    expect(denied([stage('human', 'chosen', 'pay')])).not.toMatchObject(changed);
  });
});

test('why people are asked about an action is told in 1000 characters', () => {
  const about = {
    place: 'human',
    digest: 'd',
    why: 'w'.repeat(1001),
    question: { proposed: PAY, actionSpace: space() },
  };
  const proposal = { policy: 'p', actionSpace: { ...space(), actions: [PAY] } };
  const asked = questionOfChoice(
    about as never,
    { ok: true, stages: [], stagesDigest: 's' } as never,
    proposal as never,
  );
  expect(asked.why).toHaveLength(1000);
  expect(asked).not.toHaveProperty('onTimeout');
});

test('what the agent may name is listed, and so is that there is none', () => {
  expect(choiceMessages.policyNotAllowed('x', ['a', 'b'])).toContain('it may name a, b.');
  expect(choiceMessages.policyNotAllowed('x', [])).toContain('it may name none.');
  expect(choiceMessages.unknownPolicy('x', ['a'])).toContain('declared are a.');
  expect(choiceMessages.unknownPolicy('x', [])).toContain('declared are none.');
  expect(choiceMessages.paused('Fire drill.')).toBe('An operator has paused this. Fire drill.');
  expect(choiceMessages.paused(undefined)).toBe('An operator has paused this.');
});

describe('answers of people', () => {
  const proposal = { ...choice('c1', 'p'), actionSpace: { ...space(), actions: [PAY, WAIT] } } as never;
  const read = (...people: HumanAnswer[]) => answersInOrder(people, people, proposal);
  const instead = (index: number, digest: string) =>
    read(person({ result: 'substituted', substitute: { index, actionDigest: digest } }))[0];

  test('put an action in place only where it is the one that they saw', () => {
    expect(instead(1, choiceDigest(WAIT))).toMatchObject({ result: { type: 'substitute', action: WAIT } });
    expect(instead(0, choiceDigest(WAIT))).toMatchObject({ result: { action: { flow_id: '#0', persona_id: '' } } });
    expect(instead(7, choiceDigest(WAIT))).toMatchObject({ result: { action: { flow_id: '#7' } } });
  });

  test('stand between those of models, each where its question stood', () => {
    const model = (round: number) => ({ type: 'model', place: `m${round}`, round, digest: 'd', result: { ok: true } });
    const people = [person({ place: 'h1' }), person({ place: 'h2', result: 'edited' })];
    const places = answersInOrder([model(1), ...people, model(3)] as never, people, proposal);
    expect(places.map(({ place }) => place)).toEqual(['h1', 'm1', 'h2', 'm3']);
    const first = answersInOrder([model(0), model(1), ...people] as never, people, proposal);
    expect(first.map(({ place }) => place)).toEqual(['m0', 'm1', 'h1', 'h2']);
    expect(places[2]).toMatchObject({ result: { type: 'rejected', reason: 'a choice cannot be edited' } });
  });

  test('are named by whole ids, in 300 characters also where aliases stand for them', () => {
    const by = Array.from({ length: 40 }, () => ({ person: PEOPLE.alice, name: 'Alice' }));
    const ids = deciderIds(by);
    expect(ids.split(',')).toEqual(Array.from({ length: 8 }, () => 'T0DEMO/U0ALICE'));
    expect(ids.replaceAll('U0ALICE', `p_${'a'.repeat(26)}`).length).toBeLessThanOrEqual(300);
  });
});
