/**
 * Checks that no outsider gets a secret and no model's text allows (D53, D54, D56, G37).
 *
 * For random calls, hooks and models: a model allows only by the exact object, and no edited call runs that the hook
 * would deny.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { INVENTED_SECRETS } from '../../../support/invented-secrets.ts';
import { AUTO, allows, answer, bash, HOOK, MODEL, outsideWorld } from '../outside-world.ts';

const RUNS = Number(process.env['COUNTERSIGN_RUNS'] ?? 60);

const canary = fc.constantFrom(...INVENTED_SECRETS);
/** Where an agent may put a text that holds a secret. */
const hidden = fc.record({
  canary,
  field: fc.constantFrom('command', 'description', 'body', 'nested', 'list', 'cwd', 'rule'),
  toolName: fc.constantFrom('Bash', 'mcp__mail__send'),
});

test('no secret of a known shape reaches a model or a hook', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(hidden, { minLength: 1, maxLength: 4 }), async (calls) => {
      const { world, questions, bodies } = outsideWorld(
        { ...AUTO, more: `${HOOK}\n${MODEL}` },
        { model: allows, hook: () => ({}) },
      );
      for (const [index, { canary: one, field, toolName }] of calls.entries()) {
        const text = one.text;
        const command = field === 'command' ? text : `make ${index}`;
        const input = {
          command,
          ...(field === 'description' || field === 'body' ? { [field]: text } : {}),
          ...(field === 'nested' ? { a: { b: { c: text } } } : {}),
          ...(field === 'list' ? { items: ['x', text] } : {}),
        };
        await world.send({
          ...{ kind: 'tool-call', proposalId: `p${index}`, toolName, input, title: text, reason: text },
          ...(field === 'cwd' ? { cwd: `/tmp/${text.slice(0, 200)}` } : {}),
          ...(field === 'rule' ? { rules: [{ effect: 'ask', pattern: `Bash(${text.slice(0, 500)})` }] } : {}),
        });
      }
      const told = JSON.stringify([questions, bodies]);
      for (const { canary: one } of calls) {
        expect(told).not.toContain(one.secret);
        expect(told).not.toContain(JSON.stringify(one.secret).slice(1, -1));
      }
    }),
    { numRuns: RUNS },
  );
});

const piece = fc.constantFrom(
  ...['', ' ', '\n', '```', '```json\n', '\n```', '{', '}', '[', ']', '"', ',', 'no', 'Sure: ', '<think>', '</think>'],
  ...['I would block this. ', '{"should_block":true}', '"override":true', '\u00a0', '\u0000', '//', 'null'],
);
const confidence = fc.constantFrom(1, 0.8, 0.95);

test('no text of a model allows but the object that repeats the nonce, with blanks or one closed fence around it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 3 }),
      fc.array(piece, { maxLength: 3 }),
      confidence,
      async (before, behind, sure) => {
        let text = '';
        const { world, outcome, questions } = outsideWorld(AUTO, {
          model: ({ nonce }) => {
            text = `${before.join('')}${answer(nonce, false, sure)}${behind.join('')}`;
            return text;
          },
        });
        await world.send(bash('p', 'make x'));
        const object = answer(questions[0]?.nonce ?? '', false, sure);
        const fence = /^```(?:json)?[ \t]*\n([\s\S]*)\n[ \t]*```$/;
        const whole = text.replace(/^[ \t\r\n]+|[ \t\r\n]+$/g, '');
        const isExact = (fence.exec(whole)?.[1] ?? whole).replace(/^[ \n]+|[ \n]+$/g, '') === object;
        expect(await outcome('p')).toBe(isExact ? 'approved/classifier' : 'waits');
      },
    ),
    { numRuns: RUNS * 2 },
  );
});

const command = fc.constantFrom('make x', 'make evil', 'git status', 'make y', 'git status evil', 'echo evil');
const word = fc.constantFrom('ask', 'pass', 'allow');
const edits = fc.array(fc.record({ who: fc.constantFrom('alice', 'bob'), command }), { minLength: 1, maxLength: 4 });

test('no call runs that the hook denies, whatever people make of it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('make x', 'make y'),
      word,
      edits,
      fc.boolean(),
      async (first, otherwise, changes, twice) => {
        const { world, bodies } = outsideWorld(
          { more: HOOK },
          {
            hook: ({ tool_input: input }) =>
              String(input['command']).includes('evil')
                ? { decision: 'deny' }
                : { decision: String(input['command']) === first ? 'ask' : otherwise },
          },
        );
        await world.send(bash('p', first));
        for (const { who, command: changed } of changes) {
          if (await world.decision('p')) break;
          await world.edit('p', who as 'alice', { command: changed });
          if (twice) await world.gate.parts.deferred.handOver(world.pid('p'));
          await world.rest();
        }
        if (!(await world.decision('p'))) {
          await world.click('p', 'alice');
          if (!(await world.decision('p'))) await world.click('p', 'bob');
        }
        const decision = await world.decided('p');
        const [call] = decision.calls;
        const ran = (call?.effective?.input['command'] ?? first) as string;
        if (call?.outcome === 'approved') {
          expect(ran).not.toContain('evil');
          expect(bodies.map(({ tool_input: input }) => input['command'])).toContain(ran);
        }
        expect(world.faults).toEqual([]);
      },
    ),
    { numRuns: RUNS },
  );
});
