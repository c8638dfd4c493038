/**
 * Runs the seeds' own loops in an agent's process, with the deployed gate behind them.
 *
 * Seeds 0 and 1. People click cards in Slack; nobody answers; the agent gives up.
 */
import { beforeAll, describe, expect, it } from 'vitest';
import type { Action, ActionSpace, AgentSnapshot } from '../../shared/contract/action-space.ts';
import { FirstAvailablePolicy, HumanInTheLoopPolicy, TimeoutBehavior } from '../../shared/policies/index.ts';
import { SlackApprovalChannel } from '../../shared/seeds/tenor.ts';
import { AgentBuilder, SlackApprovalHandler, ToolConcurrency } from '../../shared/seeds/tkach.ts';
import { type Agent, agentNamed, newId } from './harness/agents.ts';
import { approvalOf, sortsOf } from './harness/rows.ts';
import { ALICE, approve, BOB, type Card, cardOf, cardSays, cardsOf, reject, substitute } from './harness/slack.ts';
import { waitedFor } from './harness/time.ts';
import { until } from './harness/until.ts';

let builder: Agent;
let seller: Agent;
beforeAll(async () => {
  [builder, seller] = await Promise.all([agentNamed('builder'), agentNamed('seller')]);
});

/** A client that tells the ids of its proposals, in their order. */
function told(agent: Agent) {
  const ids: string[] = [];
  const client = agent.clientWith({
    newId: () => {
      const id = newId();
      ids.push(id);
      return id;
    },
  });
  const pidAt = async (index: number) => agent.pid(await until(`proposal ${index}`, () => ids[index]));
  return { client, ids, pidAt };
}

/** Clicks again where a click did not count: on a busy machine a new process may hear too late from Slack who is in the group. */
const counted = (pid: string, click: (card: Card) => Promise<unknown>) =>
  until('a click that counts', async () => {
    await click(await cardOf(pid));
    return (await approvalOf(pid))?.approval.status !== 'pending';
  });

const call = (id: string, command: string) => ({ id, name: 'Bash', input: { command } });

/** An agent with these turns, whose tool notes what it ran. */
function agentWith(handler: SlackApprovalHandler, ...turns: readonly (readonly ReturnType<typeof call>[])[]) {
  const ran: string[] = [];
  let turn = 0;
  const tool = {
    name: 'Bash',
    execute: async (input: unknown) => {
      const { command } = input as { readonly command: string };
      ran.push(command);
      return `ran ${command}`;
    },
  };
  const next = async () => {
    const toolUses = turns[turn++];
    return toolUses ? { toolUses } : { text: 'done' };
  };
  const agent = new AgentBuilder({ next })
    .tool(tool)
    .approval(handler)
    .toolConcurrency('Bash', ToolConcurrency.on())
    .build();
  return { agent, ran };
}

describe('tkach: a gate between an agent and its tools', () => {
  it('runs what a person approved, tells the model what was refused, and goes on', async () => {
    const { client, pidAt } = told(builder);
    const { agent, ran } = agentWith(
      new SlackApprovalHandler(client, { cwd: '/workspace/app' }),
      [call('a', 'git push origin tkach-one')],
      [call('b', 'git push origin tkach-two')],
      [call('c', 'rm -rf /'), call('d', 'git status')],
    );
    const running = agent.run('Push.');
    await counted(await pidAt(0), (card) => approve(ALICE, card));
    await counted(await pidAt(1), (card) => reject(BOB, card, 'Not on a Friday.'));
    const { text, messages } = await running;
    expect(text).toBe('done');
    expect(ran).toEqual(['git push origin tkach-one', 'git status']);
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    expect(results.map(({ toolUseId, isError }) => [toolUseId, isError])).toEqual([
      ['a', false],
      ['b', true],
      ['c', true],
      ['d', false],
    ]);
    expect(results[0]?.content).toBe('ran git push origin tkach-one');
    expect(results[1]?.content).toMatch(/^Error: approval denied — [\s\S]*Not on a Friday\./);
    expect(results[2]?.content).toMatch(/^Error: approval denied — [\s\S]*Deleting files is not for agents\./);
  });

  it('has the calls of one turn wait together, and gives their results in their order', async () => {
    const { client, ids } = told(builder);
    const commands = ['x', 'y', 'z'].map((branch) => `git push origin ${branch}`);
    const { agent, ran } = agentWith(
      new SlackApprovalHandler(client, { cwd: '/workspace/app' }),
      commands.map((command, index) => call(`${index}`, command)),
    );
    const running = agent.run('Push.');
    await until('three proposals', () => ids.length === 3);
    const waiting = await Promise.all(ids.map(async (id) => [builder.pid(id), await cardOf(builder.pid(id))] as const));
    for (const [pid, card] of waiting.reverse()) {
      await approve(ALICE, card);
      await cardSays(pid, 'Approved');
    }
    const { messages } = await running;
    expect([...ran].sort()).toEqual(commands);
    const [results] = messages.flatMap((message) => (message.role === 'tool' ? [message.results] : []));
    expect(results?.map(({ content }) => content)).toEqual(commands.map((command) => `ran ${command}`));
  });

  it('a cancel wins over whoever clicks later: nothing runs, and the card is taken back', async () => {
    const { client, pidAt } = told(builder);
    const { agent, ran } = agentWith(new SlackApprovalHandler(client, { cwd: '/workspace/app' }), [
      call('a', 'git push origin tkach-cancelled'),
    ]);
    const stop = new AbortController();
    const running = expect(agent.run('Push.', { signal: stop.signal })).rejects.toMatchObject({
      code: 'agent_cancelled',
      partial: {
        messages: expect.arrayContaining([
          { role: 'tool', results: [expect.objectContaining({ content: 'Error: cancelled while awaiting approval' })] },
        ]),
      },
    });
    const pid = await pidAt(0);
    const card = await cardOf(pid);
    stop.abort();
    await running;
    await cardSays(pid, 'Cancelled');
    await approve(ALICE, card);
    expect((await approvalOf(pid))?.approval.status).toBe('cancelled');
    expect(ran).toEqual([]);
    await until('the click', async () => (await sortsOf('builder', pid)).includes('click'));
    expect(await sortsOf('builder', pid)).toEqual(['cancel', 'click', 'decided', 'evaluated']);
  });

  it('silence denies, and the model reads that nobody answered', async () => {
    const { client, pidAt } = told(builder);
    const { agent, ran } = agentWith(new SlackApprovalHandler(client, { cwd: '/workspace/app' }), [
      call('a', 'fly deploy app'),
    ]);
    const running = agent.run('Deploy.');
    const pid = await pidAt(0);
    await cardOf(pid);
    await waitedFor(pid, 9_000);
    const { messages } = await running;
    const results = messages.flatMap((message) => (message.role === 'tool' ? message.results : []));
    expect(results).toMatchObject([{ isError: true, content: expect.stringContaining('Nobody answered') }]);
    expect(ran).toEqual([]);
    await cardSays(pid, 'Expired');
  });
});

describe('Tenor: a person behind a policy', () => {
  const action = (flow_id: string): Action => ({ flow_id, persona_id: 'ops' });
  const space: ActionSpace = { persona_id: 'ops', actions: ['update_status', 'cancel_order', 'wait'].map(action) };
  const snapshot = (): AgentSnapshot => ({
    facts: { order: newId() },
    entity_states: {},
    observed_at: '2026-11-26T00:00:00Z',
  });
  const choosing = (gatePolicy: string, behavior: TimeoutBehavior = TimeoutBehavior.Reject, signal?: AbortSignal) => {
    const { client, pidAt } = told(seller);
    const channel = new SlackApprovalChannel(client, gatePolicy);
    const human = new HumanInTheLoopPolicy(new FirstAvailablePolicy(), channel, '10m', behavior);
    return { chosen: human.choose(space, snapshot(), signal ? { signal } : {}), pidAt };
  };

  it('approved, refused, or another action in its place, by clicks', async () => {
    const yes = choosing('attended');
    await approve(ALICE, await cardOf(await yes.pidAt(0)));
    expect(await yes.chosen).toEqual(action('update_status'));
    const no = choosing('attended');
    await reject(BOB, await cardOf(await no.pidAt(0)), 'Not before the carrier was asked.');
    expect(await no.chosen).toBeNull();
    const other = choosing('attended');
    await substitute(ALICE, await cardOf(await other.pidAt(0)), 1, 'The buyer called.');
    expect(await other.chosen).toEqual(action('cancel_order'));
  });

  it('silence is what the policy says of it, once the schedule has had it looked at', async () => {
    const [rejects, approves] = [choosing('brief'), choosing('brief', TimeoutBehavior.Approve)];
    await Promise.all([rejects, approves].map(async ({ pidAt }) => cardOf(await pidAt(0))));
    expect(await rejects.chosen).toBeNull();
    expect(await approves.chosen).toEqual(action('update_status'));
    await cardSays(await rejects.pidAt(0), 'Expired');
  });

  it('an agent that gives up takes its card back', async () => {
    const stop = new AbortController();
    const { chosen, pidAt } = choosing('attended', TimeoutBehavior.Approve, stop.signal);
    const ended = expect(chosen).rejects.toThrow('gave up');
    const pid = await pidAt(0);
    await cardOf(pid);
    stop.abort(new Error('gave up'));
    await ended;
    await cardSays(pid, 'Cancelled');
    expect((await approvalOf(pid))?.approval.status).toBe('cancelled');
    expect(await cardsOf(pid)).toHaveLength(1);
  });
});
