/**
 * Runs the `countersign` command against the deployed stack.
 *
 * Each run is a process with the rights of one role and no others.
 */
import { GetSecretValueCommand, PutSecretValueCommand } from '@aws-sdk/client-secrets-manager';
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { beforeAll, describe, expect, it } from 'vitest';
import { queueFigures } from '../../../shared/adapters/sqs/queue-figures.ts';
import { CANARY_TOOL } from '../../../shared/domain/canary.ts';
import { sha256Hex } from '../../../shared/domain/digest.ts';
import { e2eGate } from '../gate.ts';
import { type Agent, agentNamed, newId } from '../harness/agents.ts';
import { countersign, type Environment, json } from '../harness/command.ts';
import { functionNamed, invoke, misled, renewed } from '../harness/functions.ts';
import { empty, messagesIn, redeliveringSoon, unworked } from '../harness/queues.ts';
import { deadLetterUrl } from '../harness/resources.ts';
import { recordsOf, waiting } from '../harness/rows.ts';
import { ALICE, approve, cardOf } from '../harness/slack.ts';
import { until } from '../harness/until.ts';

let builder: Agent;
let auditor: Environment;
let oncall: Environment;
beforeAll(async () => {
  builder = await agentNamed('builder');
  const gate = await e2eGate();
  auditor = await gate.environmentOf('Auditor');
  oncall = await gate.environmentOf('Operator', 'oncall');
});

/** Waits until the record of operations holds the reason. */
const recorded = (reason: string) =>
  until(`the record of ${reason}`, async () => {
    const entries = await json(auditor, 'audit', '--operations');
    return entries.find(({ detail }) => detail === reason);
  });

describe('the record, as an auditor reads it', () => {
  it('shows the call and the question, finds it by what it is about, and compares it by its digest', async () => {
    const session = newId();
    const command = `git push origin ${'long-'.repeat(400)}${session}`;
    const id = newId();
    await builder.run(command, { proposalId: id, sessionId: session });
    await waiting(builder.pid(id));
    const [claim] = await json(auditor, 'audit', id, '--agent', 'builder');
    expect(claim).toMatchObject({ proposalDigest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(String(claim?.['proposal'])).toContain(command);
    const { output } = await countersign(auditor, 'audit', id, '--agent', 'builder');
    expect(output).toContain('Asked of people:');
    expect(output).toContain('platform');

    const byWhat = ['audit', '--agent', 'builder', '--since', '1h', '--tool', 'Bash'];
    const found = await json(auditor, ...byWhat, '--outcome', 'ask', '--session', session);
    expect(found.map(({ proposalId }) => proposalId)).toEqual([id]);
    const call = ['--matches', '--tool', 'Bash', '--input', JSON.stringify({ command })];
    const same = await json(auditor, 'audit', '--agent', 'builder', '--since', '1h', ...call);
    expect(same.map(({ proposalId }) => proposalId)).toEqual([id]);
    expect((await countersign(auditor, 'audit', 'stats', '--agent', 'builder')).output).toMatch(/Bash +\d+/);
    expect((await countersign(oncall, 'audit', '--operations', '--since', '1h')).code).toBe(0);
  });

  /** The vote of a push that Alice approved. */
  async function votedFor(branch: string): Promise<Readonly<Record<string, unknown>> | undefined> {
    const id = await builder.run(`git push origin ${branch}`);
    await approve(ALICE, await cardOf(builder.pid(id)));
    await builder.wait(id);
    const entries = await json(auditor, 'audit', id, '--agent', 'builder');
    return entries.find(({ type }) => type === 'vote');
  }

  it('has the card as Slack showed it to who voted, in the vote itself', async () => {
    const vote = await votedFor('as-seen');
    expect(vote?.['shown']).toContain('git push origin as-seen');
    expect(vote).not.toHaveProperty('shownDigest');
  });

  it('has the card as Slack showed it to who voted, under the digest that the vote names', async () => {
    // Too large for the vote, packed too.
    const long = Array.from({ length: 300 }, (_, index) => index * 7_919).join('-');
    const digest = String((await votedFor(`as-shown-${long}`))?.['shownDigest']);
    const text = await countersign(auditor, 'audit', 'text', digest);
    expect(sha256Hex(text.output.trim())).toBe(digest);
    expect(text.output).toContain('git push origin as-shown');
  });

  it('has the text of the policy file under the version that entries name', async () => {
    const [entry] = await json(auditor, 'audit', '--agent', 'builder', '--limit', '1');
    expect((await invoke('reconcile', {})).error).toBeUndefined();
    const text = await countersign(auditor, 'audit', 'text', String(entry?.['policyVersion']));
    expect(text.code).toBe(0);
    expect(sha256Hex(text.output.trim())).toBe(entry?.['policyVersion']);
  });
});

describe('what waits and what was decided', () => {
  it('pending shows it, decide ends it, audit tells how', async () => {
    const id = await builder.run('git push origin by-command');
    await waiting(builder.pid(id));
    const pending = await json(auditor, 'pending', '--agent', 'builder');
    expect(pending.find(({ proposalId }) => proposalId === id)).toMatchObject({ tools: ['Bash'], asks: ['platform'] });
    // The list, and all that would run of this one.
    expect((await countersign(auditor, 'pending')).output).toContain(id);
    expect((await countersign(auditor, 'pending', id)).output).toContain('"command": "git push origin by-command"');

    const reason = `Slack is down ${newId()}`;
    const vote = ['decide', '--agent', 'builder', '--proposal', id, '--approve', '--reason', reason];
    const voted = await countersign(oncall, ...vote);
    expect(voted).toMatchObject({ code: 0, output: `done: approve ${id} of builder (vote_approve)` });
    expect(await builder.wait(id)).toMatchObject({ outcome: 'approved', decidedBy: { id: 'T0E2E/U0BOB' } });
    expect(await recorded(reason)).toMatchObject({ accepted: true, decidedBy: { type: 'human', id: 'oncall' } });

    const trail = await json(auditor, 'audit', id, '--agent', 'builder');
    expect(trail.map(({ type }) => type)).toEqual(['evaluated', 'vote', 'decided']);
    const shown = await countersign(auditor, 'audit', id, '--agent', 'builder');
    expect(shown.output).toMatch(/decided.*Bob Approver.*approved/);

    const newest = await json(auditor, 'audit', '--agent', 'builder', '--limit', '3');
    expect(newest).toHaveLength(3);
    expect(newest[0]).toMatchObject({ type: 'decided', proposalId: id });

    const late = await countersign(oncall, ...vote);
    expect(late).toMatchObject({ code: 2, output: expect.stringContaining('waits no more: it is approved') });
    const other = vote.map((word) => (word === '--approve' ? '--reject' : word));
    const refused = await countersign(oncall, ...other, '--unchecked');
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('(already_decided)') });
  });

  it('is refused to an agent, in one line', async () => {
    for (const argv of [['pending'], ['audit', '--agent', 'builder']]) {
      const { code, output } = await countersign(builder.environment, ...argv);
      expect({ code, lines: output.trim().split('\n').length }).toEqual({ code: 1, lines: 1 });
      expect(output).toMatch(/not authorized/i);
    }
  });

  it('is brought back by nobody who may not', async () => {
    expect((await countersign(auditor, 'redrive', 'cards', '--reason', 'curious')).code).toBe(1);
  });
});

describe('an operator', () => {
  it('reads what operators change, under the one role', async () => {
    for (const argv of [['pending'], ['audit', '--operations'], ['delegate', 'list']])
      expect(await countersign(oncall, ...argv)).toMatchObject({ code: 0 });
    for (const argv of [
      ['sessions', 'list', '--agent', 'builder'],
      ['grants', 'list', '--agent', 'builder'],
    ])
      expect(await countersign(oncall, ...argv)).toMatchObject({ code: 0 });
  });

  it('does not read what agents did', async () => {
    const byWhat = ['audit', '--agent', 'builder', '--since', '1h', '--tool', 'Bash'];
    expect((await countersign(oncall, ...byWhat)).code).toBe(1);
    expect(await countersign(oncall, 'audit', '--agent', 'builder')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/not authorized/i),
    });
  });

  it('hears that a name is of nobody, before it is sent and from the gate', async () => {
    const pause = ['pause', '--agent', 'biulder', '--deny', '--reason', 'a typing error'];
    expect(await countersign(oncall, ...pause)).toMatchObject({
      code: 2,
      output: expect.stringContaining(
        'not sent: scope.agent: the policy file declares no agent biulder; did you mean builder?',
      ),
    });
    expect(await countersign(oncall, ...pause, '--unchecked')).toMatchObject({
      code: 1,
      output: expect.stringContaining('refused: scope.agent: the policy file declares no agent biulder'),
    });
  });

  it('sees after a deployment that the gate decides as it must, without bothering anybody', async () => {
    const { slack } = await e2eGate();
    const asked = slack.apiLog.length;
    const findings = await json(oncall, 'doctor', '--only', 'settings', 'access', 'versions', 'canary');
    expect(findings.find(({ check }) => check === 'canary')).toMatchObject({
      health: 'ok',
      found: expect.stringMatching(/^deny: right .*; ask: right .*; allow: right /),
    });
    expect(findings.filter(({ health }) => health === 'wrong')).toEqual([]);
    expect(findings.find(({ check }) => check === 'versions')).toMatchObject({ health: 'ok' });
    // A question that was withdrawn before its card was asked for asks nothing: then it is the next one's turn.
    await until('the question to Slack', async () => {
      if (slack.apiLog.slice(asked).some(({ method }) => method === 'auth.test')) return true;
      await countersign(oncall, 'doctor', '--only', 'canary');
      return false;
    });
    expect(JSON.stringify(slack.apiLog.slice(asked))).not.toContain(CANARY_TOOL);
  });

  it('hears that no request of Slack can be verified while the signing secret is missing', async () => {
    const { root } = await e2eGate();
    const requests = ['doctor', '--only', 'requests'];
    expect(await json(oncall, ...requests)).toMatchObject([{ check: 'requests', health: 'ok' }]);
    const SecretId = (await functionNamed('slack')).environment['SLACK_SIGNING_SECRET'] ?? '';
    const { SecretString } = await root.secrets.send(new GetSecretValueCommand({ SecretId }));
    const put = async (text: string | undefined) => {
      await root.secrets.send(new PutSecretValueCommand({ SecretId, SecretString: text }));
      await renewed('GateSlackFunction');
    };
    await put('{"signingSecret":""}');
    try {
      const { code, output } = await countersign(oncall, ...requests, '--json');
      expect({ code, output }).toMatchObject({ code: 1, output: expect.stringContaining('SlackSigningSecretArn') });
    } finally {
      await put(SecretString);
    }
    expect(await json(oncall, ...requests)).toMatchObject([{ health: 'ok' }]);
  });

  it('sees in one look what holds, and which queues and alarms there are', async () => {
    const reason = `a drill ${newId()}`;
    const rule = ['sessions', 'add-rule', '--always', '--agent', 'seller', '--deny', 'WebFetch', '--reason', reason];
    expect((await countersign(oncall, ...rule)).code).toBe(0);
    for (const role of [oncall, auditor]) {
      const [status] = await json(role, 'status', '--agent', 'seller', 'writer');
      expect(status).toMatchObject({
        control: { pauses: [] },
        delegations: expect.any(Array),
        sessions: [{ agent: 'seller', rules: [{ effect: 'deny', pattern: 'WebFetch', by: 'oncall' }] }],
        alarms: expect.any(Array),
        unread: [],
      });
      // The alias of each entrance says which version callers reach.
      expect(JSON.stringify(status)).not.toContain('aliasUnread');
      const queues = status?.['queues'] as { readonly name: string }[];
      expect(queues.map(({ name }) => name).sort()).toEqual([
        'Cards',
        'Deferred',
        'Executions',
        'Operators',
        'Outcomes',
        'Proposals',
        'Talk',
        'Webhooks',
      ]);
    }
    const { output } = await countersign(oncall, 'status', '--agent', 'seller');
    expect(output).toMatch(/Sessions\n.*\nseller +every session +deny WebFetch +oncall +it is removed/);
    const back = ['sessions', 'remove-rule', '--always', '--agent', 'seller', '--deny', 'WebFetch', '--reason', reason];
    expect((await countersign(oncall, ...back)).code).toBe(0);
  });
});

it('pause holds for one agent and is lifted', async () => {
  const reason = `an incident ${newId()}`;
  const writer = await agentNamed('writer');
  const pause = ['pause', '--agent', 'writer', '--reason', reason];
  expect(await countersign(oncall, ...pause, '--deny', '--until', '10m')).toMatchObject({
    code: 0,
    output: expect.stringMatching(/^done: deny the agent writer until .* \(paused_deny\)$/),
  });
  expect(await recorded(reason)).toMatchObject({ accepted: true, reasonCode: 'paused_deny' });
  expect(await writer.wait(await writer.run('git status'))).toMatchObject({ outcome: 'denied' });
  const lifted = `over ${newId()}`;
  expect((await countersign(oncall, 'pause', '--agent', 'writer', '--lift', '--reason', lifted)).code).toBe(0);
  await recorded(lifted);
  expect(await writer.wait(await writer.run('git status'))).toMatchObject({ outcome: 'approved' });
});

/** With those that wait for their next try, hidden. */
async function lettersIn(url: string): Promise<number> {
  const { root } = await e2eGate();
  const { visible, inFlight } = await queueFigures(root.sqs, url.split('/').at(-1) ?? '');
  return visible + inFlight;
}

it('redrive brings a message back as it was, in an operator’s hands (A12)', async () => {
  const { root } = await e2eGate();
  const dead = await deadLetterUrl('Cards');
  await empty(dead);
  const message = { QueueUrl: dead, MessageBody: '{}', MessageGroupId: 'nobody', MessageDeduplicationId: newId() };
  await root.sqs.send(new SendMessageCommand(message));
  const [done] = await json(oncall, 'redrive', 'cards', '--reason', 'the fault is mended');
  expect(done).toMatchObject({ kind: 'redrive', queue: 'cards', result: { code: 'redriven', moved: 1, left: [] } });
  expect(await messagesIn(dead)).toEqual([]);
  const [recordedLine] = await json(oncall, 'audit', '--operations', '--limit', '1');
  expect(recordedLine).toMatchObject({
    decidedBy: { type: 'human', id: 'oncall' },
    operation: { kind: 'redrive', queue: 'cards', moved: 1, left: [] },
  });
});

it('a report that was set aside is worked again as its own sender’s, and redrive has no hand in it (A2, G33)', async () => {
  const { outputs } = await e2eGate();
  const dead = await deadLetterUrl('Outcomes');
  const raw = JSON.stringify({ proposalId: newId() });
  // The function fails on its live queue. Dead letters wait until it is mended: a try that fails costs a minute.
  await unworked(dead, () =>
    misled('collect-outcomes', { AUDIT_TABLE: 'nowhere' }, () =>
      redeliveringSoon(
        'Outcomes',
        async () => {
          await builder.sqs.send(new SendMessageCommand({ QueueUrl: outputs.OutcomesQueueUrl, MessageBody: raw }));
          await until('the dead letter', async () => (await lettersIn(dead)) > 0);
        },
        { setAside: true },
      ),
    ),
  );
  const [refusal] = await until('the refusal in the name of its sender', async () => {
    const entries = await recordsOf('builder', sha256Hex(raw));
    return entries.length ? entries : undefined;
  });
  expect(refusal?.entry).toMatchObject({ type: 'refused', agent: 'builder', reasonCode: 'invalid_outcome' });
  expect((await countersign(oncall, 'redrive', 'outcomes', '--reason', 'x')).code).toBe(2);
});
