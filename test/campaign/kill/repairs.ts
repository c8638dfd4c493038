/** Plays, for each function, what it repairs: each scene leaves the gate as an outage would, and has it repaired at once. */
import { setTimeout as delay } from 'node:timers/promises';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { GateFunctionName } from '../../../cdk/constructs/function-names.ts';
import { anchorName, toldName } from '../../../shared/domain/archive/anchor.ts';
import {
  askedEarlier,
  asleepForEver,
  cardsForgotten,
  damaged,
  isLookedAfter,
  isPermitDue,
  neverTold,
  noticedLongAgo,
  orphaned,
  permitOverdue,
  placeLost,
  placesOf,
  tokenLost,
} from '../../e2e/harness/damage.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import { waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow, waitedFor } from '../../e2e/harness/time.ts';
import type { Propose } from '../../simulation/plan.ts';
import { PEOPLE } from '../../simulation/policies.ts';
import { HAS_QUEUE, HOOKED, REDEEMS } from '../gate.ts';
import type { Door } from './functions.ts';
import { approvedBy, called, decided, proposed, type Scene, saidTo, type Turn, woken } from './scenes.ts';

const TRIES = 8;
/** A row is finished by the reconciler so long after the end of its time. */
const PAST_EXPIRY_MS = 61_000;
const LASTS_MS = 3_000;
const MINUTE_MS = 60_000;
/** Nobody asks under this name in a campaign. */
const IDLE_AGENT = 'tasks';

/** Approvals are looked after until nothing is left to do to them. */
async function repaired(...pids: readonly string[]): Promise<void> {
  for (let tried = 0; tried < TRIES; tried++) {
    const due: string[] = [];
    for (const pid of pids) if (await isLookedAfter(pid)) due.push(pid);
    if (!due.length) return;
    await reconcileNow(...due).catch(() => undefined);
  }
}

/** The reconciler, as its schedule calls it, until it has done what was to be done. */
async function reconciled(isDone: () => Promise<boolean>): Promise<void> {
  for (let tried = 0; tried < TRIES && !(await isDone()); tried++) {
    const { error } = await invoke('reconcile', {});
    if (error !== undefined) await delay(200);
  }
}

const VOTED: Door = {
  verb: 'slack',
  file: 'shared/use-cases/approvals/cast-vote.ts',
  words: 'await updateApproval(',
};
const DECIDED: Omit<Door, 'verb'> = {
  file: 'shared/use-cases/approvals/commit-resolution.ts',
  words: 'await deps.approvals.finish(',
};
const TAKEN: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/consume-permit.ts',
  words: 'await deps.permits.take(',
};
const BEGUN: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/execute.ts',
  words: "await deps.permits.move(next, 'taken', reportBy)",
};
const ENDED: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/complete-call.ts',
  words: 'await deps.permits.move(next,',
};
const RESULT_PUT: Door = {
  verb: 'execute-tool',
  file: 'shared/use-cases/execution/execute.ts',
  words: 'await deps.results.put(agent, pid, await',
};

const OPENED: Door = {
  verb: 'evaluate',
  file: 'shared/use-cases/intake/open-approval.ts',
  words: 'await deps.claims.open(',
};
const CLAIMED: Door = {
  verb: 'evaluate',
  file: 'shared/use-cases/intake/commit.ts',
  words: 'await deps.claims.claim(',
};
const TOKEN_STORED: Door = {
  verb: 'request-approval',
  file: 'shared/use-cases/approvals/request-approval.ts',
  words: 'await deps.approvals.storeToken(',
};
const ARCHIVED: Door = {
  verb: 'archive-audit',
  file: 'shared/use-cases/archive/archive-entries.ts',
  words: "await putObject('entry', entries, gate)",
};
const LISTED: Door = {
  verb: 'seal',
  file: 'shared/use-cases/archive/write-seal.ts',
  words: 'await archive.put(listName(list), text)',
};

type Answer = Parameters<Turn['actors']['click']>[0];

/** The vote is written, and whoever wrote it ended before it woke anybody. */
async function votedAndLost(turn: Turn, about: string, answer: Omit<Answer, 'id' | 'who'>): Promise<void> {
  await turn.killedAt({ ...VOTED, about }, () => turn.actors.click({ id: turn.id, who: 'alice', ...answer }, 1));
}

interface Lost {
  readonly agent?: string;
  readonly tool?: Propose['tool'];
  readonly more?: Partial<Propose>;
  readonly answer?: Omit<Answer, 'id' | 'who'>;
  /** What else is lost. */
  readonly also?: (pid: string) => Promise<void>;
}

const lostVote =
  ({ agent = 'reader', tool = 'Push', more = {}, answer = { choice: 'approve' }, also }: Lost): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent, tool, ...more });
    const pid = turn.actors.pid(step);
    await waiting(pid);
    await also?.(pid);
    await votedAndLost(turn, pid, {
      ...answer,
      ...(answer.edit === undefined ? {} : { edit: turn.number + answer.edit }),
    });
    await repaired(pid);
    // An edit is asked again.
    if (!(await turn.actors.decisionOf(step, 1_000))) await approvedBy(turn, step, 'bob');
    await repaired(pid);
  };

const voteUntold = lostVote({});
const voteUnheard = lostVote({ also: asleepForEver, agent: HAS_QUEUE });
const voteWithoutToken = lostVote({ also: tokenLost });
const rejectUnheard = lostVote({ also: asleepForEver, answer: { choice: 'reject' } });
const editUnheard = lostVote({
  also: asleepForEver,
  agent: 'tester',
  tool: 'Ship',
  answer: { choice: 'approve', edit: 1 },
});
const sealedUnheard = lostVote({ also: asleepForEver, more: { secret: true } });
const hookUnheard = lostVote({ also: asleepForEver, agent: HOOKED, answer: { choice: 'approve', edit: 1 } });
const bothUnheard = lostVote({ also: asleepForEver, agent: 'tester', tool: 'Ship', more: { also: 7 } });

/** Two that are alike stand on one card. */
const followed: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'keeper', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  const other: Propose = { ...step, id: `${turn.id}b` };
  await turn.actors.propose(other);
  const otherPid = turn.actors.pid(other);
  await waiting(otherPid);
  await asleepForEver(pid);
  await asleepForEver(otherPid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  await turn.killedAt({ verb: 'reconcile', ...DECIDED }, () => reconcileNow(pid).catch(() => undefined));
  await repaired(otherPid);
  await repaired(pid, otherPid);
};
const cardLost: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(300))
    if ((await waiting(pid)).cards.length) break;
  await cardsForgotten(pid);
  await askedEarlier(pid, 5 * MINUTE_MS);
  for (let tried = 0; tried < 3; tried++) await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'alice');
};
const halfway: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'mailer', tool: 'Move' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await turn.actors.click({ id: turn.id, who: 'alice', choice: 'approve' });
  for (let tried = 0; tried < 2; tried++) await reconcileNow(pid).catch(() => undefined);
  await approvedBy(turn, step, 'bob');
};
const timeGone: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'mailer', tool: 'Move' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  for (const minutes of [5, 9.5])
    for (let tried = 0; tried < 2; tried++) await waitedFor(pid, minutes * MINUTE_MS).catch(() => undefined);
  await approvedBy(turn, step, 'alice', 'bob');
};
const untold: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  const pid = turn.actors.pid(step);
  await approvedBy(turn, step, 'alice');
  await repaired(pid);
  await neverTold(pid);
  await repaired(pid);
};
const endedAsleep: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'seller', tool: 'Push', lasts: LASTS_MS });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await asleepForEver(pid);
  await delay(LASTS_MS + PAST_EXPIRY_MS);
  await repaired(pid);
};
const unreadable: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'seller', tool: 'Push', lasts: LASTS_MS });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  turn.actors.history.broken.add(turn.id);
  await damaged(pid);
  await reconcileNow(pid).catch(() => undefined);
  await delay(LASTS_MS + PAST_EXPIRY_MS);
  await repaired(pid);
};
const ofNothing: Scene = async ({ id }) => {
  await orphaned(id);
  for (let tried = 0; tried < 3; tried++) await invoke('reconcile', {});
};
const placeKept: Scene = async () => {
  await placeLost(IDLE_AGENT);
  await reconciled(async () => {
    await noticedLongAgo(IDLE_AGENT);
    return (await placesOf(IDLE_AGENT)) === 0;
  });
};

/** The gate's run of an approved call stops there. */
const lostRun =
  (door: Door, tool: Propose['tool'] = 'Ship'): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent: 'writer', tool });
    if (tool !== 'Look') await approvedBy(turn, step, 'alice');
    const decision = await decided(turn, step);
    if (decision?.outcome !== 'approved') return;
    const pid = turn.actors.pid(step);
    await turn.killedAt({ ...door, about: turn.id }, () => turn.actors.run(step, decision, 'gate'));
    await reconciled(async () => {
      await permitOverdue(pid);
      return !(await isPermitDue(pid));
    });
  };
/** An agent that redeemed it says nothing. */
const unreported: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Push' });
  await approvedBy(turn, step, 'alice');
  const decision = await decided(turn, step);
  if (!(decision && (await turn.actors.redeem(step, decision)))) return;
  const pid = turn.actors.pid(step);
  await reconciled(async () => {
    await permitOverdue(pid);
    return !(await isPermitDue(pid));
  });
};
const anew: Scene = () => called('reconcile', {});

/** The agent's messages come twice, as its queue may deliver them, before and after people answered. */
const askedAgain: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push', copies: [1_500, 4_000] });
  await waiting(turn.actors.pid(step));
  await delay(4_000);
  await approvedBy(turn, step, 'alice');
};
const otherCall: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: HAS_QUEUE, tool: 'Look', other: 1_000 }));
  await delay(2_000);
};
const withSecret: Scene = async (turn) => {
  await approvedBy(
    turn,
    await proposed(turn, { agent: 'writer', tool: 'Push', secret: true, copies: [1_000] }),
    'alice',
  );
};
/** Asked, and the message comes again before an execution was started. */
const askedUnstarted: Scene = async (turn) => {
  const step = { agent: 'reader', tool: 'Push', copies: [] } as const;
  await turn.killedAt({ ...OPENED, about: turn.id }, () => proposed(turn, step));
  const [sent] = turn.actors.history.sent.filter(({ id }) => id === turn.id);
  if (sent) await approvedBy(turn, sent, 'alice');
};
const claimedUntold: Scene = async (turn) => {
  const step = { agent: HAS_QUEUE, tool: 'Look' } as const;
  await turn.killedAt({ ...CLAIMED, about: turn.id }, () => proposed(turn, step));
  await delay(6_000);
};
const withdrawnTwice: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  await waiting(turn.actors.pid(step));
  await Promise.all([turn.actors.cancel({ id: turn.id }), turn.actors.cancel({ id: turn.id })]);
  await decided(turn, step);
};
const waitBegunAgain: Scene = async (turn) => {
  const step = { agent: 'reader', tool: 'Push' } as const;
  await turn.killedAt(TOKEN_STORED, () => proposed(turn, step));
  const [sent] = turn.actors.history.sent.filter(({ id }) => id === turn.id);
  if (sent) await approvedBy(turn, sent, 'alice');
};
const decidedUntold: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await turn.killedAt({ verb: 'resume', ...DECIDED, about: pid }, () =>
    turn.actors.click({ id: turn.id, who: 'alice', choice: 'approve' }),
  );
  await woken(turn, step);
  await repaired(pid);
};
const hookedEdit: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HOOKED, tool: 'Push', copies: [1_000] });
  await turn.actors.click({ id: turn.id, who: 'alice', choice: 'approve', edit: turn.number + 1 });
  await approvedBy(turn, step, 'bob');
};
const slackBusy: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  slack.failNext('chat.postMessage', 429, { 'retry-after': '1' });
  slack.failNext('chat.postMessage', 503);
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  await waiting(turn.actors.pid(step));
  slack.failNext('chat.update', 503);
  await approvedBy(turn, step, 'alice');
  await delay(6_000);
};
const unregistered: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(300))
    if ((await waiting(pid)).cards.length) break;
  await cardsForgotten(pid);
  await approvedBy(turn, step, 'alice');
};
const clickedAgain: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  await approvedBy(turn, step, 'bob');
};
const home: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  const { user } = PEOPLE.carol;
  await slack.openHome(user).catch(() => undefined);
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  await waiting(turn.actors.pid(step));
  const command = { user, channel: 'C0APPROVALS', command: '/countersign' };
  for (const text of ['pending', 'grants', 'delegate'])
    await slack.command({ ...command, text }).catch(() => undefined);
  await approvedBy(turn, step, 'alice');
  await slack.openHome(user).catch(() => undefined);
};
const redeemedTwice: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Look' });
  const decision = await decided(turn, step);
  if (!decision) return;
  const redeemed = await turn.actors.redeem(step, decision);
  const [call] = decision.calls;
  const asked = { agent: REDEEMS, proposalId: step.id, callId: call?.id, permitId: call?.permit?.permitId };
  await called('redeem', { ...asked, toolName: 'Look', input: { number: step.number } });
  await called('redeem', { ...asked, toolName: 'Look', input: { number: -1 } });
  if (!redeemed) return;
  const { redemptionId, outcome } = redeemed;
  const report = { agent: REDEEMS, redemptionId, ...outcome };
  for (const more of [{ redemptionId: 'guess' }, { status: 'unknown' }, { status: 'unknown' }, { status: 'failed' }])
    await called('record-outcome', { ...report, ...more });
};
/** The holder ended with the permit: it is free again. */
const redeemedLost: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Look' });
  const decision = await decided(turn, step);
  if (!decision) return;
  const [call] = decision.calls;
  const asked = { agent: REDEEMS, proposalId: step.id, callId: call?.id, permitId: call?.permit?.permitId };
  const redeem = () => invoke('redeem', { ...asked, toolName: 'Look', input: { number: step.number } });
  const pid = turn.actors.pid(step);
  await turn.killedAt({ ...TAKEN, verb: 'redeem', about: turn.id }, redeem);
  await reconciled(async () => {
    await permitOverdue(pid);
    return !(await isPermitDue(pid));
  });
  const redeemed = await turn.actors.redeem(step, decision);
  if (!redeemed) return;
  await called('record-outcome', { agent: REDEEMS, redemptionId: redeemed.redemptionId, ...redeemed.outcome });
};
/** What people approved holds a secret: whoever runs it has the original opened. */
const secretRun =
  (how: 'agent' | 'gate'): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent: REDEEMS, tool: 'Ship', secret: true });
    await approvedBy(turn, step, 'alice');
    const decision = await decided(turn, step);
    const [call] = decision?.calls ?? [];
    if (!call?.permit) return;
    const asked = { proposalId: step.id, callId: call.id, permitId: call.permit.permitId, toolName: 'Ship' };
    if (how === 'agent') await called('redeem', { agent: REDEEMS, ...asked });
    else await sentBy(turn, REDEEMS, 'ExecutionsQueueUrl', { ...asked, requestId: `${turn.id}:run` });
    const pid = turn.actors.pid(step);
    if (how === 'gate') await delay(5_000);
    await reconciled(async () => {
      await permitOverdue(pid);
      return !(await isPermitDue(pid));
    });
  };

async function sentBy({ actors }: Turn, agent: string, queue: string, message: unknown): Promise<void> {
  const MessageBody = typeof message === 'string' ? message : JSON.stringify(message);
  const QueueUrl = actors.gate.outputs[queue];
  await actors.agent(agent).sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: agent }));
}
/** Asked twice, under another request, and as nobody can read it. */
const ranAgain: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'writer', tool: 'Look' });
  const decision = await decided(turn, step);
  const [call] = decision?.calls ?? [];
  if (!decision || !call?.permit) return;
  for (let time = 0; time < 2; time++) await turn.actors.run(step, decision, 'gate');
  await delay(3_000);
  const asked = { proposalId: step.id, callId: call.id, permitId: call.permit.permitId, toolName: 'Look' };
  await sentBy(turn, 'writer', 'ExecutionsQueueUrl', {
    ...asked,
    input: { number: step.number },
    requestId: `${turn.id}:2`,
  });
  await sentBy(turn, 'writer', 'ExecutionsQueueUrl', `{"requestId":"${turn.id}:3"}`);
  await delay(3_000);
};
const reportedBadly: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Push' });
  await approvedBy(turn, step, 'alice');
  const decision = await decided(turn, step);
  const redeemed = decision && (await turn.actors.redeem(step, decision));
  if (!redeemed) return;
  const { outcome } = redeemed;
  for (const message of ['no report', { ...outcome, permitId: 'other' }, { ...outcome, status: 'unknown' }, outcome])
    await sentBy(turn, REDEEMS, 'OutcomesQueueUrl', message);
  await delay(4_000);
};
const archivedAgain: Scene = async (turn) => {
  await turn.killedAt(ARCHIVED, async () => decided(turn, await proposed(turn, { agent: 'writer', tool: 'Look' })));
  await delay(6_000);
};
const anchoredAgain: Scene = async ({ actors, ...turn }) => {
  const { root, outputs } = actors.gate;
  const name = anchorName(Date.now());
  await decided({ actors, ...turn }, await proposed({ actors, ...turn }, { agent: 'writer', tool: 'Look' }));
  for (const gone of [[name, toldName(name)], [toldName(name)]]) {
    for (const Key of gone) await root.s3.send(new DeleteObjectCommand({ Bucket: outputs.ArchiveBucket, Key }));
    await called('seal', {});
  }
};
const listedUnsealed: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: 'writer', tool: 'Look' }));
  await delay(2_000);
  await turn.killedAt(LISTED, () => invoke('seal', {}));
  await called('seal', {});
};
const webhookRefuses: Scene = async (turn) => {
  const { tools } = turn.actors.gate;
  const { serve } = tools;
  let refusals = 2;
  tools.serve = (request, response) => {
    if (request.url === '/webhook' && refusals-- > 0) response.writeHead(503).end();
    else serve(request, response);
  };
  const step = await proposed(turn, { agent: 'seller', tool: 'Push' });
  await waiting(turn.actors.pid(step));
  await turn.actors.cancel({ id: turn.id });
  await decided(turn, step);
  await delay(8_000);
  tools.serve = serve;
};
const talkedOn: Scene = async (turn) => {
  for (const [index, text] of [`todo: ${turn.id}`, `todo: ${turn.id}`, `delete ${turn.id}`, 'yes', 'list'].entries())
    await saidTo(turn, text, Math.max(0, index - 1));
};

const OF_PERMITS = {
  runTaken: lostRun(TAKEN),
  runBegun: lostRun(BEGUN),
  runEnded: lostRun(ENDED),
  runAnswered: lostRun(RESULT_PUT),
  slotHeld: lostRun(BEGUN, 'Sync'),
  lookBegun: lostRun(BEGUN, 'Look'),
  unreported,
};

const EVALUATE = { askedAgain, otherCall, withSecret, askedUnstarted, claimedUntold, withdrawnTwice };
const CARDS = { slackBusy, cardLost, timeGone, unregistered, home, lookBegun: OF_PERMITS.lookBegun };

export const REPAIRS: Readonly<Partial<Record<GateFunctionName, Readonly<Record<string, Scene>>>>> = {
  reconcile: {
    ...{
      voteUntold,
      voteUnheard,
      voteWithoutToken,
      rejectUnheard,
      editUnheard,
      sealedUnheard,
      hookUnheard,
      bothUnheard,
    },
    ...{ followed, cardLost, halfway, timeGone, untold, endedAsleep, unreadable, ofNothing, placeKept, anew },
    ...OF_PERMITS,
  },
  evaluate: EVALUATE,
  deliberate: { hookUnheard, hookedEdit },
  'request-approval': { waitBegunAgain, voteWithoutToken },
  resume: { decidedUntold, voteUntold, sealedUnheard, followed },
  'slack-out': CARDS,
  slack: { unregistered, clickedAgain, home },
  converse: { talkedOn },
  redeem: { redeemedTwice, redeemedLost, secretByAgent: secretRun('agent') },
  'execute-tool': { ranAgain, secretByGate: secretRun('gate'), ...OF_PERMITS },
  'record-outcome': { redeemedTwice },
  'collect-outcomes': { reportedBadly },
  'archive-audit': { archivedAgain },
  seal: { anchoredAgain, listedUnsealed },
  'send-webhooks': { webhookRefuses },
};
