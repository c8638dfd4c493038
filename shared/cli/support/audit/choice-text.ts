/**
 * Prints a choice of the record, stage by stage.
 *
 * Shows who and what decided, and the questions to models with their answers.
 */
import type { AuditEntry } from '../../../contract/index.ts';
import { plain, table } from '../terminal.ts';
import { peopleOf } from './audit-row.ts';

type Choice = NonNullable<AuditEntry['choice']>;

export function textOfChoice({ policy, stages, omitted, usage, exchanges = [] }: Choice, columns: number): string {
  const rows = stages.map(({ place, outcome, flowId, by, detail, usage: tokens }) => [
    place,
    outcome,
    flowId ?? '',
    by === undefined ? (tokens ? usageText(tokens) : '') : peopleOf(by),
    detail ?? '',
  ]);
  const parts = [
    `\nThe choice of the policy ${plain(policy)}, stage by stage:\n`,
    table(['STAGE', 'DID', 'FLOW', 'WHO', 'WHY'], rows, columns),
    omitted ? `${omitted} stages where nobody was asked are left out.\n` : '',
  ];
  if (exchanges.length) {
    const words = exchanges.map(({ place, by, asked, answered }) => [place, by, asked, answered]);
    parts.push(`\nWhat models were asked and answered, cut:\n`);
    parts.push(table(['STAGE', 'MODEL', 'ASKED', 'ANSWERED'], words, columns));
  }
  if (usage) parts.push(`All models: ${usageText(usage)}${costOf(usage)}.\n`);
  return parts.join('');
}

type Tokens = Pick<NonNullable<Choice['usage']>, 'calls' | 'inputTokens' | 'outputTokens'>;
const usageText = ({ calls, inputTokens, outputTokens }: Tokens): string =>
  `${calls} ${calls === 1 ? 'call' : 'calls'}, ${inputTokens} + ${outputTokens} tokens`;

const costOf = ({ costMicroUsd }: NonNullable<Choice['usage']>): string =>
  costMicroUsd === undefined ? '' : `, $${(costMicroUsd / 1_000_000).toFixed(6)}`;
