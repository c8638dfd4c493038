/** Has tools, hooks, models and Slack refuse, and people and programs ask what the gate refuses. */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { VIEW_ALL } from '../../../shared/adapters/slack/cards/view-all.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import type { DeferredMessage } from '../../../shared/ports/stores/outbox.ts';
import { operatorNamed } from '../../e2e/harness/agents.ts';
import { functionNamed, renewed } from '../../e2e/harness/functions.ts';
import { queueUrl } from '../../e2e/harness/resources.ts';
import { roleIdOf } from '../../e2e/harness/rights.ts';
import { waiting } from '../../e2e/harness/rows.ts';
import { reconcileNow } from '../../e2e/harness/time.ts';
import { SECRET } from '../../simulation/actors/actors.ts';
import { PEOPLE, PILOT } from '../../simulation/model/policies.ts';
import { HOOKED, REDEEMS } from '../gate.ts';
import { cardsThatAsk, clickAs } from '../people.ts';
import { sentBy } from './again.ts';
import { approvedWhole, lastPage, openedWhole, placeOf } from './forms.ts';
import { permitEnded } from './permits.ts';
import { approvedBy, called, decided, proposed, type Scene, type Turn, unheard } from './scenes.ts';
import { decidedByOperator } from './shell.ts';

const DRAWN_MS = 4_000;
const DECIDED_MS = 60_000;
const SHOWN_MS = 40_000;

/** A tool refuses a call that people approved, or says nothing, and whoever approved it is told. */
const toolFails =
  (tool: 'Ship' | 'Drop', how: 'refused' | 'unanswered'): Scene =>
  async (turn) => {
    const { actors } = turn;
    const step = await proposed(turn, { agent: 'writer', tool });
    await approvedBy(turn, step, ...(tool === 'Drop' ? (['alice', 'bob'] as const) : (['alice'] as const)));
    const decision = await decided(turn, step);
    if (decision?.outcome !== 'approved') return;
    actors.failing.set(step.id, how);
    await actors.run(step, decision, 'gate');
    await delay(DRAWN_MS);
    await permitEnded(actors.pid(step));
  };
export const toolRefuses = toolFails('Ship', 'refused');
export const toolGone = toolFails('Drop', 'unanswered');

const ERROR = { category: 'ExecutionError', code: 'Refused', message: 'not today' };

/** A call that people approved has failed, or nobody knows: its agent and its tool server say so, each twice at once, and later again. */
export const runFailed: Scene = async (turn) => {
  const runs = (['agent', 'server'] as const).flatMap((how) =>
    (['failed', 'unknown'] as const).map(async (status) => {
      const part = turn.part();
      const step = await proposed(part, { agent: REDEEMS, tool: 'Push' });
      await approvedBy(part, step, 'alice');
      const decision = await decided(part, step);
      const redeemed = decision && (await part.actors.redeem(step, decision));
      if (!redeemed) return;
      const report = { ...redeemed.outcome, status, ...(status === 'failed' ? { error: ERROR } : {}) };
      const reportIt = () =>
        how === 'agent'
          ? sentBy(part, REDEEMS, 'OutcomesQueueUrl', report)
          : called('record-outcome', { agent: REDEEMS, redemptionId: redeemed.redemptionId, ...report });
      await Promise.all([reportIt(), reportIt()]);
      await delay(DRAWN_MS);
      await reportIt();
      await permitEnded(part.actors.pid(step));
    }),
  );
  await Promise.all(runs);
};

type Call = Readonly<Record<string, unknown>>;

/** A call that the simulator does not know, so that the judge reads nothing of it; an operator approves what asks. */
async function rawlyCalled(turn: Turn, agent: string, place: number, call: Call, more: Call = {}) {
  const id = `${turn.id}-${place}`;
  const { actors } = turn;
  const pid = actors.pid({ id, agent });
  const calls = [{ id: 'call', ...call }];
  await actors.agent(agent).send(JSON.stringify({ kind: 'tool-call', proposalId: id, calls, ...more }));
  return { id, pid, decision: await decidedByOperator(turn, id, pid, { agent }) };
}

export const hookRefuses: Scene = async (turn) => {
  for (const [place, command] of ['hook-denies', 'hook-throws', 'hook-junk', 'hook-allows'].entries())
    await rawlyCalled(turn, HOOKED, place, { toolName: 'Look', input: { command: `${command} ${turn.id}` } });
};

/** The model of auto mode says no, is not sure of anything, and makes no sense. */
export const modelRefuses: Scene = async (turn) => {
  const blocks = JSON.stringify({ should_block: true, reason: `not ${turn.id}`, confidence: 0.99 });
  const raves = JSON.stringify({ should_block: false, reason: 'sure', confidence: 7 });
  for (const [place, says] of [blocks, raves, 'no JSON at all'].entries())
    await rawlyCalled(turn, PILOT, place, { toolName: 'Push', input: { query: `${turn.id} says ${says}` } });
};

/** The model that is to choose says no: nothing is chosen. */
export const chooserFails: Scene = async (turn) => {
  const { actors, id } = turn;
  const actions = [{ flow_id: 'update', persona_id: 'ops' }];
  const actionSpace = { persona_id: 'ops', actions, current_verdicts: [], blocked_actions: [] };
  const snapshot = { facts: { fails: true }, entity_states: {}, observed_at: '2026-01-01T00:00:00Z' };
  const asked = { id: `${id}-f`, agent: 'seller' };
  await actors
    .agent(asked.agent)
    .send(JSON.stringify({ kind: 'action-choice', proposalId: asked.id, policy: 'model', actionSpace, snapshot }));
  actors.pid(asked);
  await actors.decisionOf(asked, DECIDED_MS);
};

/** A call that names a session as that of a sub-agent, and none that is one's own to start. */
export const startsOther: Scene = async (turn) => {
  const starts = { agentId: 'writer', sessionId: `s-${turn.id}` };
  await rawlyCalled(turn, REDEEMS, 0, { toolName: 'Look', input: { query: turn.id } }, { starts });
  await rawlyCalled(turn, HOOKED, 1, { toolName: 'Look', input: { query: turn.id } }, { starts });
};

/** Messages to the task agent that are over when they come, or that hold a secret where it would be kept. */
const badTasks = ({ id }: Turn) => [
  { proposalId: `${id}-over`, expiresAt: new Date(Date.now() - 1_000).toISOString() },
  { proposalId: `${id}-secret`, sessionId: SECRET },
];
const taskMessage = ({ id }: Turn, more: object): string =>
  JSON.stringify({ kind: 'task-message', context: { user_id: `u-${id}`, message: `todo: ${id}` }, ...more });

export const tasksRefused: Scene = async (turn) => {
  const { actors } = turn;
  for (const more of badTasks(turn)) {
    await actors.agent('seller').send(taskMessage(turn, more));
    await actors.decisionOf({ id: more.proposalId, agent: 'seller' }, DECIDED_MS);
  }
};

/** Messages that waited for their turn, as their agent sent more than its rate: only then is anything of them read. */
export const refusedLate: Scene = async (turn) => {
  const { actors, id } = turn;
  const principal = `${await roleIdOf(actors.gate.outputs['AgentRoleflooderArn'] ?? '')}:campaign`;
  const QueueUrl = await queueUrl('Deferred');
  const raws = [
    ...badTasks(turn).map((more) => taskMessage(turn, more)),
    `{"kind":"tool-call","proposalId":"${id}-spoilt"`,
    JSON.stringify({
      ...{ kind: 'tool-call', proposalId: `${id}-starts`, calls: [{ id: 'call', toolName: 'Look', input: {} }] },
      starts: { agentId: 'writer', sessionId: `s-${id}` },
    }),
  ];
  for (const raw of raws) {
    const firstSentAt = Date.now();
    const wrapper: DeferredMessage = { principal, firstSentAt, messageId: randomUUID(), rounds: 1, raw };
    await actors.gate.root.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify(wrapper) }));
  }
  await actors.decisionOf({ id: `${id}-starts`, agent: 'flooder' }, DECIDED_MS);
};

/** Somebody of no group clicks everything; whoever may answer has a form open that is decided meanwhile, and Slack opens one too late. */
export const clicksRefused: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  const step = await proposed(turn, { agent: 'tester', tool: 'Push', also: turn.number + 3, large: true });
  const pid = turn.actors.pid(step);
  const card = await placeOf(pid);
  const shown = (await cardsThatAsk(pid)).at(-1);
  const { sam, carol } = PEOPLE;
  if (shown)
    for (const cast of [{ choice: 'approve' }, { choice: 'reject' }, { choice: 'edit', edit: turn.number }] as const)
      await unheard(clickAs('sam', shown, cast));
  await openedWhole(turn, sam.user, card);
  slack.failNext('views.open', 'expired_trigger_id', { about: pid });
  await unheard(slack.click({ user: carol.user, ...card, actionId: ACTIONS.reject }));
  // An option of the menu that an earlier release had.
  await unheard(slack.click({ user: carol.user, ...card, actionId: ACTIONS.more, value: 'older' }));
  // On the last page of the whole text some of its calls can be approved.
  const whole = await lastPage(turn, carol.user, card);
  if (whole) await unheard(slack.click({ user: carol.user, viewId: whole, actionId: VIEW_ALL.each }));
  if (whole) await unheard(slack.click({ user: carol.user, viewId: whole, actionId: ACTIONS.reject }));
  const form = slack.views(carol.user).at(-1);
  await approvedWhole(turn, step);
  if (form) await unheard(slack.submitView({ user: carol.user, viewId: form.id, values: {} }));
  if (whole)
    for (const actionId of [VIEW_ALL.each, ACTIONS.reject])
      await unheard(slack.click({ user: carol.user, viewId: whole, actionId }));
  await openedWhole(turn, carol.user, card);
  for (const { id } of slack.views(carol.user)) await unheard(slack.closeView({ user: carol.user, viewId: id }));
};

/** A process fetches its secrets again for a signature that it does not know, once they are so old. */
const REFETCHED_MS = 65_000;
/** Somebody else than Slack knocks, at a process that knows the secrets as they are, and after somebody wrote them anew. */
export const forged: Scene = async ({ actors, id }) => {
  const { slack, root } = actors.gate;
  const SecretId = (await functionNamed('slack')).environment['SLACK_SIGNING_SECRET'];
  const { SecretString } = await root.secrets.send(new GetSecretValueCommand({ SecretId }));
  const body = `payload=${encodeURIComponent(JSON.stringify({ type: 'block_actions', user: { id } }))}`;
  const knock = () => unheard(slack.sendRaw({ body, headers: slack.sign(body, { secret: 'guessed' }) }));
  await knock();
  await root.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: `${SecretString} ` }));
  await delay(REFETCHED_MS);
  await knock();
  await root.secrets.send(new PutSecretValueCommand({ SecretId, SecretString }));
};

/** An order that is none, and one whose name holds a secret. */
export const badOrders: Scene = async ({ id }) => {
  const oncall = await operatorNamed('oncall');
  await oncall.say({ kind: 'no operation', operationId: `${id}-none`, reason: SECRET });
  await oncall.say({ kind: 'revoke', operationId: `${id}-secret`, agent: 'keeper', session: SECRET });
  await delay(DRAWN_MS);
};

/** Slack refuses calls about one question, whose card is asked for again until it is shown, or until its agent waits no longer. */
async function refusedBySlack(turn: Turn, method: string, words: readonly string[]): Promise<void> {
  const { actors } = turn;
  const pid = actors.pid({ id: turn.id, agent: 'reader' });
  for (const word of words) actors.gate.slack.failNext(method, word, { about: pid.slice(0, 12) });
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  await waiting(pid);
  for (const until = Date.now() + SHOWN_MS; Date.now() < until; await delay(500)) {
    if ((await cardsThatAsk(pid)).length) return approvedBy(turn, step, 'alice');
    await reconcileNow(pid).catch(() => undefined);
  }
  await actors.cancel({ id: turn.id });
  await decided(turn, step);
}
/** Closed when the card comes: the question waits until the channel is there again, or another one is named. */
export const channelClosed: Scene = (turn) =>
  refusedBySlack(turn, 'chat.postMessage', ['channel_not_found', 'is_archived']);

const REFUSED_POSTS = ['not_in_channel', 'msg_too_long', 'invalid_blocks', 'fatal_error'];
const REFUSED_UPDATES = ['message_not_found', 'cant_update_message', 'msg_too_long', 'channel_not_found'];
export const slackRefuses: Scene = async (turn) => {
  await Promise.all([
    ...REFUSED_POSTS.map((word) => refusedBySlack(turn.part(), 'chat.postMessage', [word])),
    ...REFUSED_UPDATES.map((word) => refusedBySlack(turn.part(), 'chat.update', [word, word])),
  ]);
  await delay(DRAWN_MS);
};

/** Seals of runs that this process knows nothing of. */
export const sealedByOthers: Scene = async () => {
  for (let time = 0; time < 4; time++) await called('seal', {});
  await renewed('GateSealFunction');
  await called('seal', {});
};
