/** Plays faults of functions: rights that are missing, settings that are wrong, dead letters. */
import { PurgeQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { e2eGate } from '../gate.ts';
import { agentNamed, newId, operatorNamed } from '../harness/agents.ts';
import { invoke, misled } from '../harness/functions.ts';
import { redeliveringSoon, unworked } from '../harness/queues.ts';
import { deadLetterUrl, queueUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { waiting } from '../harness/rows.ts';
import { ALICE, approve, type Card, cardOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';
import { faultsOf, written } from './figures.ts';
import { levelOf, minutes, nothing, once, type Play, push, type Seen } from './seen.ts';

export const clickWithoutRight = async (card: Card): Promise<Seen> => {
  await without('slack', 'dynamodb:UpdateItem', () =>
    // The first click may meet a process that is only starting.
    until('an error for Slack', async () => ((await approve(ALICE, card)).entry?.status ?? 0) >= 500),
  );
  return { own: [{ metric: 'Url5xxCount', value: 1 }], timesAMinute: 3 };
};

/** Runs are those whose fault is in the log: all of them failed. */
const failing = (of: string, timesAMinute: number, runsSeen = 1): Seen => ({
  own: [{ metric: 'Invocations', of, value: runsSeen }],
  timesAMinute,
});

export const notStarting: Play = async () => {
  const settings = { STATE_TABLE: '', AUDIT_TABLE: '' };
  const failed = await misled('redeem', settings, async () => {
    const answers = await Promise.all([1, 2, 3].map(() => invoke('redeem', {})));
    return answers.filter(({ error }) => error !== undefined).length;
  });
  const of = 'GateRedeemFunction';
  return { own: ['Errors', 'Invocations'].map((metric) => ({ metric, of, value: failed })) };
};

/** With an approval that people see, whose answer does not become a decision. */
export const resumeWithoutRight: Play = async () => {
  const oncall = await operatorNamed('oncall');
  const { id, pid } = await push('undecided');
  await cardOf(pid);
  await without('resume', 'dynamodb:PutItem', async () => {
    const since = Date.now();
    await oncall.say({ kind: 'decide', agent: 'builder', proposalId: id, choice: 'approve' });
    await faultsOf('resume', since);
  });
  await (await agentNamed('builder')).wait(id);
  return failing('GateResumeFunction', 5);
};

export const requestWithoutRight: Play = async () => {
  await without('request-approval', 'dynamodb:PutItem', async () => {
    const since = Date.now();
    const { pid } = await push('tokenless');
    await waiting(pid);
    await faultsOf('request-approval', since);
  });
  return failing('GateRequestApprovalFunction', 5);
};

export const slackOutWithoutRight: Play = async () => {
  await redeliveringSoon('Cards', async () => {
    await without('slack-out', 'dynamodb:Query', async () => {
      const since = Date.now();
      await waiting((await push('undrawn')).pid);
      await faultsOf('slack-out', since);
    });
  });
  return nothing;
};

export const reconcileFails = once(async () => {
  await without('reconcile', 'dynamodb:Query', () => invoke('reconcile', {}));
  return nothing;
});
/** No run comes to its end any more. */
export const reconcileWithoutRight: Play = async () => ({
  ...(await reconcileFails()),
  before: { metric: 'ApprovalsLookedAfter', value: 1, everyMs: minutes(1) },
});

export const evaluateWithoutRight: Play = async () => {
  const builder = await agentNamed('builder');
  const ids = Array.from({ length: 6 }, newId);
  await redeliveringSoon('Proposals', () =>
    without('evaluate', 'dynamodb:BatchGetItem', async () => {
      const since = Date.now();
      for (const proposalId of ids) await builder.run('git status', { proposalId });
      await faultsOf('evaluate', since, ids.length);
    }),
  );
  return failing('GateEvaluateFunction', 1, 6);
};

/** Letters of proposals: some that nobody takes, one that cannot be answered, and the answers. */
export const letters = once(async () => {
  const { root } = await e2eGate();
  const dead = await deadLetterUrl('Proposals');
  const builder = await agentNamed('builder');
  const nowhere = { STATE_TABLE: 'nowhere', DEFERRED_QUEUE_URL: `${await queueUrl('Deferred')}-nowhere` };
  let level = 0;
  await unworked(dead, () =>
    misled('evaluate', nowhere, () =>
      redeliveringSoon(
        'Proposals',
        async () => {
          await builder.run('git status');
          await until('a dead letter', async () => {
            level = await levelOf(dead);
            return level > 0;
          });
        },
        { setAside: true },
      ),
    ),
  );
  await until('the answer', async () => (await levelOf(dead)) === 0);
  await without('deliberate', 'dynamodb:PutItem', async () => {
    const since = Date.now();
    const body = JSON.stringify({ proposalId: newId(), toolName: 'Bash', input: { command: 'git status' } });
    await builder.sqs
      .send(new SendMessageCommand({ QueueUrl: dead, MessageBody: body }))
      .catch(() => root.sqs.send(new SendMessageCommand({ QueueUrl: dead, MessageBody: body })));
    await written('DeadLettersUnanswered', since);
  });
  await root.sqs.send(new PurgeQueueCommand({ QueueUrl: dead }));
  return { own: [{ metric: 'ApproximateNumberOfMessagesVisible', value: level }] };
});
