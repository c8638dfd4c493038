/** Stores approvals in memory: every change is conditional on the version that was read. */
import { approval as approvalSchema } from '../../../contract/approval.ts';
import { decision as decisionSchema } from '../../../contract/decision.ts';
import { asStored } from '../../../contract/stored.ts';
import { countedUnder } from '../../../domain/approval/approval.ts';
import { isFirstLook } from '../../../domain/approval/due.ts';
import { UnreadableApprovalError } from '../../../domain/approval/unread-approval.ts';
import { compareText } from '../../../domain/text/compare-text.ts';
import type { ApprovalStore, ApprovalView, Card, TaskToken } from '../../../ports/stores/approval-store.ts';
import { InputGoneError, type InputStore } from '../../../ports/stores/input-store.ts';
import { NO_WRITES } from '../../../ports/stores/session-store.ts';
import { appendEntry } from './journal-store.ts';
import { anyOf, type JsonCopy, readCopy, sharedOf, toCopy } from './json-copy.ts';
import { fits, writeSessions } from './session-store.ts';
import { type ApprovalRow, getOrAdd, type MemoryState } from './state.ts';

export function memoryApprovalStore(state: MemoryState, inputs: InputStore): ApprovalStore {
  const cardsOf = (pid: string) => [...(state.cards.get(pid)?.values() ?? [])].map((card) => sharedOf(card) as Card);
  const unreadable = (pid: string, row: ApprovalRow, error: unknown): UnreadableApprovalError => {
    const { version, counted, expiresAt, isNotified } = row;
    const waiters = [...(state.waiters.get(pid) ?? [])];
    const known = { pid, approval: anyOf(row.approval), version, counted, expiresAt, waiters, cards: cardsOf(pid) };
    const isInputGone = error instanceof InputGoneError;
    const decision = row.decision && asStored(decisionSchema).safeParse(anyOf(row.decision)).data;
    const isDecided = row.decision !== undefined;
    return new UnreadableApprovalError({ ...known, isDecided, decision, isNotified, isInputGone }, error);
  };
  const readRow = (row: ApprovalRow): Pick<ApprovalView, 'approval' | 'decision'> => ({
    approval: readCopy(row.approval, asStored(approvalSchema)),
    ...(row.decision ? { decision: readCopy(row.decision, asStored(decisionSchema)) } : {}),
  });

  return {
    async read(pid) {
      const row = state.approvals.get(pid);
      const copy = state.proposals.get(pid);
      if (!row || !copy) return undefined;
      const cards = cardsOf(pid);
      let read: ReturnType<typeof readRow>;
      try {
        read = readRow(row);
      } catch (error) {
        throw unreadable(pid, row, error);
      }
      const text = 'body' in copy ? copy.body : inputs.get(copy.bodyDigest);
      const proposal = await Promise.resolve(text).catch((error: unknown) => {
        throw error instanceof InputGoneError ? unreadable(pid, row, error) : error;
      });
      return {
        ...read,
        proposal,
        ...(copy.sealed === undefined ? {} : { sealed: copy.sealed }),
        cards,
        waiters: [...(state.waiters.get(pid) ?? [])],
        ...(row.isNotified ? { isNotified: row.isNotified } : {}),
        ...(row.cardProblem ? { cardProblem: row.cardProblem } : {}),
        ...(row.dueAt === undefined ? {} : { dueAt: row.dueAt }),
      };
    },

    async write(next, record, dueAt, journal) {
      const row = state.approvals.get(next.pid);
      if (!row || row.version !== next.version - 1 || row.decision) return false;
      // One transaction: a record whose key is taken takes the change down with it.
      if (record && !state.putRecord(record)) throw new Error(`the audit key ${record.key.sort} is taken`);
      if (journal && !appendEntry(state, next.pid, journal)) throw new Error('the journal has this entry already');
      state.approvals.set(next.pid, { ...row, approval: toCopy(next), version: next.version, dueAt });
      return true;
    },

    async addCard(pid, card) {
      getOrAdd(state.cards, pid, () => new Map<string, JsonCopy<unknown>>()).set(
        `${card.channel}#${card.ts}`,
        toCopy(card),
      );
    },

    async noteCardProblem(pid, cardProblem) {
      const row = state.approvals.get(pid);
      if (row) state.approvals.set(pid, { ...row, cardProblem });
    },

    async storeToken(pid, token) {
      const stored = state.tokens.get(pid);
      if (stored && isLater(sharedOf(stored) as TaskToken, token)) return false;
      state.tokens.set(pid, toCopy(token));
      return true;
    },

    async readToken(pid) {
      const stored = state.tokens.get(pid);
      return stored && (sharedOf(stored) as TaskToken);
    },

    async finish(approval, record, dueAt, sessions = NO_WRITES, journal) {
      const row = state.approvals.get(approval.pid);
      if (!row || row.decision || row.version !== approval.version || state.hasRecord(record.key)) return 'exists';
      if (!fits(state, sessions)) return 'session_changed';
      writeSessions(state, sessions);
      state.putRecord(record);
      state.approvals.set(approval.pid, { ...row, decision: toCopy(record.rowDecision ?? record.decision), dueAt });
      state.addWaiting('agent', approval.agent, -1);
      state.addWaiting('group', countedUnder(approval), -1);
      if (journal) appendEntry(state, approval.pid, journal);
      return 'written';
    },

    async finishUnread({ pid, version, agent, group }, record, dueAt) {
      const row = state.approvals.get(pid);
      if (!row || row.decision || row.version !== version || state.hasRecord(record.key)) return 'exists';
      state.putRecord(record);
      const { failures: _, ...rest } = row;
      state.approvals.set(pid, { ...rest, decision: toCopy(record.rowDecision ?? record.decision), dueAt });
      if (agent !== undefined) state.addWaiting('agent', agent, -1);
      if (group !== undefined) state.addWaiting('group', group, -1);
      return 'written';
    },

    async release(pid) {
      const row = state.approvals.get(pid);
      if (!row?.decision) return;
      const { dueAt: _, ...rest } = row;
      state.approvals.set(pid, { ...rest, isNotified: true });
    },

    async markNotified(pid) {
      const row = state.approvals.get(pid);
      if (row?.decision) state.approvals.set(pid, { ...row, isNotified: true });
    },

    async due(now, limit, after) {
      const isNext = (pid: string, dueAt: number) =>
        !after || dueAt > after.dueAt || (dueAt === after.dueAt && pid > after.pid);
      const next: { readonly pid: string; readonly row: ApprovalRow; readonly dueAt: number }[] = [];
      for (const [pid, row] of state.approvals) {
        const { dueAt } = row;
        if (dueAt !== undefined && dueAt <= now && isNext(pid, dueAt)) next.push({ pid, row, dueAt });
      }
      return next
        .sort((a, b) => a.dueAt - b.dueAt || compareText(a.pid, b.pid))
        .slice(0, limit)
        .map(({ pid, row, dueAt }) => ({
          pid,
          dueAt,
          failures: row.failures ?? 0,
          isFirstLook: row.decision === undefined && isFirstLook(anyOf(row.approval), now),
        }));
    },

    async postpone(pid, dueAt, version, isDecided = false) {
      const row = state.approvals.get(pid);
      if (row?.dueAt === undefined || row.version !== version || (row.decision !== undefined) !== isDecided)
        return false;
      const { failures: _, ...rest } = row;
      state.approvals.set(pid, { ...rest, dueAt } satisfies ApprovalRow);
      return true;
    },

    async bringForward(pid, dueAt, released) {
      const row = state.approvals.get(pid);
      if (!row || (row.dueAt === undefined ? !released : row.dueAt <= dueAt)) return;
      state.approvals.set(pid, { ...row, dueAt } satisfies ApprovalRow);
    },

    async setBack(pid, dueAt, failures) {
      const row = state.approvals.get(pid);
      if (row?.dueAt !== undefined) state.approvals.set(pid, { ...row, dueAt, failures });
    },

    async dropDue(pid) {
      const row = state.approvals.get(pid);
      if (!row) return;
      const { dueAt: _, failures: __, ...rest } = row;
      state.approvals.set(pid, rest);
    },
  };
}

/** Whether `a` belongs to a later place of the execution than `b`. */
function isLater(a: TaskToken, b: TaskToken): boolean {
  const entered = Date.parse(a.enteredAt) - Date.parse(b.enteredAt);
  return entered === 0 ? a.retryCount > b.retryCount : entered > 0;
}
