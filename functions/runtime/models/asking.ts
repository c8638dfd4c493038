/** Wires budgets and the memory of questions to models and hooks, for `deliberate` alone. */
import { randomUUID } from 'node:crypto';
import { DynamoBudgets } from '../../../shared/adapters/dynamodb/guardrails/budgets.ts';
import { dynamoModelAnswers } from '../../../shared/adapters/dynamodb/model-answers.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { AskingDependencies } from '../../../shared/use-cases/resolvers/question-limits.ts';
import { dynamo } from '../clients/aws.ts';

export function askingOf(stateTable: string, clock: Clock): AskingDependencies {
  const client = dynamo();
  return {
    budgets: new DynamoBudgets({ client, table: stateTable, now: clock.now }),
    answers: dynamoModelAnswers(client, { state: stateTable }),
    newId: randomUUID,
  };
}
