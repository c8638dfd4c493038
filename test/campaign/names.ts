/** Reads records and decisions of the campaign with people in place of their aliases. */
import { dynamoAliasStore } from '../../shared/adapters/dynamodb/audit/alias-store.ts';
import type { Decision } from '../../shared/contract/index.ts';
import { systemClock } from '../../shared/ports/clock.ts';
import type { AuditRecord } from '../../shared/ports/stores/audit-log.ts';
import { aliasesIn, aliasesInRecord, restored, toPeople } from '../../shared/use-cases/audit/entry-aliases.ts';
import { PeopleAliases } from '../../shared/use-cases/audit/people-aliases.ts';
import { renamedDecision } from '../../shared/use-cases/audit/renamed-record.ts';
import type { CampaignGate } from './gate.ts';

const writesNone = (): never => {
  throw new Error('who reads the record makes no alias');
};

export class Names {
  readonly #people: PeopleAliases;

  constructor({ root, outputs }: Pick<CampaignGate, 'root' | 'outputs'>) {
    const aliases = dynamoAliasStore(root.dynamodb, { state: outputs.StateTable });
    this.#people = new PeopleAliases({ aliases, clock: systemClock, newSecret: writesNone });
  }

  async inRecords(records: readonly AuditRecord[]): Promise<AuditRecord[]> {
    const keys = await this.#people.keysOf(records.flatMap(aliasesInRecord));
    return records.map((record) => restored(record, keys));
  }

  /** As an agent reads it, who sees aliases. */
  async inDecision(decision: Decision): Promise<Decision> {
    const keys = await this.#people.keysOf(aliasesIn((rename) => renamedDecision(decision, rename)));
    return renamedDecision(decision, toPeople(keys));
  }
}
