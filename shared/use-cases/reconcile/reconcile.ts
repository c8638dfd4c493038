/**
 * Repairs what a crash or an outage left between a row, its workflow and its card.
 * Runs each minute; safe to run twice at once.
 */
import type { Approval, AuditEntry } from '../../contract/index.ts';
import { advance, currentStage, isTerminal, lacksCard, sinceOf } from '../../domain/approval/approval.ts';
import { nextLookAt } from '../../domain/approval/due.ts';
import { cardLookDue } from '../../domain/approval/shown.ts';
import { type UnreadApproval, UnreadableApprovalError } from '../../domain/approval/unread-approval.ts';
import { type ApprovalView, type DueApproval, isSetAside } from '../../ports/stores/approval-store.ts';
import type { DuePermit } from '../../ports/stores/permit-store.ts';
import type { Resumer, Workflow } from '../../ports/workflow.ts';
import { answerFollower } from '../approvals/coalesce.ts';
import type { ResolveDependencies } from '../approvals/dependencies.ts';
import { lookAtCards, refreshCards, refreshChangedCards, refreshShownCards } from '../approvals/refresh-cards.ts';
import { unlessUnreadable } from '../approvals/resolution/end-unread.ts';
import { resolveApproval } from '../approvals/resolution/resolve-approval.ts';
import { completeWait, updateApproval } from '../approvals/update-approval.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { type ReclaimDependencies, reclaimPermit } from '../execution/reclaim-permit.ts';
import { moveQuestion } from './lazy-imports.ts';

export interface ReconcileDependencies extends ResolveDependencies, ReclaimDependencies {
  readonly workflow: Workflow;
  readonly resumer: Resumer;
}

/** A row that ended is finished here this long after, whatever its workflow does. */
const FINISH_AFTER_MS = 2 * 60_000;
const PAST_EXPIRY_MS = 60_000;
const RETRY_MS = 60_000;
/** A row that cannot be read is tried again after a minute, then after twice as long each time, up to this. */
const MAX_PAUSE_MS = 15 * 60_000;
/** A card that is on its way, or waits in its line, is asked for again no more seldom than this. */
const MAX_CARD_PAUSE_MS = 60 * 60_000;
/** Rows that are worked at once. */
const PAGE = 100;
/** More rows than one run can look at; those beyond come in the next. */
const MAX_FIRST_LOOKS = 20_000;

export interface Repaired {
  readonly looked: number;
  readonly failed: readonly { readonly pid: string; readonly error: unknown }[];
  /** Due rows of approvals or permits that are not there: nobody looks after them any more. */
  readonly orphans: readonly string[];
  /** How long the oldest row had been due when the run began, in milliseconds. */
  readonly oldestMs: number;
  /** Why an index could not be listed, or not all of it. A fault of the run, which repaired what it could list. */
  readonly listFault?: unknown;
}

/**
 * Repairs every due approval and permit, page by page until `until`; a failure of one leaves the others alone. Ends by time or people come first;
 * then rows that may only lack a card.
 */
export async function reconcile(deps: ReconcileDependencies, until: number): Promise<Repaired> {
  const now = deps.clock.now();
  const run = new Run(deps, now);
  const firstLooks: DueApproval[] = [];
  const approvals = eachPage<DueApproval>(
    (after) => deps.approvals.due(now, PAGE, after, run.unlisted),
    async (page) => {
      run.saw(page);
      firstLooks.push(...page.filter(({ isFirstLook }) => isFirstLook).slice(0, MAX_FIRST_LOOKS - firstLooks.length));
      await run.approvals(page.filter(({ isFirstLook }) => !isFirstLook));
    },
    () => deps.clock.now() < until,
  );
  const permits = eachPage<DuePermit>(
    (after) => deps.permits.due(now, PAGE, after, run.unlisted),
    async (page) => {
      run.saw(page);
      await run.permits(page);
    },
    () => deps.clock.now() < until,
  );
  const listed = await Promise.allSettled([approvals, permits]);
  for (let from = 0; from < firstLooks.length && deps.clock.now() < until; from += PAGE)
    await run.approvals(firstLooks.slice(from, from + PAGE));
  for (const one of listed) if (one.status === 'rejected') run.unlisted(one.reason);
  return run;
}

async function eachPage<Row>(
  list: (after: Row | undefined) => Promise<readonly Row[]>,
  work: (page: readonly Row[]) => Promise<void>,
  hasTime: () => boolean,
): Promise<void> {
  for (let page = await list(undefined); page.length; page = await list(page.at(-1))) {
    await work(page);
    if (!hasTime()) return;
  }
}

/** One run of the reconciler: what it looked at, and what came of it. */
class Run implements Repaired {
  looked = 0;
  oldestMs = 0;
  listFault: unknown;
  readonly failed: { readonly pid: string; readonly error: unknown }[] = [];
  readonly orphans: string[] = [];
  readonly #deps: ReconcileDependencies;
  readonly #now: number;
  #isIdle: Promise<boolean> | undefined;

  constructor(deps: ReconcileDependencies, now: number) {
    this.#deps = deps;
    this.#now = now;
  }

  readonly unlisted = (fault: unknown): void => {
    this.listFault ??= fault;
  };

  saw(page: readonly { readonly dueAt: number }[]): void {
    for (const { dueAt } of page) this.oldestMs = Math.max(this.oldestMs, this.#now - dueAt);
  }

  approvals(page: readonly DueApproval[]): Promise<void> {
    return this.#each(page, async (due) => {
      const view = await this.#read(
        due.failures,
        () => this.#deps.approvals.read(due.pid),
        (dueAt, failures) => this.#deps.approvals.setBack(due.pid, dueAt, failures),
      ).catch(async (error: unknown) => {
        if (error instanceof UnreadableApprovalError) await this.#endUnread(error.unread);
        // Announced all the same: somebody has to learn why the row could not be read.
        throw error;
      });
      if (!view) {
        await this.#deps.approvals.dropDue(due.pid);
        this.orphans.push(due.pid);
        return;
      }
      // Before the work: a repair that fails comes again in a minute. A first look ends with its own, and stays due until then.
      const { approval, decision } = view;
      if (!due.isFirstLook)
        await this.#deps.approvals.postpone(
          due.pid,
          this.#deps.clock.now() + RETRY_MS,
          approval.version,
          decision !== undefined,
        );
      await repair(view, this.#deps, () => this.#cardsIdle());
    });
  }

  permits(page: readonly DuePermit[]): Promise<void> {
    return this.#each(page, async (due) => {
      const { pid, callId, failures } = due;
      const { permits } = this.#deps;
      const held = await this.#read(
        failures,
        () => permits.read(pid, callId),
        (dueAt, failed) => permits.setBack(pid, callId, dueAt, failed),
      );
      if (!held) {
        await permits.dropDue(pid, callId);
        this.orphans.push(pid);
        return;
      }
      // Before the work: a repair that fails comes again in a minute.
      await permits.setBack(pid, callId, this.#deps.clock.now() + RETRY_MS, 0);
      await reclaimPermit(held, this.#deps);
    });
  }

  async #each<Row extends { readonly pid: string }>(
    page: readonly Row[],
    work: (row: Row) => Promise<void>,
  ): Promise<void> {
    this.looked += page.length;
    const results = await Promise.allSettled(page.map(work));
    for (const [index, result] of results.entries())
      if (result.status === 'rejected') this.failed.push({ pid: page[index]?.pid ?? '', error: result.reason });
  }

  /** A row that cannot be read is set back by its key, further each time: it takes no other row's turn. */
  async #read<Row>(
    failures: number,
    read: () => Promise<Row | undefined>,
    setBack: (dueAt: number, failures: number) => Promise<void>,
  ): Promise<Row | undefined> {
    try {
      return await read();
    } catch (error) {
      const now = this.#deps.clock.now();
      const pause = Math.min(MAX_PAUSE_MS, RETRY_MS * 2 ** Math.min(failures, 10));
      const end = endOf(error);
      const dueAt = end !== undefined && now < end ? Math.min(now + pause, end) : now + pause;
      await setBack(dueAt, failures + 1).catch(() => undefined);
      throw error;
    }
  }

  /** Stays due until its execution was woken. */
  async #endUnread({ pid }: UnreadApproval): Promise<void> {
    const { state } = await resolveApproval(pid, this.#deps, true);
    if (state !== 'done' && state !== 'unheard') return;
    await completeWait(pid, this.#deps, 'decided');
    if (state === 'done') await this.#deps.approvals.release(pid);
  }

  /** Asked once, before this run itself asks for cards. */
  #cardsIdle(): Promise<boolean> {
    this.#isIdle ??= this.#deps.cards.isIdle().catch(() => false);
    return this.#isIdle;
  }
}

/** When a row that cannot be read is ended. */
const endOf = (error: unknown): number | undefined =>
  error instanceof UnreadableApprovalError && error.unread.expiresAt !== undefined
    ? error.unread.expiresAt + PAST_EXPIRY_MS
    : undefined;

async function repair(
  view: ApprovalView,
  deps: ReconcileDependencies,
  cardsIdle: () => Promise<boolean>,
): Promise<void> {
  const { approval } = view;
  const { pid } = approval;
  const now = deps.clock.now();
  if (isTerminal(approval.status)) return repairEnded(view, deps);
  if (now >= Date.parse(approval.expiresAt) + PAST_EXPIRY_MS) return resolveAgain(pid, deps);
  // People are asked even if no execution can be started: the row is the truth, and is finished here.
  const started = startWait(approval, deps).catch((error: unknown) => ({ error }));
  if (approval.follows === undefined || !(await followed(approval, deps))) await pass(view, deps, cardsIdle);
  const fault = await started;
  if (fault) throw fault.error;
}

async function repairEnded(view: ApprovalView, deps: ReconcileDependencies): Promise<void> {
  const { approval, decision } = view;
  const { pid } = approval;
  let isAwake = false;
  try {
    isAwake = await completeWait(pid, deps, decision ? 'decided' : 'answered');
  } catch (error) {
    // Decided all the same; the row stays due until its execution was woken.
    if (!decision) await resolveAgain(pid, deps, true);
    throw error;
  }
  const isOverdue = deps.clock.now() >= Date.parse(approval.endedAt ?? approval.expiresAt) + FINISH_AFTER_MS;
  // Decided already: the run that was to tell everybody stopped before it was done. Not woken: no execution waits that could decide.
  if (decision || isOverdue || !isAwake) await resolveAgain(pid, deps);
}

/** A token says that the execution began; started twice is started once. */
async function startWait({ pid, expiresAt }: Approval, deps: ReconcileDependencies): Promise<undefined> {
  if (!(await deps.approvals.readToken(pid))) await deps.workflow.start(pid, expiresAt);
}

/** Answers a follower whose primary may have ended without answering it. */
async function followed({ pid, follows = '' }: Approval, deps: ReconcileDependencies): Promise<boolean> {
  const primary = await deps.approvals.read(follows).catch(unlessUnreadable);
  const { approval, decision } = primary ?? {};
  if (!approval || !decision) return false;
  const answer = await answerFollower(pid, { approval, decision }, deps);
  if (answer.kind === 'answered') await resolveAgain(pid, deps);
  if (answer.kind === 'alone' && answer.detached) await refreshChangedCards(answer.detached, deps.cards);
  return true;
}

/**
 * Applies the effects of time to a waiting row: reminders, escalation, the end of a stage. Nothing happens twice: each effect is a change of the row.
 */
async function pass(view: ApprovalView, deps: ReconcileDependencies, cardsIdle: () => Promise<boolean>): Promise<void> {
  const { approval } = view;
  const now = deps.clock.now();
  const changed = await updateApproval(
    approval.pid,
    (current) => advance(current.approval, now),
    (before, next) => recordOf(deps, approval, `stage#${next.version}`, stepOf(before.approval, next)),
    deps,
    view,
  );
  if (changed.kind === 'refused') {
    const moved = isChannelClosed(view) ? await moveQuestion(view, deps) : undefined;
    if (moved) return refreshChangedCards(moved, deps.cards);
    if (lacksCard(approval, view.cards)) return askAgain(view, deps, cardsIdle);
    // The run that changed the row last may have stopped before it asked for cards: a further stage's, or those of an approval that asks alone now.
    if (approval.version > 0) await refreshChangedCards(approval, deps.cards);
    // A list could not read the row, and still shows it so.
    else if (isSetAside(view.cardProblem)) await refreshShownCards(approval, deps.cards);
    const look = cardLookDue(approval, view.cards, now);
    if (look) await lookAtCards(approval, now, deps.cards);
    const next = nextLookAt(approval, now);
    // Not if somebody voted meanwhile: the row is looked at again soon then. A last look that was lost is asked for again.
    const dueAt = look === 'last' ? Math.min(now + RETRY_MS, next) : next;
    await deps.approvals.postpone(approval.pid, dueAt, approval.version);
    return;
  }
  if (changed.kind === 'missing') return;
  const next = changed.approval;
  if (isTerminal(next.status)) await completeWait(next.pid, deps);
  await refreshChangedCards(next, deps.cards);
}

const isChannelClosed = ({ cardProblem }: ApprovalView): boolean =>
  cardProblem === 'channel_gone' || cardProblem === 'not_in_channel';

/**
 * Nobody sees the question: its card is asked for again. Where nothing waits to be drawn the request was lost, and is looked after each
 * minute; while others wait it is most likely among them, and a copy would only lengthen the line.
 */
async function askAgain(
  view: ApprovalView,
  deps: ReconcileDependencies,
  cardsIdle: () => Promise<boolean>,
): Promise<void> {
  const { approval, cardProblem } = view;
  const now = deps.clock.now();
  const isLost = await cardsIdle();
  await refreshCards(approval, `again-${Math.floor(now / RETRY_MS)}`, deps.cards);
  const age = Math.max(RETRY_MS, now - sinceOf(approval));
  const pause = isSetAside(cardProblem)
    ? Math.min(MAX_PAUSE_MS, age)
    : isLost
      ? RETRY_MS
      : Math.min(MAX_CARD_PAUSE_MS, age);
  await deps.approvals.postpone(approval.pid, Math.min(now + pause, nextLookAt(approval, now)), approval.version);
}

function stepOf(before: Approval, next: Approval): Pick<AuditEntry, 'type' | 'reasonCode' | 'detail'> {
  const { group } = currentStage(before);
  const step = isTerminal(next.status) ? 'expired' : next.escalated && !before.escalated ? 'escalated' : 'reminded';
  return { type: 'stage', reasonCode: step, detail: `stage ${(before.stage ?? 0) + 1}, ${group}` };
}

/** A call with secrets is decided where its original may be read, which is not here. */
async function resolveAgain(pid: string, deps: ReconcileDependencies, asleep = false): Promise<void> {
  const { state } = await resolveApproval(pid, deps, asleep);
  if (state === 'sealed') await deps.resumer.resume(pid);
}
