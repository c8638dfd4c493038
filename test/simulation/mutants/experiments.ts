/**
 * Lists the experiments of a review of durability, put back as defects of today's code.
 * Numbers are the review's own. An experiment that no history can show is played by a test.
 */
import { approvals, domain, intake, type Mutant, memory } from './mutant.ts';

/** An experiment, or a part of one, that is no defect of a source which the simulator runs. */
interface Elsewhere {
  readonly name: string;
  readonly why: string;
  /** Fails with the defect; absent where there is none to put back. */
  readonly test?: string;
}

export const ELSEWHERE: readonly Elsewhere[] = [
  {
    name: 'E6 a counter within the transaction that DynamoDB is sent',
    why: 'the simulator has stores in memory',
    test: 'test/unit/adapters/dynamodb/approvals/counters-beside.test.ts',
  },
  { name: 'E19, E25', why: 'numbers of the review that it reports nothing of, so that nothing can be put back' },
];

export const EXPERIMENTS: readonly Mutant[] = [
  {
    name: 'E1 rows that cannot be read stay at the head of a short line',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'await setBack(dueAt, failures + 1).catch(() => undefined);',
    put: '',
    also: [
      {
        find: 'for (let page = await list(undefined); page.length; page = await list(page.at(-1))) {\n    await work(page);',
        put: 'for (let page = (await list(undefined)).slice(0, 4); page.length; page = []) {\n    await work(page);',
      },
    ],
  },
  {
    name: 'E2 nobody asks for a card that is missing',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'if (lacksCard(approval, view.cards)) return askAgain(view, deps, cardsIdle);',
    put: '',
  },
  {
    name: 'E3, E27 a dead reply queue fails the end of its approval',
    file: approvals('reply'),
    find: 'if (age < (error instanceof ReplyRefusedError ? MAX_REFUSED_MS : MAX_REPLY_MS))',
    put: 'if (age >= 0)',
  },
  {
    name: 'E4 an older message lifts the brake',
    file: domain('approval/order'),
    find: 'return newer && sent.at <= newer.at ?',
    put: 'return newer && sent.at < 0 ?',
  },
  {
    name: 'E5 a message is given up after five faults of a store',
    file: intake('resend'),
    find: 'if (!isFromOutside(error) || isPoison(error) || (!isDeferred && receiveCount < RENEW_FROM)) return false;',
    put: 'if (receiveCount > 0) return false;',
  },
  {
    name: 'E6 asks of a group meet at a counter of their transaction',
    file: memory('stores/claim-store'),
    find: `const record = await withTextStored(given);
      // From here on without an await: the transaction.`,
    put: `const record = await withTextStored(given);
      const counted = state.waitingOf('group', group);
      await undefined;
      if (state.waitingOf('group', group) !== counted) throw new Error('another transaction changed the counter');`,
  },
  {
    name: 'E7 the reconciler works one row a minute',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'for (let page = await list(undefined); page.length; page = await list(page.at(-1))) {\n    await work(page);',
    put: 'for (let page = (await list(undefined)).slice(0, 1); page.length; page = []) {\n    await work(page);',
  },
  {
    name: 'E8, E10 a row with a field of the next release cannot be read',
    file: memory('stores/approval-store'),
    find: 'approval: readCopy(row.approval, asStored(approvalSchema)),',
    put: 'approval: readCopy(row.approval, approvalSchema),',
  },
  {
    name: 'E9 each row that waits is looked at every minute',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'await deps.approvals.postpone(approval.pid, dueAt, approval.version);',
    put: 'await deps.approvals.postpone(approval.pid, now + RETRY_MS, approval.version);',
  },
  {
    name: 'E14 a row that cannot be read keeps its waiting slots',
    file: memory('stores/approval-store'),
    find: "if (agent !== undefined) state.addWaiting('agent', agent, -1);",
    put: '',
  },
  {
    name: 'E11 an old card in a closed channel fails the drawing of each later one',
    file: 'shared/adapters/slack/posting/draw.ts',
    find: 'if (asksNow(view, drawing) && isAskedIn(view.approval, card.channel)) return false;',
    put: 'if (card) return false;',
  },
  {
    name: 'E12, E18 a batch forgets its grants after people answered',
    file: 'shared/use-cases/kernel/calls/authorization/authorize-call.ts',
    find: '...(grant ? { grant } : {}),',
    put: '',
  },
  {
    name: 'E13 what was taken back meanwhile answers a call of a card',
    file: 'shared/use-cases/kernel/calls/authorization/authorize-call.ts',
    find: 'withoutMemory(changed), judging, ports);',
    put: 'withoutMemory({ ...changed, levels: changed.levels.map((one, at) => ({ ...one, calls: chain.levels[at]?.calls ?? [] })) }), judging, ports);',
  },
  {
    name: 'E15 an identical call is cancelled with the one that asked',
    file: 'shared/domain/approval/disagreement.ts',
    find: "!(decision && isForged(decision)) && status !== 'cancelled' &&",
    put: '!(decision && isForged(decision)) &&',
  },
  {
    name: 'E15 an identical call follows one that has ended',
    file: memory('stores/claim-store'),
    find: 'return primary && isPending(primary) ? pointer?.pid : undefined;',
    put: 'return primary ? pointer?.pid : undefined;',
  },
  {
    name: 'E16 a pause after people answered is told as a change of the policy',
    file: 'shared/use-cases/kernel/calls/call-decisions.ts',
    find: "if (verdict.source === 'pause')",
    put: "if (verdict.source === 'nobody')",
  },
  {
    name: 'E17 each copy of a message asks people anew',
    file: memory('stores/claim-store'),
    find: `if (earlier) return { kind: 'exists', claim: earlier };
      if (state.approvals.has(approval.pid)) throw new Error('the approval is there already, and its claim is not');`,
    put: "if (earlier) state.audit.get([record.key.agent, record.key.pid].join('#'))?.delete(record.key.sort);",
  },
  {
    name: 'E20 a journal holds all rules of its session',
    file: 'shared/use-cases/sessions/bounded-chain.ts',
    find: 'if (bytesOf(levels.map(({ rules }) => rules)) <= MAX_RULE_BYTES) return entry;',
    put: 'if (levels.length) return entry;',
  },
  {
    name: 'E20 rules have any length',
    file: 'shared/contract/operation.ts',
    find: 'pattern: text(300).min(1),',
    put: 'pattern: text(3000).min(1),',
  },
  {
    name: 'E21 each call of an entry says all that its decision says',
    file: 'shared/adapters/dynamodb/pack.ts',
    find: 'return { ...without(own, common), ...(permit ? { permit: packPermit(permit, own) } : {}) };',
    put: 'return { ...own, ...(permit ? { permit } : {}) };',
  },
  {
    name: 'E22 a card on which a rule allows one of the calls is never approved',
    file: 'shared/use-cases/kernel/calls/question/call-question.ts',
    find: 'if (asking.some(({ call }) => !answer.calls.includes(call.id))) return false;',
    put: 'if (calls.some(({ call }) => !answer.calls.includes(call.id))) return false;',
  },
  {
    name: 'E24 each call that a model decides writes the row of its session',
    file: 'shared/use-cases/sessions/session-updates.ts',
    find: 'if (row !== own) row = withRecent(row, recent);',
    put: 'if (row !== own || recent.length) row = withRecent(row, recent);',
  },
  {
    name: 'E26 a message that cannot be read is answered where nobody looks',
    file: domain('proposal/read-proposal'),
    find: 'return named === undefined || isReservedId(named) ? null : named;',
    put: 'return named === undefined || named ? null : named;',
  },
  {
    name: 'E23 cards that were lost are never drawn',
    file: 'shared/domain/approval/stage.ts',
    find: 'return row.follows === undefined && askedChannelsOf(row)',
    put: 'return row.version > 99 && askedChannelsOf(row)',
  },
];
