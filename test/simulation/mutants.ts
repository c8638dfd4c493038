/**
 * Lists defects that the simulator has to find: each is a change of one text of one source.
 * Names with an `E` are experiments of a review of durability; the others are lost conditions, swapped orders and missing releases.
 */
export interface Mutant {
  readonly name: string;
  readonly file: string;
  readonly find: string;
  readonly put: string;
  /** Changes of the same source that make the defect only together with the first. */
  readonly also?: readonly { readonly find: string; readonly put: string }[];
}

const memory = (file: string) => `shared/adapters/memory/${file}.ts`;
const approvals = (file: string) => `shared/use-cases/approvals/${file}.ts`;
const execution = (file: string) => `shared/use-cases/execution/${file}.ts`;
const intake = (file: string) => `shared/use-cases/intake/${file}.ts`;
const domain = (file: string) => `shared/domain/${file}.ts`;

export const MUTANTS: readonly Mutant[] = [
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
    find: 'if (!isFromOutside(error) || isPoison(error) || receiveCount < RENEW_FROM) return false;',
    put: 'if (receiveCount > 0) return false;',
  },
  {
    name: 'E7 the reconciler works one row a minute',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'for (let page = await list(undefined); page.length; page = await list(page.at(-1))) {\n    await work(page);',
    put: 'for (let page = (await list(undefined)).slice(0, 1); page.length; page = []) {\n    await work(page);',
  },
  {
    name: 'E8, E10 a row with a field of the next release cannot be read',
    file: memory('approval-store'),
    find: 'approval: readCopy(row.approval, asStored(approvalSchema)),',
    put: 'approval: readCopy(row.approval, approvalSchema),',
  },
  {
    name: 'E14 a row that cannot be read keeps its places',
    file: memory('approval-store'),
    find: "if (agent !== undefined) state.addWaiting('agent', agent, -1);",
    put: '',
  },
  {
    name: 'E11 an old card in a closed channel fails the drawing of each later one',
    file: 'shared/adapters/slack/posting/draw.ts',
    find: 'if (asksNow(view, drawing) && isAskedIn(view, card)) return false;',
    put: 'if (card) return false;',
  },
  {
    name: 'E12, E18 a batch forgets its grants after people answered',
    file: 'shared/use-cases/kernel/calls/authorize-call.ts',
    find: '...(grant ? { grant } : {}),',
    put: '',
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
  {
    name: 'a follower that cannot be read holds up its lead',
    file: approvals('coalesce'),
    find: 'if (!(error instanceof UnreadableApprovalError)) throw error;',
    put: 'if (error) throw error;',
  },
  {
    name: 'the end of a row that cannot be read is told by its first run only',
    file: approvals('end-unread'),
    find: 'let { decision } = unread;',
    put: 'let decision: typeof unread.decision;',
  },
  {
    name: 'an entry of the record takes the place of another',
    file: memory('state'),
    find: 'if (partition.has(record.key.sort)) return false;',
    put: '',
  },
  {
    name: 'no claim check',
    file: memory('claim-store'),
    find: "if (earlier) return { kind: 'exists', claim: earlier };\n      if (!fits(state, sessions)) return { kind: 'session_changed' };\n      writeSessions(state, sessions);\n      state.putRecord(record, { verdict, contentDigest });\n      return",
    put: 'if (earlier) state.audit.get([record.key.agent, record.key.pid].join(`#`))?.delete(record.key.sort);\n      state.putRecord(record, { verdict, contentDigest });\n      return',
  },
  {
    name: 'a vote is written whatever the version',
    file: memory('approval-store'),
    find: `if (!row || row.version !== next.version - 1 || row.decision) return false;
      // One transaction: a record whose key is taken takes the change down with it.
      if (record && !state.putRecord(record)) throw new Error(\`the audit key \${record.key.sort} is taken\`);`,
    put: 'if (!row || row.decision) return false;\n      if (record) state.putRecord(record);',
  },
  {
    name: 'a decision is written over another',
    file: memory('approval-store'),
    find: "if (!row || row.decision || row.version !== approval.version || state.hasRecord(record.key)) return 'exists';",
    put: "if (!row) return 'exists';",
  },
  {
    name: 'a permit is taken twice',
    file: memory('permit-store'),
    find: "if (there && there.stage !== 'free') return there;",
    put: '',
  },
  {
    name: 'the brake is read before the permit is taken, and no more after it',
    file: execution('consume-permit'),
    find: 'const control = await deps.control.read();',
    put: 'const control = { ...(await deps.control.read()), pauses: [] };',
  },
  {
    name: 'no second look at the rules before a call runs',
    file: execution('consume-permit'),
    find: 'if (!objection) return {',
    put: 'if (!objection || objection) return {',
  },
  {
    name: 'places that are not freed',
    file: memory('approval-store'),
    find: "state.addWaiting('group', countedUnder(approval), -1);",
    put: '',
  },
  {
    name: 'a decided row that is not released',
    file: memory('approval-store'),
    find: 'state.approvals.set(pid, { ...rest, isNotified: true });',
    put: '',
  },
  {
    name: 'a vote counts after the end of the wait',
    file: domain('approval/approval'),
    find: "return now >= deadlineOf(row) ? 'expired' : undefined;",
    put: 'return undefined;',
  },
  {
    name: 'one person votes twice',
    file: domain('approval/approval'),
    find: 'if (row.votes.some((other) => sameSeat(other, vote) && aboutTheSame(other, vote)))',
    put: 'if (row.votes.length > 99)',
  },
  {
    name: 'the owner of an agent approves its call',
    file: domain('approval/approval'),
    find: `if (isOwner(row, voter, voter.person)) return 'owner_cannot_approve';
  if (isAsker(row, voter.person)) return 'requester_cannot_approve';`,
    put: '',
  },
  {
    name: 'a refusal that later votes outweigh',
    file: domain('approval/stage'),
    find: "if (rejections && stage.rejectEnds !== false) return 'rejected';",
    put: '',
  },
  {
    name: 'one of two people is enough',
    file: domain('approval/stage'),
    find: 'if (approvals >= stage.quorum) continue;',
    put: 'if (approvals >= 1) continue;',
  },
  {
    name: 'the reconciler leaves rows that ended',
    file: 'shared/use-cases/reconcile/reconcile.ts',
    find: 'if (isTerminal(approval.status)) return repairEnded(view, deps);',
    put: 'if (isTerminal(approval.status)) return;',
  },
  {
    name: 'a permit that was taken and never begun stays taken',
    file: execution('reclaim-permit'),
    find: "if (await releasePermit(held, deps)) await interrupted(held, 'refused', now, deps);",
    put: '',
  },
  {
    name: 'a call that began and never ended may run again',
    file: execution('reclaim-permit'),
    find: "if (!known && !(await interrupted(held, 'unknown', now, deps))) return;",
    put: "if (!known) return void (await releasePermit(held, deps, 'begun'));",
  },
  {
    name: 'a grant that has no end',
    file: domain('session'),
    find: 'Date.parse(approvedAt) <= now && now < Date.parse(expiresAt);',
    put: 'Date.parse(approvedAt) <= now && expiresAt !== undefined;',
  },
  {
    name: 'the brake does not hold for new proposals',
    file: 'shared/use-cases/kernel/calls/authorize-call.ts',
    find: 'const pause = pauseFor(session.control, level.agent, call.toolName, now);',
    put: 'const pause = undefined;',
  },
  {
    name: 'a budget that is only counted',
    file: memory('guardrails/budgets'),
    find: 'if (row.spent >= limit || granted < atLeast)',
    put: 'if (row.spent < 0)',
  },
  {
    name: 'a rate that is not written',
    file: memory('guardrails/rate-limits'),
    find: 'this.#fullAtUs.set(bucket.key, decision.fullAtUs);',
    put: '',
  },
  {
    name: 'slots without a limit',
    file: memory('guardrails/slots'),
    find: 'if (slots.size >= limit || ofAgent >= (agentLimit ?? limit))',
    put: 'if (slots.size > 99)',
  },
  {
    name: 'an identical call is cancelled with the one that asked',
    file: approvals('coalesce'),
    find: "!isForged(decision) && primary.status !== 'cancelled' &&",
    put: '!isForged(decision) &&',
  },
  {
    name: 'a cancel leaves no tombstone',
    file: intake('cancel-proposal'),
    find: "const claimed = await deps.claims.claim({ record: tombstone, contentDigest: null, verdict: 'cancelled' });",
    put: "const claimed = { kind: 'exists', claim: { verdict: 'ask' } };",
  },
  {
    name: 'dead letters that nobody answers',
    file: memory('queues/queue'),
    find: 'await this.#options.answerDead?.(message, tries);',
    put: '',
  },
  {
    name: 'a message that was put back is lost',
    file: memory('queues/queue'),
    find: 'if (!result.ok) this.#putBack(held, result.retryAfterMs);',
    put: '',
  },
  {
    name: 'more may wait than the policy file says',
    file: memory('claim-store'),
    find: "if (state.waitingOf('agent', approval.agent) >= most.agent) return { kind: 'too_many_waiting', limit: 'agent' };",
    put: '',
  },
  {
    name: 'whoever changes a severe call approves it',
    file: domain('approval/approval'),
    find: 'isHigh(row) && row.editors?.some(',
    put: '!isHigh(row) && row.editors?.some(',
  },
  {
    name: 'a permit for the changed call also runs the one that was proposed',
    file: execution('consume-permit'),
    find: "if (digestOf(action) !== call.permit.actionDigest) return { refusal: 'action_digest_mismatch' };",
    put: '',
  },
  {
    name: 'a yes to the call before a change is one to the call after it',
    file: domain('approval/approval'),
    find: 'questionDigest === question.digest ? undefined :',
    put: 'questionDigest ? undefined :',
  },
  {
    name: 'a rejected choice is made',
    file: 'shared/policies/human-in-the-loop.ts',
    find: "return report('rejected', null, { flowId, by: result.by, detail: result.reason });",
    put: "return report('approved', proposed, { by: result.by });",
  },
  {
    name: 'a choice without an answer in time is made',
    file: 'shared/policies/human-in-the-loop.ts',
    find: 'return this.timeoutBehavior === TimeoutBehavior.Approve\n          ?',
    put: 'return this.timeoutBehavior\n          ?',
  },
  {
    name: 'a person who names another flow gets the proposed one',
    file: 'shared/policies/human-in-the-loop.ts',
    find: "if (substitute) return report('substituted', substitute, { by: result.by });",
    put: "if (substitute) return report('substituted', proposed, { by: result.by });",
  },
  {
    name: 'no flow of a composite needs a person',
    file: 'shared/policies/composite.ts',
    find: "if (asks === false) return report('auto_approved', proposed);",
    put: "if (asks || !asks) return report('auto_approved', proposed);",
  },
  {
    name: 'the brake of one agent holds for none',
    file: 'shared/ports/stores/control.ts',
    find: "('agent' in scope ? scope.agent === agent : scope.tool === tool)",
    put: "('tool' in scope && scope.tool === tool)",
  },
];
