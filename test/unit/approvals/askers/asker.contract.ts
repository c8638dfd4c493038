/**
 * Checks every asker, whoever answers at its other end.
 *
 * `make` gives one whose person answers so, or fails.
 */
import { describe, expect, test } from 'vitest';
import { PermissionService } from '../../../../shared/permissions/index.ts';
import type { Answer, Asker, CallQuestion, ChoiceQuestion } from '../../../../shared/ports/asker.ts';
import { proposed, snapshot, space } from '../channels/channel.contract.ts';

export const callQuestion: CallQuestion = {
  kind: 'call',
  id: 'q1',
  title: 'Tool [Bash] requires human approval',
  tool: 'Bash',
  input: { command: 'make' },
};
export const choiceQuestion: ChoiceQuestion = {
  kind: 'choice',
  id: 'q2',
  title: 'Execute flow a',
  proposed,
  actionSpace: space,
  snapshot,
};

/** An asker, and how to let go of what it holds. */
interface MadeAsker {
  readonly ask: Asker;
  close?(): unknown;
}
type MakeAsker = (answer: Answer | 'fails') => MadeAsker | Promise<MadeAsker>;

export function askerContract(name: string, make: MakeAsker): void {
  const using = async (answer: Answer | 'fails', work: (ask: Asker) => Promise<void>) => {
    const made = await make(answer);
    try {
      await work(made.ask);
    } finally {
      await made.close?.();
    }
  };
  const never = new AbortController().signal;

  describe(`the ${name} asker`, () => {
    test.each<Answer>([{ type: 'approved' }, { type: 'rejected', reason: 'not now' }])(
      'passes on %j to a question about a call',
      (answer) =>
        using(answer, async (ask) => expect(await ask(callQuestion, { signal: never })).toMatchObject(answer)),
    );

    test.each<Answer>([{ type: 'approved' }, { type: 'rejected' }, { type: 'chose', index: 2 }])(
      'passes on %j to a question about an action',
      (answer) =>
        using(answer, async (ask) => expect(await ask(choiceQuestion, { signal: never })).toMatchObject(answer)),
    );

    test('changes nothing of the question', () =>
      using({ type: 'approved' }, async (ask) => {
        const before = structuredClone(choiceQuestion);
        await ask(choiceQuestion, { signal: never });
        expect(choiceQuestion).toEqual(before);
      }));

    test.each<Answer | 'fails'>(['fails', { type: 'rejected', reason: 'no' }])(
      'never allows a call of the permission service where its person answers %j',
      (answer) =>
        using(answer, async (ask) => {
          const service = new PermissionService({ ask, askTimeout: '1s' });
          expect(await service.decide('Deploy', { to: 'live' })).toMatchObject({ decision: 'deny' });
        }),
    );
  });
}
