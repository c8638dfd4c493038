/**
 * Runs `countersign trace` against the deployed stack, for each way in which a proposal can go.
 *
 * Each run has the rights of one role of the stack: an auditor's shows all sources, an operator's all but the record.
 */
import { DeleteFunctionCommand } from '@aws-sdk/client-lambda';
import { beforeAll, describe, expect, it } from 'vitest';
import { INVENTED_SECRETS } from '../../support/invented-secrets.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { countersign, type Environment } from '../harness/command.ts';
import { misled } from '../harness/functions.ts';
import { redeliveringSoon } from '../harness/queues.ts';
import { queueUrl } from '../harness/resources.ts';
import { without } from '../harness/rights.ts';
import { waiting } from '../harness/rows.ts';
import { runs } from '../harness/runs.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

interface Step {
  readonly at: string;
  readonly source: string;
  readonly what: string;
  readonly detail: string;
}

let builder: Agent;
let auditor: Environment;
let oncall: Environment;
beforeAll(async () => {
  builder = await agentNamed('builder');
  const gate = await e2eGate();
  auditor = await gate.environmentOf('Auditor');
  oncall = await gate.environmentOf('Operator', 'oncall');
});

async function traced(env: Environment, id: string, ...argv: readonly string[]) {
  const agent = argv.includes('--agent') ? [] : ['--agent', 'builder'];
  const { code, output, lines } = await countersign(env, 'trace', id, ...agent, ...argv, '--json');
  const steps = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Step);
  return { code, output, steps };
}

/** Traces it until the log has what is looked for: lines come there a moment later. */
const tracedWith = (id: string, source: string, words: string, ...argv: readonly string[]) =>
  until(`${words} in the ${source} of ${id}`, async () => {
    const found = await traced(auditor, id, ...argv);
    return found.steps.some((step) => step.source === source && `${step.what} ${step.detail}`.includes(words))
      ? found
      : undefined;
  });

const sourcesOf = (steps: readonly Step[]) => new Set(steps.map(({ source }) => source));

describe('countersign trace finds', () => {
  it('a call that was allowed, in the record and in what was measured', async () => {
    const id = await builder.run('git status');
    await builder.wait(id);
    const { code, output, steps } = await tracedWith(id, 'log evaluate', 'Decisions');
    expect(code, output).toBe(0);
    expect(steps.find(({ source }) => source === 'record')?.detail).toContain('allow');
    expect(sourcesOf(steps)).not.toContain('workflow');
  });

  it('a question, from its card over the vote to the end of its workflow, by any of its ids', async () => {
    const secret = INVENTED_SECRETS[0]?.text ?? '';
    const id = await builder.run(`git push origin traced ${secret}`);
    await approve(ALICE, await cardOf(builder.pid(id)));
    await builder.wait(id);
    const { code, output, steps } = await tracedWith(id, 'workflow', 'ended succeeded');
    expect(code, output).toBe(0);
    const order = steps.filter(({ source }) => ['record', 'card', 'workflow'].includes(source)).map(({ what }) => what);
    expect(order.indexOf('evaluated')).toBeLessThan(order.indexOf('vote'));
    expect(order.indexOf('vote')).toBeLessThan(order.indexOf('decided'));
    for (const source of ['approval', 'card', 'log evaluate', 'log slack', 'log resume'])
      expect(sourcesOf(steps)).toContain(source);
    expect(steps.map(({ at }) => at)).toEqual(steps.map(({ at }) => at).toSorted());
    expect(output).not.toContain(INVENTED_SECRETS[0]?.secret);
    const byPid = await traced(auditor, builder.pid(id));
    expect(byPid.steps.map(({ source }) => source)).toEqual(expect.arrayContaining([...sourcesOf(steps)]));
  });

  it('the same for an operator, who is told that the record is not shown, and of no history', async () => {
    const id = await builder.run('git push origin traced-by-operator');
    await cardOf(builder.pid(id));
    const { code, output, steps } = await traced(oncall, id);
    expect(code).toBe(1);
    expect(output).toMatch(/record cannot be read: .*not authorized/);
    for (const source of ['approval', 'card', 'workflow', 'log evaluate']) expect(sourcesOf(steps)).toContain(source);
    expect(steps.find(({ source }) => source === 'workflow')).toMatchObject({ what: 'began', detail: 'running' });
    const refused = await traced(auditor, id, '--history');
    expect(refused).toMatchObject({
      code: 1,
      output: expect.stringMatching(/workflow cannot be read: .*not authorized/),
    });
    await builder.client.cancel(id);
  });

  it('a message that was set aside, by the proposal and by the message', async () => {
    const nowhere = { STATE_TABLE: 'nowhere', DEFERRED_QUEUE_URL: `${await queueUrl('Deferred')}-nowhere` };
    const id = newId();
    await misled('evaluate', nowhere, () =>
      redeliveringSoon(
        'Proposals',
        async () => {
          await builder.run('git status', { proposalId: id });
          expect(await builder.wait(id)).toMatchObject({ outcome: 'error' });
        },
        { setAside: true },
      ),
    );
    const { steps } = await tracedWith(id, 'dead letter', 'set aside');
    expect(steps.find(({ source }) => source === 'log evaluate')?.what).toBe('a message could not be processed');
    expect(sourcesOf(steps)).toContain('log deliberate');
    const message =
      / message (\S+)$/.exec(steps.find(({ source }) => source === 'dead letter')?.detail ?? '')?.[1] ?? '';
    const byMessage = await traced(auditor, message);
    expect(sourcesOf(byMessage.steps)).toEqual(sourcesOf(steps));
  });

  it('a card that Slack refused, with Slack’s word', async () => {
    const { slack } = await e2eGate();
    // A card of another test may be posted before this one.
    slack.failNext('chat.postMessage', 'msg_too_long', { about: 'refused-card' });
    const id = await builder.run('git push origin refused-card');
    await waiting(builder.pid(id));
    await tracedWith(id, 'log slack-out', 'slackError msg_too_long');
    // A trace reads the row beside the logs: the one that found the line may have read it before the refusal.
    await tracedWith(id, 'approval', 'waits no card');
    await builder.client.cancel(id);
  });

  it('a click that failed, with the fault', async () => {
    const id = await builder.run('git push origin failed-click');
    const card = await cardOf(builder.pid(id));
    await without('slack', 'dynamodb:UpdateItem', () =>
      until('an error for Slack', async () => ((await approve(ALICE, card)).entry?.status ?? 0) >= 500),
    );
    const { steps } = await tracedWith(id, 'log slack', 'AccessDenied');
    expect(steps.find(({ source, detail }) => source === 'log slack' && detail.includes('AccessDenied'))).toMatchObject(
      {
        what: 'a listener failed',
        detail: expect.stringMatching(/operation \w+/),
      },
    );
    await builder.client.cancel(id);
  });

  it('a run whose function is missing', async () => {
    const { root } = await e2eGate();
    await root.lambda.send(new DeleteFunctionCommand({ FunctionName: 'e2e-adder' })).catch(() => undefined);
    const [id = ''] = await runs('RunAdd', 1, () => ({ a: 1, b: 1 }));
    const { steps } = await tracedWith(id, 'log execute-tool', 'TargetUnavailable', '--agent', 'runner');
    expect(sourcesOf(steps)).toContain('record');
  });
});

it('an agent may not trace', async () => {
  const { code, output, steps } = await traced(builder.environment, newId());
  expect({ code, steps }).toEqual({ code: 1, steps: [] });
  expect(output).toMatch(/not authorized/i);
});
