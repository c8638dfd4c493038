/** Tests properties of every message and every conversation. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { processMessage, validateDecision } from '../../../shared/task-agent/index.ts';
import { unicodeText } from '../../support/unicode-text.ts';
import { AgentWorld } from './agent-world.ts';

const WORDS = [
  'add',
  'task',
  'delete',
  'the',
  'milk',
  'to',
  'yes',
  'no',
  'done',
  'mark',
  'as',
  'show',
  'me',
  'my',
  'list',
  'and',
  ',',
  'change',
  'first',
  '#1',
  'remind',
  'buy',
  'all',
  'u2',
  '😀',
  "don't",
  'forget',
  '{description}',
  'ok',
  '.',
  'is',
];
const spoken = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 12 }).map((words) => words.join(' '));
const message = fc.oneof(
  spoken,
  unicodeText({ minLength: 1, maxLength: 60 }),
  fc.constantFrom('delete the milk task', 'delete bread', 'yes', 'no', 'show my tasks', 'mark milk as done'),
);

const FOREIGN = 'user-2-secret';

async function world(): Promise<AgentWorld> {
  const made = new AgentWorld();
  await made.store.add('u1', 'buy milk');
  await made.store.add('u1', 'bake bread');
  await made.store.add(FOREIGN, `${FOREIGN} milk`);
  return made;
}

describe('any message', () => {
  test('gives a valid decision, one record, and nothing of another user', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        const one = await world();
        const decision = await one.say(text);
        expect(validateDecision(decision)).toEqual({ valid: true });
        expect(decision.response_text ?? decision.clarification_question).toBeTruthy();
        expect(one.records).toHaveLength(1);
        expect(JSON.stringify(decision)).not.toContain(FOREIGN);
        expect(one.calls.every((call) => call.parameters.user_id === 'u1')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test('gives the same decision every time', async () => {
    await fc.assert(
      fc.asyncProperty(message, async (text) => {
        expect(await (await world()).say(text)).toEqual(await (await world()).say(text));
      }),
      { numRuns: 200 },
    );
  });

  test('tells nothing of what a failing tool says', async () => {
    const leak = `trace: postgres://db ${FOREIGN}`;
    const failure = fc.constantFrom('NOT_FOUND', 'ACCESS_DENIED', 'DATABASE_ERROR', 'VALIDATION_ERROR', undefined);
    await fc.assert(
      fc.asyncProperty(message, failure, async (text, code) => {
        const one = await world();
        const tools = async () => ({ success: false, error: leak, error_code: code, owner: FOREIGN });
        expect(JSON.stringify(await one.say(text, { tools }))).not.toContain(FOREIGN);
      }),
      { numRuns: 200 },
    );
  });
});

describe('any conversation', () => {
  const step = fc.record({ text: message, waitMs: fc.constantFrom(0, 1000, 299_999, 300_000, 300_001, 900_000) });

  test('deletes only on a fresh yes to the question just before', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 12 }), async (steps) => {
        const one = await world();
        for (const { text, waitMs } of steps) {
          one.now += waitMs;
          const asked = one.pending;
          const before = one.calls.length;
          const tasks = await one.store.list('u1');
          const decision = await one.say(text);
          const deleted = one.calls.slice(before).filter((call) => call.tool_name === 'delete_task');
          if (deleted.length > 0) {
            expect(deleted).toHaveLength(1);
            expect(decision.decision_type).toBe('EXECUTE_PENDING');
            expect(deleted[0]?.parameters).toEqual({ user_id: 'u1', task_id: asked?.task_id });
            expect(one.now).toBeLessThanOrEqual(Date.parse(asked?.expires_at ?? ''));
            expect(text.trim().toLowerCase()).toMatch(
              /^(y|yes|yeah|yep|yup|confirm|do it|go ahead|sure|ok|okay)[.! ]*$/,
            );
          } else {
            const left = new Set((await one.store.list('u1')).map((task) => task.id));
            expect(tasks.every((task) => left.has(task.id))).toBe(true);
          }
        }
        expect(await one.descriptions(FOREIGN)).toHaveLength(1);
        expect(one.records).toHaveLength(steps.length);
      }),
      { numRuns: 300 },
    );
  });

  test('a message of any kind, even of any type, is answered', async () => {
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (anything) => {
        const one = await world();
        const decision = await processMessage(anything as never, one.ports);
        expect(validateDecision(decision)).toEqual({ valid: true });
        expect(one.records).toHaveLength(1);
      }),
      { numRuns: 300 },
    );
  });
});
