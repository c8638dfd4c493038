/** Checks durable choices: each is the choice in memory, suspended at every question. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildPolicy } from '../../../shared/policies/build.ts';
import { asksModel, type Chosen, type PolicyRun, runPolicy, type Suspended } from '../../../shared/policies/durable.ts';
import {
  type Action,
  type ActionSpace,
  type AgentSnapshot,
  ApiError,
  ApprovalResult,
  type Completion,
  NetworkError,
  ParseError,
  type StageRecord,
} from '../../../shared/policies/index.ts';
import { askModel, type JournalAnswer, journalAnswer } from '../../../shared/policies/journal.ts';
import { seededRandom } from '../../../shared/policies/random.ts';
import type { PolicyTree } from '../../../shared/policies/tree.ts';
import { ScriptedClient } from '../../../shared/testing/scripted-client.ts';
import { anAction, answerOfPerson, aSnapshot, aSpace, picks } from './builders.ts';
import { type ScriptedAnswer, scripts, snapshots, spaces, trees } from './generators.ts';

const PID = 'a'.repeat(64);

/** As a store gives it back: another object, keys in another order. */
function stored<Value>(value: Value): Value {
  return JSON.parse(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'object' && inner !== null && !Array.isArray(inner)
        ? Object.fromEntries(Object.entries(inner).reverse())
        : inner,
    ),
  );
}

function reply(script: readonly ScriptedAnswer[], index: number): Promise<Completion> {
  const scripted = script[index % script.length]?.model ?? '';
  if (scripted === 'network') return Promise.reject(new NetworkError('no line'));
  if (scripted === 'api') return Promise.reject(new ApiError(529, 'overloaded'));
  if (scripted === 'parse') return Promise.reject(new ParseError('no text'));
  return Promise.resolve({ text: scripted, usage: { inputTokens: index, outputTokens: 1 } });
}

const personAt = (script: readonly ScriptedAnswer[], index: number): ApprovalResult =>
  script[index % script.length]?.person ?? ApprovalResult.Rejected;

async function inMemory(
  tree: PolicyTree,
  space: ActionSpace,
  snapshot: AgentSnapshot,
  script: readonly ScriptedAnswer[],
) {
  let asked = 0;
  const stages: StageRecord[] = [];
  const policy = buildPolicy(tree, {
    channel: () => ({ requestApproval: async () => personAt(script, asked++) }),
    client: () => ({ complete: () => reply(script, asked++) }),
    random: (place) => seededRandom(PID, place),
  });
  const action = await policy.choose(space, snapshot, { observe: (record) => stages.push(record) });
  return { action, stages, asked };
}

async function durable(
  tree: PolicyTree,
  space: ActionSpace,
  snapshot: AgentSnapshot,
  script: readonly ScriptedAnswer[],
) {
  const answers: JournalAnswer[] = [];
  for (;;) {
    const run = await runPolicy(stored(tree), stored(space), stored(snapshot), { pid: PID, answers: stored(answers) });
    if (run.status !== 'suspended') return { run, asked: answers.length };
    const answer = asksModel(run)
      ? await askModel({ complete: () => reply(script, answers.length) }, run)
      : answerOfPerson(run, personAt(script, answers.length));
    answers.push(journalAnswer.parse(answer));
  }
}

const chosen = (run: PolicyRun): Chosen => {
  if (run.status !== 'chosen') throw new Error(`the run ended as ${JSON.stringify(run)}`);
  return run;
};
const suspended = (run: PolicyRun): Suspended => {
  if (run.status !== 'suspended') throw new Error(`the run ended as ${JSON.stringify(run)}`);
  return run;
};

describe('a durable choice', () => {
  test('is what the choice in memory is, for every tree, space and script', async () => {
    await fc.assert(
      fc.asyncProperty(trees, spaces, snapshots, scripts, async (tree, space, snapshot, script) => {
        const plain = await inMemory(tree, space, snapshot, script);
        const { run, asked } = await durable(tree, space, snapshot, script);
        expect(chosen(run).action).toEqual(plain.action);
        expect(chosen(run).stages).toEqual(plain.stages);
        expect(asked).toBe(plain.asked);
        if (plain.action !== null) expect(space.actions).toContain(plain.action);
      }),
      { numRuns: 1000 },
    );
  });

  test('is never made of an answer to another question', async () => {
    await fc.assert(
      fc.asyncProperty(trees, trees, spaces, snapshots, scripts, async (tree, other, space, snapshot, script) => {
        const first = await runPolicy(tree, space, snapshot, { pid: PID, answers: [] });
        fc.pre(first.status === 'suspended');
        const answer = asksModel(first)
          ? await askModel({ complete: () => reply(script, 0) }, first)
          : answerOfPerson(first, personAt(script, 0));
        const expected = await runPolicy(other, space, snapshot, { pid: PID, answers: [] });
        const run = await runPolicy(other, space, snapshot, { pid: PID, answers: [answer] });
        const same =
          expected.status === 'suspended' && expected.place === first.place && expected.digest === first.digest;
        expect(run.status === 'superseded').toBe(!same);
      }),
      { numRuns: 500 },
    );
  });
});

const human = { type: 'human-in-the-loop', delegate: { type: 'first-available' }, timeout: '1h' } as const;
const supervised = {
  type: 'composite',
  proposer: { type: 'first-available' },
  approver: human,
  requiresApproval: { type: 'always' },
};
const journal = (...answers: JournalAnswer[]) => ({ pid: PID, answers });

describe('runPolicy', () => {
  test('suspends with the place and the digest of exactly what is asked', async () => {
    const run = suspended(await runPolicy(supervised, aSpace('a', 'b'), aSnapshot(), journal()));
    expect(run).toMatchObject({ place: 'composite.approver/human', ordinal: 0 });
    expect(run.question).toMatchObject({
      type: 'human',
      proposed: anAction('a'),
      timeoutMs: 3_600_000,
      timeoutBehavior: 'reject',
    });
    const digests = new Set([run.digest]);
    const changed: [unknown, ActionSpace, AgentSnapshot][] = [
      [supervised, aSpace('b', 'a'), aSnapshot()],
      [supervised, aSpace('a', 'b'), aSnapshot({ Order: 'paid' })],
      [{ ...supervised, approver: { ...human, timeoutBehavior: 'approve' } }, aSpace('a', 'b'), aSnapshot()],
      [{ ...supervised, approver: { ...human, approvers: 'finance' } }, aSpace('a', 'b'), aSnapshot()],
    ];
    for (const args of changed) digests.add(suspended(await runPolicy(...args, journal())).digest);
    expect(digests.size).toBe(5);
  });

  test('continues with the answer, and says who decided', async () => {
    const space = aSpace('a', 'b');
    const open = suspended(await runPolicy(supervised, space, aSnapshot(), journal()));
    const run = chosen(
      await runPolicy(supervised, space, aSnapshot(), journal(answerOfPerson(open, { type: 'approved', by: 'ann' }))),
    );
    expect(run.action).toBe(space.actions[0]);
    expect(run.stages.map(({ place, outcome, by }) => [place, outcome, by])).toEqual([
      ['composite.proposer/first-available', 'chosen', undefined],
      ['composite.approver/human.delegate/first-available', 'chosen', undefined],
      ['composite.approver/human', 'approved', 'ann'],
      ['composite', 'approver_approved', undefined],
    ]);
  });

  test('a human inside a composite inside a human: two questions, two places', async () => {
    const tree = { ...human, delegate: supervised };
    const space = aSpace('a', 'b');
    const first = suspended(await runPolicy(tree, space, aSnapshot(), journal()));
    expect(first.place).toBe('human.delegate/composite.approver/human');
    const one = answerOfPerson(first, ApprovalResult.Approved);
    const second = suspended(await runPolicy(tree, space, aSnapshot(), journal(one)));
    expect(second).toMatchObject({ place: 'human', ordinal: 1 });
    const two = answerOfPerson(second, ApprovalResult.Substitute(anAction('b')));
    expect(chosen(await runPolicy(tree, space, aSnapshot(), journal(one, two))).action).toBe(space.actions[1]);
    expect((await runPolicy(tree, space, aSnapshot(), journal(two, one))).status).toBe('superseded');
  });

  test.each<[string, unknown, ActionSpace]>([
    ['asks nobody any more', { type: 'first-available' }, aSpace('a', 'b')],
    ['asks at another place', human, aSpace('a', 'b')],
    ['asks about another action', supervised, aSpace('b', 'a')],
    [
      'gives silence another meaning',
      { ...supervised, approver: { ...human, timeoutBehavior: 'approve' } },
      aSpace('a', 'b'),
    ],
    ['asks a model there', { ...supervised, approver: { type: 'llm', model: 'm' } }, aSpace('a', 'b')],
  ])(
    'a tree that %s while a choice waits ends in superseded, with a message that says so (A16, A17)',
    async (_name, tree, space) => {
      const open = suspended(await runPolicy(supervised, aSpace('a', 'b'), aSnapshot(), journal()));
      for (const result of [ApprovalResult.Approved, ApprovalResult.Timeout]) {
        const run = await runPolicy(tree, space, aSnapshot(), journal(answerOfPerson(open, result)));
        expect(run).toMatchObject({ status: 'superseded', message: expect.stringContaining('proposed again') });
      }
    },
  );

  test('a question for another client or model is another question', async () => {
    const asked = await Promise.all(
      [
        { model: 'm1' },
        { model: 'm2' },
        { model: 'm1', client: 'elsewhere' },
        { model: 'm1', systemPrompt: 'Be brief.' },
      ].map(
        async (settings) =>
          suspended(await runPolicy({ type: 'llm', ...settings }, aSpace('a'), aSnapshot(), journal())).digest,
      ),
    );
    expect(new Set(asked).size).toBe(4);
  });

  test('two identical actions are refused, with the place', async () => {
    const run = await runPolicy({ type: 'random' }, aSpace('a', 'b', 'a'), aSnapshot(), journal());
    expect(run).toMatchObject({ status: 'refused', fault: { code: 'duplicate_action', field: 'actions[2]' } });
  });

  test('attempts of a model are journalled one by one, failures too', async () => {
    const tree = { type: 'llm', model: 'm1' };
    const space = aSpace('a');
    const client = new ScriptedClient(['bad', new ApiError(503, 'down')]);
    const answers: JournalAnswer[] = [];
    for (let round = 0; round < 2; round += 1) {
      const run = await runPolicy(tree, space, aSnapshot(), journal(...answers));
      if (!asksModel(run)) throw new Error('should ask a model');
      expect(run).toMatchObject({ place: 'llm', ordinal: round });
      answers.push(await askModel(client, run));
    }
    expect(answers[1]).toMatchObject({ result: { ok: false, error: 'api', status: 503 } });
    const run = chosen(await runPolicy(tree, space, aSnapshot(), journal(...stored(answers))));
    expect(run).toMatchObject({ action: null, stages: [{ outcome: 'client_failed', usage: { calls: 2 } }] });
    client.assertDone();
  });

  test('an answer that was cut is journalled as one, and chooses nothing', async () => {
    const tree = { type: 'llm', model: 'm1', maxRetries: 0 };
    const run = await runPolicy(tree, aSpace('a'), aSnapshot(), journal());
    if (!asksModel(run)) throw new Error('should ask a model');
    const cut = { text: picks('a'), isCut: true, usage: { inputTokens: 3, outputTokens: 2 } } as const;
    const answer = await askModel(new ScriptedClient([cut]), run);
    const again = chosen(await runPolicy(tree, aSpace('a'), aSnapshot(), journal(...stored([answer]))));
    expect(again).toMatchObject({ action: null, stages: [{ outcome: 'attempts_exhausted', usage: cut.usage }] });
  });

  test('an answer that is too long for the journal is a failure, not a part of an answer', async () => {
    const run = await runPolicy({ type: 'llm', model: 'm' }, aSpace('a'), aSnapshot(), journal());
    if (!asksModel(run)) throw new Error('should ask a model');
    const answer = await askModel(new ScriptedClient([picks('a').padEnd(8001)]), run);
    expect(answer.result).toMatchObject({ ok: false, error: 'parse' });
    expect(Buffer.byteLength(JSON.stringify(journalAnswer.parse(answer)))).toBeLessThan(32_000);
  });

  test('an answer that is not well-formed text is corrected like any other', async () => {
    const client = new ScriptedClient(['{"action":"\ud800"}', picks('a')]);
    const answers: JournalAnswer[] = [];
    let run = await runPolicy({ type: 'llm', model: 'm' }, aSpace('a'), aSnapshot(), journal());
    while (asksModel(run)) {
      answers.push(await askModel(client, run));
      run = await runPolicy({ type: 'llm', model: 'm' }, aSpace('a'), aSnapshot(), journal(...answers));
    }
    expect(chosen(run).action?.flow_id).toBe('a');
    client.assertDone();
  });

  test('asks 64 questions at most', async () => {
    let tree: unknown = { type: 'llm', model: 'm', maxRetries: 10 };
    for (let level = 0; level < 6; level += 1) {
      tree = {
        type: 'composite',
        proposer: tree,
        approver: { type: 'llm', model: 'm', maxRetries: 10 },
        requiresApproval: { type: 'always' },
      };
    }
    const answers: JournalAnswer[] = [];
    for (;;) {
      const run = await runPolicy(tree, aSpace('a'), aSnapshot(), journal(...answers));
      if (!asksModel(run)) {
        expect(run).toMatchObject({ status: 'refused', fault: { code: 'too_many_questions' } });
        break;
      }
      const good = answers.length % 11 === 10;
      answers.push(await askModel(new ScriptedClient([good ? picks('a') : 'bad']), run));
    }
    expect(answers).toHaveLength(64);
  });

  test('the same choice draws the same, another one may draw otherwise', async () => {
    const space = aSpace(...Array.from({ length: 50 }, (_, index) => `f${index}`));
    const draw = async (pid: string): Promise<Action | null> =>
      chosen(await runPolicy({ type: 'random' }, space, aSnapshot(), { pid, answers: [] })).action;
    expect(await draw('p1')).toBe(await draw('p1'));
    expect(new Set(await Promise.all(['p1', 'p2', 'p3', 'p4', 'p5'].map(draw))).size).toBeGreaterThan(1);
  });
});
