/** Opens the record for reading: entries name people by their Slack ids, also where they hold aliases. */
import type { AuditLog } from '../../../ports/stores/audit-log.ts';
import type { Io } from '../io.ts';
import { policyNear, setting } from '../settings.ts';

/**
 * Aliases are resolved where the state table is named, which holds what they are made of.
 * @throws CliError if the policy file that is here has aliases, and no state table is named: entries of a person would be missed.
 */
export async function recordLog(audit: string, io: Io): Promise<AuditLog> {
  const [{ dynamoAuditLog }, { dynamo }] = await Promise.all([
    import('../../../adapters/dynamodb/audit/audit-log.ts'),
    import('../clients.ts'),
  ]);
  const client = await dynamo();
  const log = dynamoAuditLog(client, { audit, state: '' });
  const hasAliases = (await policyNear(io))?.record.hasAliases === true;
  const state = hasAliases
    ? setting('COUNTERSIGN_STATE_TABLE', undefined, io)
    : io.env['COUNTERSIGN_STATE_TABLE'] || undefined;
  if (state === undefined) return log;
  const [{ dynamoAliasStore }, { withPeople }, { PeopleAliases }] = await Promise.all([
    import('../../../adapters/dynamodb/audit/alias-store.ts'),
    import('../../../use-cases/audit/aliased-record.ts'),
    import('../../../use-cases/audit/people-aliases.ts'),
  ]);
  const aliases = dynamoAliasStore(client, { state });
  return withPeople(log, new PeopleAliases({ aliases, clock: { now: io.now }, newSecret: neverMade }));
}

function neverMade(): never {
  throw new Error('a reader of the record makes no alias');
}
