/**
 * Checks the library's handler and channel over the gate (seeds 0 and 1).
 *
 * Both pass on what people answer on the card.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { GateAskerError, gateAsker, type ToolClass } from '../../../shared/approvals/index.ts';
import { CountersignClient } from '../../../shared/client/index.ts';
import type { Ballot } from '../../../shared/domain/approval/approval.ts';
import { choiceDigest } from '../../../shared/domain/digest.ts';
import {
  type Action,
  ApprovalResult,
  FirstAvailablePolicy,
  HumanInTheLoopPolicy,
  TimeoutBehavior,
} from '../../../shared/policies/index.ts';
import { SlackApprovalChannel } from '../../../shared/seeds/tenor.ts';
import { SlackApprovalHandler } from '../../../shared/seeds/tkach.ts';
import { vote } from '../../../shared/use-cases/approvals/voting/cast-vote.ts';
import { choiceWorld, say } from '../use-cases/choice-world.ts';
import { PEOPLE, policyOf, World } from '../use-cases/world.ts';
import { channelContract, type MadeChannel, proposed, snapshot, space } from './channels/channel.contract.ts';

let world: World;
let client: CountersignClient;
let ids: number;

beforeEach(() => {
  world = new World();
  ids = 0;
  client = new CountersignClient({
    ...world.gate.agentSide('coder'),
    queueUrl: 'memory',
    auditTable: 'memory',
    newId: () => `p${++ids}`,
    sleep: () => new Promise((resolve) => setImmediate(resolve)),
  });
});
afterEach(() => world.gate.stop());

/** Lets what was just asked reach people. */
const asked = async () => {
  for (let turn = 0; turn < 5; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    await world.rest();
  }
};
const never = new AbortController().signal;
const push = { command: 'git push origin main' };

describe('the handler', () => {
  const handler = () => new SlackApprovalHandler(client);
  const ask = (input: unknown, signal = never, toolClass: ToolClass = 'Mutating') =>
    handler().approve('Bash', input, toolClass, signal);

  test('allows what a person approved, and what a rule allows without asking anybody', async () => {
    const answer = ask(push);
    await asked();
    await world.click('p1', 'alice');
    expect(await answer).toEqual({ type: 'allow' });
    const automatic = ask({ command: 'git status' });
    await asked();
    expect(await automatic).toEqual({ type: 'allow' });
  });

  test('allows a call with an effective input only in that form, and says which (D23, D44)', async () => {
    const more = 'tools:\n  Bash: { permissions: [Execute], shell: { canonical: true } }\n';
    world.gate.usePolicy(policyOf({ more }));
    const answer = ask({ command: 'git status -s' });
    await asked();
    const printed = "'git' 'status' '-s'";
    expect(await answer).toMatchObject({ type: 'deny', reason: expect.stringContaining(printed) });
    const again = ask({ command: printed });
    await asked();
    expect(await again).toEqual({ type: 'allow' });
    const edited = ask(push);
    await asked();
    await world.edit('p3', 'alice', { command: printed });
    expect(await edited).toMatchObject({ type: 'deny', reason: expect.stringContaining(printed) });
  });

  test('denies what a person rejected, with the reason for the model', async () => {
    const answer = ask(push);
    await asked();
    await world.click('p1', 'alice', 'reject', { reason: 'not on a Friday' });
    expect(await answer).toMatchObject({ type: 'deny', reason: expect.stringContaining('not on a Friday') });
  });

  test('denies what a rule denies and what nobody answers', async () => {
    const denied = ask({ command: 'rm -rf /tmp/x' });
    await asked();
    expect(await denied).toMatchObject({ type: 'deny' });
    const late = ask(push);
    await asked();
    await world.clock.advance(3_600_000 + 120_000);
    expect(await late).toMatchObject({ type: 'deny', reason: expect.stringContaining('Nobody answered') });
  });

  test('takes the card back when nobody waits any more', async () => {
    const cancel = new AbortController();
    const answer = ask(push, cancel.signal);
    await asked();
    cancel.abort(new Error('cancelled'));
    expect(await answer).toEqual({ type: 'deny', reason: 'cancelled' });
    await asked();
    expect((await world.row('p1')).approval.status).toBe('cancelled');
  });

  test('denies arguments that are no object, without asking', async () => {
    expect(await ask('git push')).toMatchObject({ type: 'deny' });
    expect(ids).toBe(0);
  });
});

describe('a question for a text', () => {
  const ask = (title = 'Which branch?', signal = never) =>
    gateAsker(client)({ kind: 'text', id: 'q1', title }, { signal });
  const respond = async (ballot: Ballot) => {
    const { approval } = await world.row('p1');
    const click = { pid: approval.pid, person: PEOPLE.alice, isBot: false, requestId: 'r1', ballot };
    await vote(click, world.gate.parts);
    await world.rest();
  };

  test('is answered in Slack, with the person who answered', async () => {
    const answer = ask();
    await asked();
    const { digest } = (await world.row('p1')).approval.question;
    await respond({ choice: 'respond', answer: 'main', questionDigest: digest, via: 'slack' });
    expect(await answer).toEqual({ type: 'text', text: 'main', by: 'T0DEMO/U0ALICE' });
  });

  test('is rejected by who declines it', async () => {
    const answer = ask();
    await asked();
    await world.click('p1', 'alice', 'reject', { reason: 'ask the lead' });
    expect(await answer).toEqual({ type: 'rejected', by: 'T0DEMO/U0ALICE', reason: expect.stringContaining('lead') });
  });

  test('is silent if nobody answers', async () => {
    const answer = ask();
    await asked();
    await world.clock.advance(3_600_000 + 120_000);
    expect(await answer).toEqual({ type: 'silent' });
  });

  test('is withdrawn when nobody waits any more, and never asked if nobody does', async () => {
    const cancel = new AbortController();
    const answer = expect(ask('Which branch?', cancel.signal)).rejects.toThrow('shut down');
    await asked();
    cancel.abort(new Error('shut down'));
    await answer;
    await asked();
    expect((await world.row('p1')).approval.status).toBe('cancelled');
    const before = ids;
    await expect(ask('Which branch?', cancel.signal)).rejects.toThrow('shut down');
    expect(ids).toBe(before);
  });

  test('fails, and asks nobody, if the gate could not read it', async () => {
    await expect(ask('')).rejects.toMatchObject({ field: 'question' });
  });
});

/** A gate whose people answer the card as soon as it is there; `fails`: its queue is down. */
function answeredAt(result: ApprovalResult | 'fails' | 'nobody'): MadeChannel {
  const at = choiceWorld();
  let id = 0;
  const asker = new CountersignClient({
    ...at.world.gate.agentSide('coder'),
    queueUrl: 'memory',
    auditTable: 'memory',
    clock: at.world.clock,
    newId: () => `c${++id}`,
    sleep: async () => {
      await at.world.rest();
      if (result === 'nobody') await at.world.clock.advance(12 * 60_000);
      else if (result !== 'fails') await say(at, `c${id}`, 'alice', ballotFor(result));
    },
    ...(result === 'fails' ? { queue: { publish: () => Promise.reject(new Error('down')) } } : {}),
  });
  return { channel: new SlackApprovalChannel(asker, 'person'), close: () => at.world.gate.stop() };
}

function ballotFor(result: ApprovalResult): Partial<Ballot> & { choice: Ballot['choice'] } {
  if (result.type !== 'substitute') return { choice: result.type === 'approved' ? 'approve' : 'reject' };
  const index = space.actions.findIndex(({ flow_id }) => flow_id === result.action.flow_id);
  return { choice: 'substitute', index, actionDigest: choiceDigest(result.action) } as Partial<Ballot> & {
    choice: 'substitute';
  };
}

channelContract('Slack', answeredAt);

describe('the Slack channel', () => {
  const ask = ({ channel }: MadeChannel, about: Action = proposed) => channel.requestApproval(about, space, snapshot);

  test('says who answered, and why they refused', async () => {
    expect(await ask(answeredAt(ApprovalResult.Approved))).toEqual({ type: 'approved', by: 'T0DEMO/U0ALICE' });
    expect(await ask(answeredAt(ApprovalResult.Rejected))).toEqual({
      type: 'rejected',
      by: 'T0DEMO/U0ALICE',
      reason: expect.stringContaining('because'),
    });
  });

  test('an expiry is a time-out, never a refusal', async () => {
    expect(await ask(answeredAt('nobody'))).toEqual({ type: 'timeout' });
  });

  test('takes the card back when nobody waits any more', async () => {
    const at = choiceWorld();
    const side = {
      ...at.world.gate.agentSide('coder'),
      queueUrl: 'memory',
      auditTable: 'memory',
      clock: at.world.clock,
    };
    const stop = new AbortController();
    const sleep = async () => {
      await at.world.rest();
      stop.abort(new Error('too late'));
    };
    const channel = new SlackApprovalChannel(new CountersignClient({ ...side, sleep, newId: () => 'c1' }), 'person');
    const answer = channel.requestApproval(proposed, space, snapshot, stop.signal);
    await expect(answer).rejects.toThrow('too late');
    await at.world.rest();
    expect((await at.world.row('c1')).approval.status).toBe('cancelled');
  });

  test('asks about what was proposed, wherever it stands in the space', async () => {
    const last = space.actions[2] ?? proposed;
    expect(await ask(answeredAt(ApprovalResult.Approved), last)).toMatchObject({ type: 'approved' });
  });

  test.each(['first', 'lenient', 'unheard-of'])(
    'the policy %s, where no person decided, approves nothing',
    async (policy) => {
      const at = choiceWorld();
      const side = {
        ...at.world.gate.agentSide('coder'),
        queueUrl: 'memory',
        auditTable: 'memory',
        clock: at.world.clock,
      };
      const asker = new CountersignClient({ ...side, sleep: () => at.world.clock.advance(12 * 60_000) });
      const channel = new SlackApprovalChannel(asker, policy);
      await expect(channel.requestApproval(proposed, space, snapshot)).rejects.toBeInstanceOf(GateAskerError);
      const human = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, 1_000, TimeoutBehavior.Approve);
      expect(await human.choose(space, snapshot)).toBeNull();
    },
  );
});
