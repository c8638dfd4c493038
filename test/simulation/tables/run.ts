/** Holds the tables of one run: their faults, what their writes mean, and the count of what waits. */
import { recountWaiting } from '../../../shared/adapters/dynamodb/approvals/waiting-slots.ts';
import { recordFromItem } from '../../../shared/adapters/dynamodb/audit/audit-item.ts';
import { fromItem, type Item, PREFIX } from '../../../shared/adapters/dynamodb/items.ts';
import { approvalFromRow } from '../../../shared/adapters/dynamodb/pack.ts';
import { dynamoReplyStore } from '../../../shared/adapters/dynamodb/reply-store.ts';
import { pauseBound } from '../../../shared/adapters/dynamodb/retry-pause.ts';
import { memoryInputStore } from '../../../shared/adapters/memory/stores/input-store.ts';
import type { GateStores } from '../../../shared/adapters/memory/stores.ts';
import type { PolicyFile } from '../../../shared/config/schema/policy-file.ts';
import type { Approval } from '../../../shared/contract/approval.ts';
import { CANARY } from '../../../shared/domain/canary.ts';
import type { ReplyStore } from '../../../shared/ports/conversation.ts';
import type { AuditRecord } from '../../../shared/ports/stores/audit-log.ts';
import type { CountingClock } from '../model/clock.ts';
import type { Faults, Process } from '../model/faults.ts';
import type { History } from '../model/history.ts';
import type { Plan } from '../model/plan.ts';
import { firstOf, namedSeed } from '../model/random.ts';
import type { Stored } from '../model/stored.ts';
import { ArchiveOfRun } from './archive.ts';
import { SimulatedClient } from './client.ts';
import { DEFINITIONS, NAMES } from './definitions.ts';
import { onTables } from './stored.ts';
import { storesOnTables } from './stores.ts';
import { SimulatedTables } from './tables.ts';

const MINUTE = 60_000;
/** As far as an index, or a read without consistency, is behind in the runs in which they are. */
const BEHIND_MS = 3_000;

/** The run that the tables are of. */
interface Run {
  readonly plan: Plan;
  readonly clock: CountingClock;
  readonly faults: Faults;
  readonly history: History;
  readonly tokens: Set<string>;
  /** Absent until it is put together, on these tables. */
  readonly gate?: { readonly parts: { readonly policy: { readonly settings: PolicyFile } } };
  sleep(ms: number): Promise<void>;
  noteDecided(record: AuditRecord, process: Process | undefined): void;
  noteOpened(approval: Approval, waiting: number, process: Process | undefined): void;
  noteEntry(record: AuditRecord, isNew: boolean, process: Process | undefined): void;
}

export class TablesOfRun {
  readonly stores: GateStores;
  readonly stored: Stored;
  readonly replies: ReplyStore;
  readonly #world: Run;
  readonly #tables: SimulatedTables;
  readonly #client: SimulatedClient;
  readonly #archive: ArchiveOfRun;
  #isStopped = false;

  constructor(world: Run) {
    this.#world = world;
    const { clock, faults, plan } = world;
    this.#archive = new ArchiveOfRun(world);
    this.#tables = new SimulatedTables({
      now: () => clock.now(),
      behindMs: plan.rate > 0 && firstOf(namedSeed(plan.seed, 'behind')) < 0.5 ? BEHIND_MS : 0,
      after: (ms, work) => void clock.after(ms, work),
      onWrite: (table, before, after) => this.#see(table, before, after),
    });
    for (const definition of DEFINITIONS) this.#tables.CreateTable(definition);
    this.#client = new SimulatedClient(faults.wrap('dynamo', this.#tables), async (attempt) =>
      world.sleep(pauseBound(attempt)),
    );
    const inputs = memoryInputStore();
    this.stores = storesOnTables(this.#client, inputs);
    this.replies = dynamoReplyStore(this.#client, NAMES);
    this.stored = onTables(this.#tables, inputs);
    this.#recount();
  }

  /** Findings in the archive of the record. */
  archiveFindings = (): Promise<string[]> => this.#archive.findings(this.#tables.itemsOf(NAMES.audit));

  /** As TTL does some time after a row is over. */
  deleteExpired(): void {
    this.#tables.deleteExpired(NAMES.state);
  }

  /** Nothing is counted or sealed any more. */
  stop(): void {
    this.#isStopped = true;
    this.#archive.stop();
  }

  /** Whether a counter of what waits is still wrong, which `reconcile` sets right after some minutes, or the archive lacks an entry. */
  get isBehind(): boolean {
    if (this.#archive.isBehind) return true;
    return [...this.stored.waiting()].some(([, count]) => count !== 0);
  }

  /** As `functions/reconcile.ts` does, each minute. */
  #recount(): void {
    const { clock, faults, gate } = this.#world;
    clock.after(MINUTE, () => {
      if (!this.#isStopped) this.#recount();
    });
    if (!gate) return;
    const { agents, approvers } = gate.parts.policy.settings;
    const names = { agents: Object.keys(agents), groups: [...Object.keys(approvers), CANARY] };
    void faults
      .invoke('recount', () => recountWaiting(this.#client, NAMES.state, names, faults.now()))
      .catch(() => undefined);
  }

  #see(table: string, before: Item | undefined, after: Item | undefined): void {
    if (table === NAMES.audit) this.#archive.streamed(before, after);
    if (!after) return;
    if (table === NAMES.audit) this.#seeEntry(before, after);
    else if (!before) this.#seeNew(after);
  }

  #seeEntry(before: Item | undefined, after: Item): void {
    const world = this.#world;
    const record = recordFromItem(after);
    const { process } = world.faults;
    const isDecision = record.key.sort === 'evaluated' || record.key.sort === 'decided';
    if (before) world.history.overwritten.push(`${record.key.agent}#${record.key.pid}#${record.key.sort}`);
    world.noteEntry(record, true, process);
    if (isDecision && record.decision) world.noteDecided(record, process);
  }

  #seeNew(item: Item): void {
    const world = this.#world;
    const [pk, sk] = [item['pk']?.S ?? '', item['sk']?.S];
    if (pk.startsWith(PREFIX.token)) world.tokens.add((fromItem(item)['token'] as { readonly token: string }).token);
    if (!pk.startsWith(PREFIX.approval) || sk !== 'row') return;
    const approval = approvalFromRow(fromItem(item));
    const waiting = this.#rowsThatWait(approval.agent);
    world.noteOpened(approval, waiting, world.faults.process);
  }

  #rowsThatWait(agent: string): number {
    let count = 0;
    for (const item of this.#tables.itemsOf(NAMES.state)) {
      if (item['sk']?.S !== 'row' || item['decision'] || !item['pk']?.S?.startsWith(PREFIX.approval)) continue;
      const { agent: of, status } = item['approval']?.M ?? {};
      if (of?.S === agent && status?.S === 'pending') count += 1;
    }
    return count;
  }
}
