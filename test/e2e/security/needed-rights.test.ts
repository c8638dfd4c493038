/**
 * Looks at what single rights of the functions' roles are for.
 *
 * Where another way leads to the same decision, a test of the decision alone would not miss the right:
 * `npm run rights -- --prove` plays these without each.
 */
import { FilterLogEventsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { GetFunctionCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FUNCTIONS } from '../../../cdk/constructs/functions/function-names.ts';
import { anchorName, toldName } from '../../../shared/domain/archive/anchor.ts';
import { pidOfOperation } from '../../../shared/domain/record/operation-id.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import {
  asleepForEver,
  cardsForgotten,
  isPermitDue,
  noticedLongAgo,
  permitOverdue,
  placesLost,
  placesOf,
  probesOf,
} from '../harness/damage.ts';
import { type EventTap, tapEvents } from '../harness/events.ts';
import { statusOf } from '../harness/executions.ts';
import { functionNamed, invoke } from '../harness/functions.ts';
import { REPORTS, redeemed } from '../harness/redeemed.ts';
import { queueUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { allRows, approvalOf, entriesOf, pendingApprovals } from '../harness/rows.ts';
import { runs } from '../harness/runs.ts';
import {
  ALICE,
  APPROVALS,
  approve,
  approveNext,
  blocksText,
  cardOf,
  cardSays,
  cardsOf,
  ERIN,
  FRANK,
  RELEASES,
} from '../harness/slack.ts';
import { reconcileNow, waitedFor } from '../harness/time.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let crafter: Agent;
let runner: Agent;
let replier: Agent;
beforeAll(async () => {
  [builder, crafter, runner, replier] = await Promise.all([
    agentNamed('builder'),
    agentNamed('crafter'),
    agentNamed('runner'),
    agentNamed('replier', 'listener'),
  ]);
});

describe.each(Object.entries(REPORTS))('%s', (verb, report) => {
  const fragile = verb === 'record-outcome' ? 'RunFragile' : 'RunBrittle';

  it('gives back the place of a run', async () => {
    await report(await redeemed('RunAlone'));
    await report(await redeemed('RunAlone'));
  });

  it('gives back what a run did not cost', async () => {
    await report(await redeemed('RunCostly'), { cost: 1 });
    await report(await redeemed('RunCostly'), { cost: 1 });
  });

  it('teaches the breaker', async () => {
    const failed = await redeemed(fragile);
    await report(failed, { status: 'failed' });
    const isOnRecord = async () => (await entriesOf('runner', runner.pid(failed.proposalId), 'ran')).length;
    await until('the entry', isOnRecord);
    const proposalId = newId();
    await runner.client.propose({ proposalId, toolName: fragile, input: {} });
    const [call] = (await runner.wait(proposalId)).calls;
    const asked = { agent: 'runner', proposalId, callId: 'call', permitId: call?.permit?.permitId, toolName: fragile };
    const { answer } = await invoke('redeem', { ...asked, input: {} });
    expect(answer).toMatchObject({ granted: false, error: { code: 'CircuitOpen' } });
  });

  it('tells people of a call of which nobody knows whether it took effect', async () => {
    const { slack } = await e2eGate();
    const run = await redeemed('RunAlone');
    const startedAt = new Date().toISOString();
    await report(run, { status: 'unknown', startedAt });
    // A reader's own time zone: the message holds the second, and its notification the minute alone.
    const second = `"timestamp":${Math.floor(Date.parse(startedAt) / 1000)}`;
    await until('the words', () => slack.messages(APPROVALS, (one) => blocksText(one).includes(second))[0]);
  });
});

describe('an event on the account’s bus is told by', () => {
  let events: EventTap;
  beforeAll(async () => {
    events = await tapEvents('countersign-e2e-needed');
  });
  afterAll(() => events?.close());

  const tellsOf = (pid: string, name: string) =>
    until(`the event ${name}`, async () =>
      (await events.told()).some((one) => one['detail-type'] === name && one.detail['pid'] === pid),
    );

  it('evaluate, of what a rule decides', async () => {
    await tellsOf(builder.pid(await builder.run('rm -rf build')), 'ProposalDecided');
  });

  it('slack and resume, of a vote and of the decision', async () => {
    const pid = builder.pid(await builder.run(`git push origin ${newId()}`));
    await approve(ALICE, await cardOf(pid));
    await tellsOf(pid, 'VoteCounted');
    await tellsOf(pid, 'ProposalDecided');
  });

  it('operate, of an operation', async () => {
    const oncall = await operatorNamed('oncall');
    const operationId = newId();
    await oncall.say({ kind: 'pause', operationId, scope: { agent: 'seller' }, effect: 'lift' });
    await tellsOf(pidOfOperation(operationId), 'OperationDone');
  });

  it('deliberate, of what a model is asked about', async () => {
    const assistant = await agentNamed('assistant');
    const pid = assistant.pid(await assistant.run(`whoami ${newId()}`));
    await until('the event', async () => (await events.told()).some(({ detail }) => detail['pid'] === pid));
  });

  it('converse, of what somebody asks the task agent', async () => {
    const { slack } = await e2eGate();
    const before = (await events.told()).length;
    await slack.say({ user: ALICE, channel: RELEASES, text: `<@U0COUNTERSIGN> todo: ${newId()}` });
    await until('the event', async () =>
      (await events.told()).slice(before).some(({ detail }) => detail['agentId'] === 'tasks'),
    );
  });

  it('redeem, of a refusal', async () => {
    const proposalId = newId();
    const permitId = newId();
    await invoke('redeem', { agent: 'runner', proposalId, callId: 'call', permitId, toolName: 'RunAlone', input: {} });
    await tellsOf(runner.pid(proposalId), 'ProposalRefused');
  });

  it('execute-tool, of a run of the gate', async () => {
    const { tools } = await e2eGate();
    tools.serve('/echo', (_, response) => void response.writeHead(200).end('{}'));
    const [id = ''] = await runs('RunEcho', 1, () => ({}));
    await tellsOf(runner.pid(id), 'CallRan');
  });

  it.each(Object.entries(REPORTS))('%s, of a report', async (_, report) => {
    const run = await redeemed('RunAlone');
    await report(run);
    await tellsOf(runner.pid(run.proposalId), 'CallRan');
  });

  it('reconcile, of a stage that time ends', async () => {
    const pid = crafter.pid(await crafter.run(`helm rollback ${newId()}`));
    await cardOf(pid);
    await waitedFor(pid, 6 * 60_000);
    await tellsOf(pid, 'StageEnded');
  });

  it('archive-audit, of a changed entry; seal, of the anchor of the day', async () => {
    const { root, outputs } = await e2eGate();
    const id = await builder.run('rm -rf build');
    await builder.wait(id);
    const told = async (name: string) => (await events.told()).filter((one) => one['detail-type'] === name).length;
    const [changed, anchored] = [await told('RecordChanged'), await told('RecordAnchored')];
    await root.dynamodb.send(
      new UpdateItemCommand({
        TableName: outputs.AuditTable,
        Key: marshall({ pk: `builder#${builder.pid(id)}`, sk: 'evaluated' }),
        UpdateExpression: 'SET verdict = :other',
        ExpressionAttributeValues: marshall({ ':other': 'allow' }),
      }),
    );
    await until('the event', async () => (await told('RecordChanged')) > changed);
    const Key = toldName(anchorName(Date.now()));
    await root.s3.send(new DeleteObjectCommand({ Bucket: outputs.ArchiveBucket, Key }));
    expect((await invoke('seal', {})).error).toBeUndefined();
    await until('the event', async () => (await told('RecordAnchored')) > anchored);
  });
});

describe('reconcile', () => {
  /** Alice’s vote is written, and nobody heard of it. */
  async function votedUnheard(agent: Agent, command = `git push origin ${newId()}`) {
    const id = await agent.run(command);
    const pid = agent.pid(id);
    const card = await cardOf(pid);
    await without('slack', 'lambda:InvokeFunction', () => approve(ALICE, card));
    await until('the vote', async () => (await approvalOf(pid))?.approval.status === 'approved');
    return { id, pid };
  }

  it('decides an approval that nobody works on any more, and tells its agent and its card', async () => {
    const id = await replier.run(`git push origin ${newId()}`);
    const pid = replier.pid(id);
    const card = await cardOf(pid);
    await asleepForEver(pid);
    await without('slack', 'lambda:InvokeFunction', () => approve(ALICE, card));
    await reconcileNow(pid);
    expect(await replier.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { type: 'human' } });
    await cardSays(pid, 'Approved');
    await until('nothing is due', async () => (await approvalOf(pid))?.dueAt === undefined);
  });

  it('wakes the execution that waits for an answer', async () => {
    const { id, pid } = await votedUnheard(builder);
    await reconcileNow(pid);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    await until('the end of the execution', async () => (await statusOf(pid)) === 'SUCCEEDED');
  });

  it('has a card posted that was lost', async () => {
    const pid = builder.pid(await builder.run(`git push origin ${newId()}`));
    await cardOf(pid);
    await until('the card of the row', async () => (await approvalOf(pid))?.cards.length);
    await cardsForgotten(pid);
    await reconcileNow(pid);
    await until('the second card', async () => (await cardsOf(pid)).length === 2);
  });

  it('decides on an input that is too large for a row', async () => {
    const long = 'y'.repeat(9_000);
    const id = await builder.run(`git push origin ${newId()} ${long}`);
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    await asleepForEver(pid);
    const oncall = await operatorNamed('oncall');
    await without('operate', 'lambda:InvokeFunction', async () => {
      await oncall.say({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
      await until('the vote', async () => (await approvalOf(pid))?.approval.status === 'approved');
    });
    expect(card).toBeDefined();
    await reconcileNow(pid);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  it('has an approval with a secret decided by the function that may open it', async () => {
    const id = await builder.run(`git push https://x:ghp_${'0123456789abcdefghij'}ABCDEFGHIJ012345@example.com main`);
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    await asleepForEver(pid);
    await without('slack', 'lambda:InvokeFunction', () => approve(ALICE, card));
    await reconcileNow(pid);
    await builder.wait(id);
  });

  it('gives up a run of which nothing was heard: its place is free, and the record says so', async () => {
    const run = await redeemed('RunAlone');
    const pid = runner.pid(run.proposalId);
    await permitOverdue(pid);
    await invoke('reconcile', {});
    expect(await until('the entry', async () => (await entriesOf('runner', pid, 'ran'))[0])).toMatchObject({
      reasonCode: 'unknown',
    });
    expect(await isPermitDue(pid)).toBe(false);
    await REPORTS['record-outcome'](await redeemed('RunAlone'));
  });

  it('closes what a run has reserved of its budget of which nothing was heard', async () => {
    const reserved = async () => {
      const rows = await allRows((await e2eGate()).outputs.StateTable);
      return rows.flatMap(({ pk, open }) => (String(pk).startsWith('budget#') ? Object.keys(open ?? {}) : []));
    };
    const before = new Set(await reserved());
    const run = await redeemed('RunEcho');
    const [own] = (await reserved()).filter((id) => !before.has(id));
    expect(own).toBeDefined();
    await permitOverdue(runner.pid(run.proposalId));
    await invoke('reconcile', {});
    expect(await reserved()).not.toContain(own);
  });

  it('frees the probe of a breaker of which nothing was heard', async () => {
    await REPORTS['record-outcome'](await redeemed('RunProbe'), { status: 'failed' });
    const probe = await redeemed('RunProbe');
    expect(await probesOf('RunProbe')).toHaveLength(1);
    await permitOverdue(runner.pid(probe.proposalId));
    await invoke('reconcile', {});
    expect(await probesOf('RunProbe')).toEqual([]);
  });

  it('sets a counter right that counts what waits no more', async () => {
    const waiting = (await pendingApprovals()).filter(({ agent }) => agent === 'hooked').length;
    await placesLost('hooked', waiting + 1);
    await until('the counter', async () => {
      await invoke('reconcile', {});
      await noticedLongAgo('hooked');
      return (await placesOf('hooked')) === waiting;
    });
  });
});

describe('resume', () => {
  it('ends the execution, gives back the place, and tells the agent’s own queue', async () => {
    const before = await placesOf('replier');
    const id = await replier.run(`git push origin ${newId()}`);
    const pid = replier.pid(id);
    await approve(ALICE, await cardOf(pid));
    expect(await replier.wait(id)).toMatchObject({ outcome: 'approved' });
    await until('the end of the execution', async () => (await statusOf(pid)) === 'SUCCEEDED');
    expect(await placesOf('replier')).toBe(before);
    await until('nothing is due', async () => (await approvalOf(pid))?.dueAt === undefined);
  });
});

describe('execute-tool', () => {
  it('has the card say what became of a call that people approved', async () => {
    const { tools } = await e2eGate();
    tools.serve('/echo', (_, response) => void response.writeHead(200).end('{}'));
    const approving = approveNext(ALICE, 'RunSecret');
    const [id = ''] = await runs('RunSecret', 1, () => ({ id: newId() }));
    await approving;
    await cardSays(runner.pid(id), 'Approved, ran');
  });
});

describe('evaluate', () => {
  it('withdraws a proposal whose input is too large for a row', async () => {
    const id = await builder.run(`git push origin ${newId()} ${'y'.repeat(9_000)}`);
    await cardOf(builder.pid(id));
    await builder.client.cancel(id);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'cancelled' });
  });
});

describe('the log has what was run of', () => {
  it.each(FUNCTIONS)('%s', async (verb) => {
    const { root } = await e2eGate();
    const { name: FunctionName } = await functionNamed(verb);
    const { Configuration } = await root.lambda.send(new GetFunctionCommand({ FunctionName }));
    const logGroupName = Configuration?.LoggingConfig?.LogGroup ?? `/aws/lambda/${FunctionName}`;
    const startTime = Date.now();
    // The function may fail: this is no event of its own. At this time the canary waits for no question to end.
    await invoke(verb, { Records: [], time: '2026-01-01T00:30:00Z' });
    await until('the lines', async () => {
      const { events = [] } = await root.logs.send(new FilterLogEventsCommand({ logGroupName, startTime }));
      return events.some(({ message = '' }) => message.includes('REPORT RequestId'));
    });
  });
});

describe('App Home', () => {
  /** A question that is among the first of the list, since it ends before the others. */
  async function asked(): Promise<{ readonly pid: string; readonly image: string }> {
    const image = newId();
    const expiresAt = new Date(Date.now() + 9 * 60_000).toISOString();
    const pid = crafter.pid(await crafter.run(`docker push ${image}`, { expiresAt }));
    await cardOf(pid);
    return { pid, image };
  }
  const homeOf = async (user: string) => JSON.stringify((await e2eGate()).slack.home(user)?.content ?? '');

  it('is drawn by slack: what waits, and what somebody voted', async () => {
    const { slack } = await e2eGate();
    const [voted, waits] = [await asked(), await asked()];
    await approve(FRANK, await cardOf(voted.pid));
    await until('his Home', async () => {
      await slack.openHome(FRANK);
      const home = await homeOf(FRANK);
      return home.includes(waits.image) && home.includes(voted.image);
    });
  });

  it('is drawn by slack-out, once its time has come', async () => {
    const { root } = await e2eGate();
    const { image } = await asked();
    const home = { kind: 'home', person: { team: 'T0E2E', user: ERIN }, at: Date.now() };
    await root.sqs.send(
      new SendMessageCommand({
        QueueUrl: await queueUrl('Cards'),
        MessageBody: JSON.stringify(home),
        MessageGroupId: newId(),
        MessageDeduplicationId: newId(),
      }),
    );
    await until('her Home', async () => (await homeOf(ERIN)).includes(image));
  });
});
