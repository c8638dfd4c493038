/** Has messages and calls come again, as after a process that ended before it had answered them. */
import { setTimeout as delay } from 'node:timers/promises';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { anchorName, toldName } from '../../../shared/domain/archive/anchor.ts';
import { cardsForgotten } from '../../e2e/harness/damage.ts';
import { invoke } from '../../e2e/harness/functions.ts';
import { waiting } from '../../e2e/harness/rows.ts';
import { PEOPLE } from '../../simulation/model/policies.ts';
import { HAS_QUEUE, HOOKED, REDEEMS } from '../gate.ts';
import { ARCHIVED, CLAIMED, DECIDED, LISTED, OPENED, TAKEN, TOKEN_STORED } from './awaits.ts';
import { approvedWhole } from './forms.ts';
import { permitEnded } from './permits.ts';
import { repaired, votedAndLost } from './reconciled.ts';
import { answered, approvedBy, called, decided, proposed, type Scene, saidTo, type Turn, woken } from './scenes.ts';

/** The agent's messages come twice, as its queue may deliver them, before and after people answered. */
export const askedAgain: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push', copies: [1_500, 4_000] });
  await waiting(turn.actors.pid(step));
  await delay(4_000);
  await approvedBy(turn, step, 'alice');
};
export const otherCall: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: HAS_QUEUE, tool: 'Look', other: 1_000 }));
  await delay(2_000);
};
export const withSecret: Scene = async (turn) => {
  await approvedBy(
    turn,
    await proposed(turn, { agent: 'writer', tool: 'Push', secret: true, copies: [1_000] }),
    'alice',
  );
};
/** Asked, and the message comes again before an execution was started. */
export const askedUnstarted: Scene = async (turn) => {
  const step = { agent: 'reader', tool: 'Push', copies: [] } as const;
  await turn.killedAt({ ...OPENED, about: turn.id }, () => proposed(turn, step));
  const [sent] = turn.actors.history.sent.filter(({ id }) => id === turn.id);
  if (sent) await approvedBy(turn, sent, 'alice');
};
export const claimedUntold: Scene = async (turn) => {
  const step = { agent: HAS_QUEUE, tool: 'Look' } as const;
  await turn.killedAt({ ...CLAIMED, about: turn.id }, () => proposed(turn, step));
  await delay(6_000);
};
export const withdrawnTwice: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  await waiting(turn.actors.pid(step));
  await Promise.all([turn.actors.cancel({ id: turn.id }), turn.actors.cancel({ id: turn.id })]);
  await decided(turn, step);
};
export const waitBegunAgain: Scene = async (turn) => {
  const step = { agent: 'reader', tool: 'Push' } as const;
  await turn.killedAt(TOKEN_STORED, () => proposed(turn, step));
  const [sent] = turn.actors.history.sent.filter(({ id }) => id === turn.id);
  if (sent) await approvedBy(turn, sent, 'alice');
};
export const decidedUntold: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HAS_QUEUE, tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await turn.killedAt({ verb: 'resume', ...DECIDED, about: pid }, () =>
    turn.actors.click({ id: turn.id, who: 'alice', choice: 'approve' }),
  );
  await woken(turn, step);
  await repaired(pid);
};
export const hookedEdit: Scene = async (turn) => {
  const step = await proposed(turn, { agent: HOOKED, tool: 'Push', copies: [1_000] });
  await answered(turn, step, { who: 'alice', edit: turn.number + 1 });
  await approvedBy(turn, step, 'bob');
};
export const slackBusy: Scene = async (turn) => {
  const { slack } = turn.actors.gate;
  slack.failNext('chat.postMessage', 429, { headers: { 'retry-after': '1' } });
  slack.failNext('chat.postMessage', 503);
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  await waiting(turn.actors.pid(step));
  slack.failNext('chat.update', 503);
  await approvedBy(turn, step, 'alice');
  await delay(6_000);
};
export const unregistered: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  for (const until = Date.now() + 20_000; Date.now() < until; await delay(300))
    if ((await waiting(pid)).cards.length) break;
  await cardsForgotten(pid);
  await approvedBy(turn, step, 'alice');
};
export const clickedAgain: Scene = async (turn) => {
  const step = await proposed(turn, { agent: 'reader', tool: 'Push' });
  const pid = turn.actors.pid(step);
  await waiting(pid);
  await votedAndLost(turn, pid, { choice: 'approve' });
  await approvedBy(turn, step, 'bob');
};
export const home: Scene = async (turn) => {
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
export const redeemedTwice: Scene = async (turn) => {
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
/** An agent has money for three runs a day: what comes later is refused, and reports nothing. */
export const paid: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Pay' });
  const decision = await decided(turn, step);
  const redeemed = decision && (await turn.actors.redeem(step, decision));
  if (redeemed)
    await called('record-outcome', { agent: REDEEMS, redemptionId: redeemed.redemptionId, ...redeemed.outcome });
  else await permitEnded(turn.actors.pid(step));
};
/** The holder ended with the permit: it is free again. */
export const redeemedLost: Scene = async (turn) => {
  const step = await proposed(turn, { agent: REDEEMS, tool: 'Look' });
  const decision = await decided(turn, step);
  if (!decision) return;
  const [call] = decision.calls;
  const asked = { agent: REDEEMS, proposalId: step.id, callId: call?.id, permitId: call?.permit?.permitId };
  const redeem = () => invoke('redeem', { ...asked, toolName: 'Look', input: { number: step.number } });
  const pid = turn.actors.pid(step);
  await turn.killedAt({ ...TAKEN, verb: 'redeem', about: turn.id }, redeem);
  await permitEnded(pid);
  const redeemed = await turn.actors.redeem(step, decision);
  if (!redeemed) return;
  await called('record-outcome', { agent: REDEEMS, redemptionId: redeemed.redemptionId, ...redeemed.outcome });
};
/** People approved a call that holds a secret, or is too large for a row: whoever runs it has the original opened. */
export const originalRun =
  (how: 'agent' | 'gate', kind: 'secret' | 'large'): Scene =>
  async (turn) => {
    const step = await proposed(turn, { agent: REDEEMS, tool: 'Ship', [kind]: true });
    await (kind === 'large' ? approvedWhole(turn, step) : approvedBy(turn, step, 'alice'));
    const decision = await decided(turn, step);
    const [call] = decision?.calls ?? [];
    if (!call?.permit) return;
    const asked = { proposalId: step.id, callId: call.id, permitId: call.permit.permitId, toolName: 'Ship' };
    if (how === 'agent') await called('redeem', { agent: REDEEMS, ...asked });
    else await sentBy(turn, REDEEMS, 'ExecutionsQueueUrl', { ...asked, requestId: `${turn.id}:run` });
    const pid = turn.actors.pid(step);
    if (how === 'gate') await delay(5_000);
    await permitEnded(pid);
  };

export async function sentBy({ actors }: Turn, agent: string, queue: string, message: unknown): Promise<void> {
  const MessageBody = typeof message === 'string' ? message : JSON.stringify(message);
  const QueueUrl = actors.gate.outputs[queue];
  await actors.agent(agent).sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: agent }));
}
/** Asked twice, under another request, and as nobody can read it. */
export const ranAgain: Scene = async (turn) => {
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
export const reportedBadly: Scene = async (turn) => {
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
export const archivedAgain: Scene = async (turn) => {
  await turn.killedAt(ARCHIVED, async () => decided(turn, await proposed(turn, { agent: 'writer', tool: 'Look' })));
  await delay(6_000);
};
export const anchoredAgain: Scene = async ({ actors, ...turn }) => {
  const { root, outputs } = actors.gate;
  const name = anchorName(Date.now());
  await decided({ actors, ...turn }, await proposed({ actors, ...turn }, { agent: 'writer', tool: 'Look' }));
  for (const gone of [[name, toldName(name)], [toldName(name)]]) {
    for (const Key of gone) await root.s3.send(new DeleteObjectCommand({ Bucket: outputs.ArchiveBucket, Key }));
    await called('seal', {});
  }
};
export const listedUnsealed: Scene = async (turn) => {
  await decided(turn, await proposed(turn, { agent: 'writer', tool: 'Look' }));
  await delay(2_000);
  await turn.killedAt(LISTED, () => invoke('seal', {}));
  await called('seal', {});
};
export const webhookRefuses: Scene = async (turn) => {
  const { tools } = turn.actors.gate;
  let refusals = 2;
  tools.serve('/webhook', (_, response) => void response.writeHead(refusals-- > 0 ? 503 : 200).end());
  const step = await proposed(turn, { agent: 'seller', tool: 'Push' });
  await waiting(turn.actors.pid(step));
  await turn.actors.cancel({ id: turn.id });
  await decided(turn, step);
  await delay(8_000);
};
export const talkedOn: Scene = async (turn) => {
  for (const [index, text] of [`todo: ${turn.id}`, `todo: ${turn.id}`, `delete ${turn.id}`, 'yes', 'list'].entries())
    await saidTo(turn, text, Math.max(0, index - 1));
};
