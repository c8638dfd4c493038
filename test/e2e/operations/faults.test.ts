/** Checks that the gate's own faults are tried again or reported, and never allow (G9, G33). */
import { CloudWatchClient, DescribeAlarmsCommand } from '@aws-sdk/client-cloudwatch';
import { SendMessageBatchCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { DEAD_LETTERS_SUBJECT } from '../../../shared/use-cases/intake/dead-letter.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { misled } from '../harness/functions.ts';
import { messagesIn, redeliveringSoon } from '../harness/queues.ts';
import { deadLetterUrl, queueUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { approvalOf, recordsOf, sortsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf, cardSays, cardsOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
beforeAll(async () => {
  builder = await agentNamed('builder');
});

async function alarmsOn(queueUrl: string) {
  const { endpoint } = await e2eGate();
  const watch = new CloudWatchClient(clientConfig(endpoint));
  const { MetricAlarms = [] } = await watch.send(new DescribeAlarmsCommand({ MaxRecords: 100 }));
  const name = queueUrl.split('/').at(-1);
  return MetricAlarms.filter(({ Dimensions }) => Dimensions?.some(({ Value }) => Value === name)).map(
    ({ MetricName, Threshold }) => ({ MetricName, Threshold }),
  );
}

describe('a message that the store refuses', () => {
  it('goes on where the store takes it: what evaluate may not open is opened by deliberate, and its mates are decided', async () => {
    const { outputs } = await e2eGate();
    const dead = await deadLetterUrl('Proposals');
    const [first, refused, last] = [newId(), newId(), newId()];
    const entry = (proposalId: string, command: string) => ({
      Id: proposalId,
      MessageBody: JSON.stringify({ proposalId, toolName: 'Bash', input: { command } }),
      MessageGroupId: 'builder',
    });
    // An ask writes a journal row, an allow or a deny does not: without that right only the ask fails.
    const batch = async () => {
      const Entries = [entry(first, 'git status'), entry(refused, 'git push origin x'), entry(last, 'rm -rf x')];
      await builder.sqs.send(new SendMessageBatchCommand({ QueueUrl: outputs.ProposalsQueueUrl, Entries }));
      expect(await builder.wait(first)).toMatchObject({ outcome: 'approved' });
      expect(await builder.wait(last)).toMatchObject({ outcome: 'denied' });
      await approve(ALICE, await cardOf(builder.pid(refused)));
    };
    const refusing = () => without('evaluate', 'dynamodb:PutItem', batch, 'journal#');
    await redeliveringSoon('Proposals', refusing, { setAside: true });
    expect(await builder.wait(refused)).toMatchObject({ outcome: 'approved' });
    expect(await messagesIn(dead)).toEqual([]);
  });
});

describe('a message that cannot be worked at all', () => {
  it('GR-035 is set aside after five receipts, recorded, with an alarm, and its agent reads an error', async () => {
    const dead = await deadLetterUrl('Proposals');
    const nowhere = { STATE_TABLE: 'nowhere', DEFERRED_QUEUE_URL: `${await queueUrl('Deferred')}-nowhere` };
    const id = await misled('evaluate', nowhere, () =>
      redeliveringSoon(
        'Proposals',
        async () => {
          const proposalId = await builder.run('git status');
          expect(await builder.wait(proposalId)).toMatchObject({ outcome: 'error', reasonCode: 'dead_letter' });
          return proposalId;
        },
        { setAside: true },
      ),
    );
    const { agent, pid } = DEAD_LETTERS_SUBJECT;
    expect((await recordsOf(agent, pid)).map(({ entry }) => entry)).toContainEqual(
      expect.objectContaining({ type: 'refused', reasonCode: 'dead_letter' }),
    );
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
    await until('its end among the dead letters', async () => (await messagesIn(dead)).length === 0);
    expect(await alarmsOn(dead)).toEqual([{ MetricName: 'ApproximateNumberOfMessagesVisible', Threshold: 1 }]);
  });
});

describe('a function without one of its rights', () => {
  it('evaluate, which may not write the record: nothing is allowed until it may again', async () => {
    const id = newId();
    await redeliveringSoon('Proposals', async () => {
      await without('evaluate', 'dynamodb:PutItem', async () => {
        await builder.run('git status', { proposalId: id });
        await expect(builder.client.wait(id, { timeout: 1_500 })).rejects.toThrow('do not run the tool');
        expect(await recordsOf('builder', builder.pid(id))).toEqual([]);
      });
      expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    });
    expect(await sortsOf('builder', builder.pid(id))).toEqual(['evaluated']);
  });

  it('evaluate, which may not read claims and the brake: nothing is decided until it may again', async () => {
    const id = newId();
    await redeliveringSoon('Proposals', async () => {
      await without('evaluate', 'dynamodb:BatchGetItem', async () => {
        await builder.run('rm -rf x', { proposalId: id });
        await expect(builder.client.wait(id, { timeout: 1_500 })).rejects.toThrow('do not run the tool');
      });
      expect(await builder.wait(id)).toMatchObject({ outcome: 'denied' });
    });
  });

  it('request-approval, which may not keep the token: no card, until it may again', async () => {
    const id = newId();
    const pid = builder.pid(id);
    await without('request-approval', 'dynamodb:PutItem', async () => {
      await builder.run('git push origin tokenless', { proposalId: id });
      await waiting(pid);
      await builder.wait(await builder.run('git status'));
      expect(await cardsOf(pid)).toEqual([]);
    });
    await approve(ALICE, await cardOf(pid));
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    expect(await cardsOf(pid)).toHaveLength(1);
  });

  it('slack, which may not change approvals: the click fails and counts for nothing', async () => {
    const id = await builder.run('git push origin unclickable');
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    await without('slack', 'dynamodb:UpdateItem', async () => {
      expect((await approve(ALICE, card)).ok).toBe(false);
    });
    expect((await approvalOf(pid))?.approval).toMatchObject({ status: 'pending', votes: [] });
    expect(await sortsOf('builder', pid)).toEqual(['evaluated']);
    await approve(ALICE, card);
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
  });

  it('resume, which may not write the decision: the approval is no permit, until it may again', async () => {
    const id = await builder.run('git push origin undecided');
    const pid = builder.pid(id);
    const card = await cardOf(pid);
    await without('resume', 'dynamodb:PutItem', async () => {
      await approve(ALICE, card);
      expect((await approvalOf(pid))?.approval.status).toBe('approved');
      await expect(builder.client.wait(id, { timeout: 1_500 })).rejects.toThrow('do not run the tool');
      expect((await approvalOf(pid))?.decision).toBeUndefined();
    });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved' });
    await cardSays(pid, 'Approved');
    expect(await sortsOf('builder', pid)).toEqual(['decided', 'evaluated', 'vote']);
  });
});
