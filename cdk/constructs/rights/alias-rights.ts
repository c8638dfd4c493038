/** Grants what functions may do with aliases of people in the record. */
import { hasAliases } from '../../../shared/config/readers/record-people.ts';
import type { GateFunctions, GateParts } from '../functions/gate-functions.ts';
import { grantRows, onlyRows, patternOf } from './row-rights.ts';

/** A function that compares votes and grounds reads whose an alias is; one that names people in entries makes them. */
export function giveAliases(functions: GateFunctions, { tables, shared }: GateParts): void {
  const { evaluate, deliberate, resume, reconcile, operate, slack, converse, redeem } = functions;
  const writers = [evaluate, deliberate, resume, reconcile, operate, slack, converse];
  const rows = onlyRows([patternOf('alias#')]);
  for (const one of [...writers, redeem, functions['execute-tool']])
    one.allow(['dynamodb:BatchGetItem'], [tables.state.tableArn], rows);
  if (!hasAliases(shared.policy.policy)) return;
  for (const one of writers) grantRows(one, tables, { 'alias#': ['PutItem'] });
  // One function forgets; it tells which entries of before there were aliases hold the id.
  grantRows(operate, tables, { 'alias#': ['DeleteItem'] });
  operate.allow(['dynamodb:Query'], [`${tables.audit.tableArn}/index/byFacet`]);
  operate.allow(['dynamodb:BatchGetItem'], [tables.audit.tableArn]);
}
