/**
 * Writes the record with aliases in place of people, and reads it with people in place of aliases.
 *
 * The use cases know nothing of it: they write and read people by their Slack ids.
 */
import type { Approval } from '../../contract/index.ts';
import { aliasOf } from '../../domain/record/alias.ts';
import type { ApprovalStore } from '../../ports/stores/approval-store.ts';
import type { AuditLog, AuditRecord } from '../../ports/stores/audit-log.ts';
import type { Claim, ClaimStore, OpenResult, StoredClaim } from '../../ports/stores/claim-store.ts';
import type { ReplySender } from '../../ports/stores/outbox.ts';
import {
  type AliasedRecord,
  aliased,
  aliasesIn,
  aliasesInRecord,
  listedIn,
  restored,
  toAliases,
  toPeople,
} from './entry-aliases.ts';
import type { PeopleAliases } from './people-aliases.ts';
import { peopleInDecision, renamedDecision } from './renamed-record.ts';

interface RecordStores {
  readonly claims: ClaimStore;
  readonly approvals: ApprovalStore;
  readonly audit: AuditLog;
}

/** The same stores: entries that they write name people by aliases, and entries that they give name people by ids again. */
export function withAliases<Stores extends RecordStores>(stores: Stores, by: AliasedRecord): Stores {
  const { claims, approvals, audit } = stores;
  const claimed = async (claim: Claim): Promise<Claim> => ({ ...claim, record: await aliased(claim.record, [], by) });
  /** A claim that was there before. */
  const known = async (claim: StoredClaim): Promise<StoredClaim> => {
    const { decision } = claim;
    const aliases = decision ? aliasesIn((rename) => renamedDecision(decision, rename)) : [];
    if (!decision || !aliases.length) return claim;
    return { ...claim, decision: renamedDecision(decision, toPeople(await by.people.keysOf(aliases))) };
  };
  const resulting = async <Result extends OpenResult>(result: Result): Promise<Result> =>
    result.kind === 'exists' ? { ...result, claim: await known(result.claim) } : result;
  return {
    ...stores,
    claims: {
      async readBatch(...given) {
        const view = await claims.readBatch(...given);
        const restored = await Promise.all(
          [...view.claims].map(async ([pid, one]) => [pid, await known(one)] as const),
        );
        return { ...view, claims: new Map(restored) };
      },
      roomFor: (...given) => claims.roomFor(...given),
      claim: async (claim, ...rest) => resulting(await claims.claim(await claimed(claim), ...rest)),
      open: async (claim, ...rest) => resulting(await claims.open(await claimed(claim), ...rest)),
    },
    approvals: {
      ...approvals,
      write: async (next, record, ...rest) =>
        approvals.write(next, record && (await aliased(record, votersOf(next), by)), ...rest),
      finish: async (approval, record, ...rest) =>
        approvals.finish(approval, await aliased(record, votersOf(approval), by), ...rest),
      finishUnread: async (unread, record, ...rest) =>
        approvals.finishUnread(unread, await aliased(record, [], by), ...rest),
    },
    audit: {
      ...withPeople(audit, by.people),
      put: async (record) => audit.put(await aliased(record, [], by)),
    },
  };
}

/** Agents are told a decision as the record has it. */
export const withAliasedReplies = (replies: ReplySender, by: AliasedRecord): ReplySender => ({
  giveUp: (agent) => replies.giveUp(agent),
  async send(agent, decision, ...rest) {
    if (!by.writesAliases()) return replies.send(agent, decision, ...rest);
    const listed = by.listed();
    const inTexts = listedIn(listed, (rename) => renamedDecision(decision, rename));
    const keys = await by.people.keysFor([...peopleInDecision(decision), ...inTexts], (user) => listed.has(user));
    return replies.send(agent, renamedDecision(decision, toAliases(keys)), ...rest);
  },
});

/** Reads of the record, with people in place of their aliases; a person whose secret is destroyed keeps the alias. */
export function withPeople(audit: AuditLog, people: Pick<PeopleAliases, 'keysOf'>): AuditLog {
  const restoredAll = async (records: readonly AuditRecord[]): Promise<AuditRecord[]> => {
    const aliases = records.flatMap(aliasesInRecord);
    // Most records name nobody by an alias.
    if (!aliases.length) return [...records];
    const keys = await people.keysOf(aliases);
    return records.map((record) => restored(record, keys));
  };
  return {
    put: (record) => audit.put(record),
    ofProposal: async (...given) => restoredAll(await audit.ofProposal(...given)),
    ofFamily: async (...given) => restoredAll(await audit.ofFamily(...given)),
    recent: async (...given) => restoredAll(await audit.recent(...given)),
    async find(wanted) {
      const { person } = wanted;
      const key = person === undefined ? undefined : (await people.keysOf([person])).get(person);
      const page = await audit.find(key ? { ...wanted, person: key.user, alias: aliasOf(key) } : wanted);
      return { ...page, records: await restoredAll(page.records) };
    },
    async count(wanted) {
      const counts = await audit.count(wanted);
      const samples = await restoredAll(counts.map(({ sample }) => sample));
      return counts.map((one, index) => ({ ...one, sample: samples[index] ?? one.sample }));
    },
  };
}

/** Everybody who took part, whom the messages of a decision name. */
const votersOf = ({ votes, passed = [], editors = [] }: Approval): string[] => [
  ...new Set([
    ...editors.map(({ user }) => user),
    ...votes.flatMap(({ by, standsFor }) => [by.user, ...(standsFor ? [standsFor.user] : [])]),
    ...passed.flatMap(({ by, to, standsFor }) => [
      by.user,
      ...[to, standsFor].flatMap((one) => (one ? [one.user] : [])),
    ]),
  ]),
];
