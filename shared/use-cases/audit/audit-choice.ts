/** Records an action choice: which stage decided what, who answered, what the models took. */
import type { AnswerEntry, AuditEntry, ModelEntry } from '../../contract/index.ts';
import type { StageRecord } from '../../policies/agent-policy.ts';
import type { ChoiceTrace } from '../kernel/calls/run.ts';

type ChoiceRecord = NonNullable<AuditEntry['choice']>;

/** An entry of the record stays within 4 KB. */
const MAX_BYTES = 2_800;
/** The part of them that is left to the words of models. */
const EXCHANGES_BYTES = 1_100;
const DETAIL = 150;
const WORDS = 200;

export function choiceRecord({ policy, stages }: ChoiceTrace, answers: readonly AnswerEntry[]): ChoiceRecord {
  const models = answers.filter((entry) => entry.type === 'model');
  const shown = stages.map(stageRecord);
  let omitted = 0;
  // A tree may have hundreds of stages: those where nobody was asked are left out first, from the inside.
  const maxBytes = MAX_BYTES - (models.length ? EXCHANGES_BYTES : 0);
  while (bytesOf(shown) > maxBytes) {
    const quiet = shown.findIndex(({ by, usage }) => by === undefined && usage === undefined);
    shown.splice(Math.max(0, quiet), 1);
    omitted += 1;
  }
  return {
    policy,
    stages: shown,
    ...(omitted ? { omitted } : {}),
    ...(models.length ? { usage: usageOf(models), exchanges: exchangesOf(models) } : {}),
  };
}

type Exchange = NonNullable<ChoiceRecord['exchanges']>[number];

/** In their order; where there is no room for all, the last ones, since they decided. */
function exchangesOf(models: readonly ModelEntry[]): Exchange[] {
  const exchanges = models.map(({ place, by, asked = '', result }): Exchange => {
    const answered = result.ok ? result.text : `${result.error}: ${result.message}`;
    return { place, by, asked: cut(asked), answered: cut(answered) };
  });
  while (bytesOf(exchanges) > EXCHANGES_BYTES && exchanges.length > 1) exchanges.shift();
  return exchanges;
}

const cut = (words: string): string => words.slice(0, WORDS).toWellFormed();
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

const stageRecord = ({ place, outcome, flowId, by, detail, usage }: StageRecord): ChoiceRecord['stages'][number] => ({
  place,
  outcome,
  flowId,
  ...(by === undefined ? {} : { by }),
  ...(detail ? { detail: detail.slice(0, DETAIL).toWellFormed() } : {}),
  ...(usage === undefined ? {} : { usage }),
});

function usageOf(models: readonly ModelEntry[]): NonNullable<ChoiceRecord['usage']> {
  const sum = (each: (entry: ModelEntry) => number) => models.reduce((total, entry) => total + each(entry), 0);
  const costs = models.filter(({ costMicroUsd }) => costMicroUsd !== undefined);
  return {
    calls: models.length,
    inputTokens: sum(({ result }) => (result.ok ? result.usage.inputTokens : 0)),
    outputTokens: sum(({ result }) => (result.ok ? result.usage.outputTokens : 0)),
    ...(costs.length ? { costMicroUsd: sum(({ costMicroUsd = 0 }) => costMicroUsd) } : {}),
    models: [...new Set(models.map(({ by }) => by))].slice(0, 8),
  };
}
