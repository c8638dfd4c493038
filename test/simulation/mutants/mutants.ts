/**
 * Lists defects that the simulator has to find: each is a change of one text of one source.
 * The experiments of a review come first; the others are lost conditions, swapped orders and missing releases.
 */
import { OF_CACHES } from './caches.ts';
import { OF_DAYS } from './days.ts';
import { OF_EVENTS } from './events.ts';
import { EXPERIMENTS } from './experiments.ts';
import { OF_FORMS } from './forms.ts';
import { OF_HOOKS } from './hooks.ts';
import { approvals, domain, execution, intake, type Mutant, memory } from './mutant.ts';
import { OF_OUTSIDE } from './outside.ts';
import { OF_SEATS } from './seats.ts';
import { OF_SERVERS } from './servers.ts';
import { OF_TABLES } from './tables.ts';
import { OF_TIME } from './time.ts';

export const MUTANTS: readonly Mutant[] = [
  ...EXPERIMENTS,
  ...OF_TABLES,
  ...OF_HOOKS,
  ...OF_TIME,
  ...OF_SEATS,
  ...OF_DAYS,
  ...OF_EVENTS,
  ...OF_CACHES,
  ...OF_SERVERS,
  ...OF_OUTSIDE,
  ...OF_FORMS,
  {
    name: 'a follower that cannot be read holds up its lead',
    file: approvals('coalesce'),
    find: 'if (!(error instanceof UnreadableApprovalError)) throw error;',
    put: 'if (error) throw error;',
  },
  {
    name: 'the end of a row that cannot be read is told by its first run only',
    file: approvals('resolution/end-unread'),
    find: 'let { decision } = unread;',
    put: 'let decision: typeof unread.decision;',
  },
  {
    name: 'an entry of the record takes the place of another',
    file: memory('stores/state'),
    find: 'if (partition.has(record.key.sort)) return false;',
    put: '',
  },
  {
    name: 'no claim check',
    file: memory('stores/claim-store'),
    find: "if (earlier) return { kind: 'exists', claim: earlier };\n      if (!fits(state, sessions)) return { kind: 'session_changed' };\n      writeSessions(state, sessions);\n      state.putRecord(record, { verdict, contentDigest });\n      return",
    put: 'if (earlier) state.audit.get([record.key.agent, record.key.pid].join(`#`))?.delete(record.key.sort);\n      state.putRecord(record, { verdict, contentDigest });\n      return',
  },
  {
    name: 'a vote is written whatever the version',
    file: memory('stores/approval-store'),
    find: `if (!row || row.version !== next.version - 1 || row.decision) return false;
      // One transaction: a record whose key is taken takes the change down with it.
      if (record && !state.putRecord(record)) throw new Error(\`the audit key \${record.key.sort} is taken\`);`,
    put: 'if (!row || row.decision) return false;\n      if (record) state.putRecord(record);',
  },
  {
    name: 'a decision is written over another',
    file: memory('stores/approval-store'),
    find: "if (!row || row.decision || row.version !== approval.version || state.hasRecord(record.key)) return 'exists';",
    put: "if (!row) return 'exists';",
  },
  {
    name: 'a permit is taken twice',
    file: memory('stores/permit-store'),
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
    name: 'waiting slots that are not freed',
    file: memory('stores/approval-store'),
    find: "state.addWaiting('group', countedUnder(approval), -1);",
    put: '',
  },
  {
    name: 'a decided row that is not released',
    file: memory('stores/approval-store'),
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
    file: 'shared/use-cases/kernel/calls/authorization/authorize-call.ts',
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
    name: 'a cancel leaves no tombstone',
    file: intake('evaluation/cancel-proposal'),
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
    file: memory('stores/claim-store'),
    find: "if (state.waitingOf('agent', approval.agent) >= most.agent) return { kind: 'too_many_waiting', limit: 'agent' };",
    put: '',
  },
  {
    name: 'whoever changes a severe call approves it',
    file: domain('approval/approval'),
    find: 'isHighSeverity(row.question.severity) && row.editors?.some(',
    put: '!isHighSeverity(row.question.severity) && row.editors?.some(',
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
  {
    name: 'an approval for once answers later calls as well',
    file: 'shared/use-cases/sessions/session-updates.ts',
    find: 'if (scope && isGrantable({ call, verdict }, keys)) row = withGrant(row, { ...grant, scope }, now);',
    put: "if (isGrantable({ call, verdict }, keys)) row = withGrant(row, { ...grant, key: ownKeys.exact, scope: scope ?? 'session' }, now);",
  },
  {
    name: 'after a change the card shows what was proposed',
    file: domain('proposal/asked-call'),
    find: 'return call && input ? { ...call, input } : call;',
    put: 'return call;',
  },
  {
    name: 'the row of an approval holds the token of its workflow',
    file: memory('stores/approval-store'),
    find: 'state.tokens.set(pid, toCopy(token));',
    put: `state.tokens.set(pid, toCopy(token));
      const row = state.approvals.get(pid);
      if (row) state.approvals.set(pid, { ...row, approval: toCopy({ ...JSON.parse(row.approval.json), ...token }) });`,
  },
  {
    name: 'a call that was interrupted counts as one that succeeded',
    file: execution('reclaim-permit'),
    find: "{ status: 'unknown', startedAt,",
    put: "{ status: 'succeeded', startedAt,",
  },
  {
    name: 'an open circuit lets nothing through again',
    file: 'shared/guardrails/limits/circuit-breaker.ts',
    find: "if (row.state === 'open' && now < row.probeAt)",
    put: "if (row.state === 'open')",
  },
  {
    name: 'a lost probe keeps its circuit half-open',
    file: 'shared/guardrails/limits/circuit-breaker.ts',
    find: 'const alive = half.probes.filter(({ expiresAt }) => expiresAt > now);',
    put: 'const alive = half.probes;',
  },
  {
    name: 'a proposal is stored with its secret',
    file: 'shared/use-cases/redaction/redact-proposal.ts',
    find: 'return found ? redactFound(proposal, { proposal: value, found, secrets }, tools) : { proposal, found, secrets };',
    put: 'return { proposal, found: false, secrets: [] };',
  },
  {
    name: 'a decision names the policy file of when people were asked',
    file: approvals('resolution/commit-resolution'),
    find: 'const decision = decisionOf(answer, subject, deps, state === undefined ? {} : { state });',
    put: `const decision = {
    ...decisionOf(answer, subject, deps, state === undefined ? {} : { state }),
    policyVersion: view.approval.policyVersion,
  };`,
  },
  {
    name: 'an operation without effect is not recorded',
    file: 'shared/use-cases/operations/perform-operation.ts',
    find: 'await note(message, operator, { ...done, detail: told.reason, operation: about }, deps);',
    put: 'if (done.accepted) await note(message, operator, { ...done, detail: told.reason, operation: about }, deps);',
  },
  {
    name: 'a call that ran is not recorded',
    file: execution('complete-call'),
    find: 'await deps.audit.put(record);',
    put: '',
  },
  {
    name: 'a click that is refused is not recorded',
    file: approvals('voting/cast-vote'),
    find: 'await deps.audit.put(\n    recordOf(deps, subject, `click#',
    put: 'await Promise.resolve(\n    recordOf(deps, subject, `click#',
  },
  {
    name: 'of two fields with one name the later one counts',
    file: domain('raw-json'),
    find: "if (top.keys.has(value))\n    return fault('duplicate_key'",
    put: "if (top.keys.size < 0)\n    return fault('duplicate_key'",
  },
  {
    name: 'a question expires whenever somebody looks at it',
    file: domain('approval/approval'),
    find: "if (now < deadlineOf(row)) return refused('not_yet_expired');",
    put: '',
  },
];
