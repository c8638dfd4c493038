/** Plays agents of both clients, and people, while one release takes the other's turn. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { CloudFormationClient, DescribeStackResourcesCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { fromItem } from '../../shared/adapters/dynamodb/items.ts';
import { ACTIONS } from '../../shared/adapters/slack/elements/actions.ts';
import type { ToolCallProposal } from '../../shared/contract/index.ts';
import { pidOf } from '../../shared/domain/digest.ts';
import { until } from '../e2e/harness/until.ts';
import { clientConfig } from '../local/endpoint/index.ts';
import type { LocalGate } from '../local/gate/gate.ts';
import type { StoredMessage } from '../local/slack/types.ts';

const ROOT = join(import.meta.dirname, '../..');
const CHANNEL = 'C0APPROVALS';
const CHANNELS = [CHANNEL, 'C0CREW'];
const TRAFFIC_EVERY_MS = 3_000;
/** A message that met a function in the middle of its update comes again after a minute or two. */
const MAX_WAIT_MS = 240_000;
const SECRET = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`;

interface Asked {
  readonly agent: string;
  readonly id: string;
  readonly outcome: 'approved' | 'denied' | 'answered' | 'cancelled';
  /** False: nobody is asked, or another card answers it too. */
  readonly isAsked: boolean;
  readonly by?: 'reject' | 'answer';
}

interface Body extends Readonly<Record<string, unknown>> {
  readonly proposalId: string;
  readonly calls?: ToolCallProposal['calls'];
}

type Agent = Awaited<ReturnType<typeof agentOf>>;

export class Upgrade {
  readonly #gate: LocalGate;
  readonly #agents: readonly Agent[];
  #open: Asked[] = [];
  /** Every proposal that there was, with the decision as it was first read. */
  readonly #known: { readonly asked: Asked; readonly decision: unknown }[] = [];
  #round = 0;

  constructor(gate: LocalGate, agents: readonly Agent[]) {
    this.#gate = gate;
    this.#agents = agents;
  }

  static async of(gate: LocalGate, previous: string): Promise<Upgrade> {
    return new Upgrade(gate, [await agentOf(gate, 'older', previous), await agentOf(gate, 'newer', ROOT)]);
  }

  /** Every kind of proposal by every agent; half of the cards stand when the release changes, of the others the requests wait. */
  async openAll(): Promise<void> {
    this.#round += 1;
    const { slack } = this.#gate;
    for (const agent of this.#agents) {
      const shown = [
        await this.#ask(agent, 'git push origin shown', true),
        await this.#ask(agent, 'git push origin refused', true, 'reject'),
        await this.#ask(agent, `git push https://x:${SECRET}@git.example/r.git main`, true),
        await this.#ask(agent, 'helm upgrade app', true),
        await this.#send(agent, 'batch', true, {
          calls: ['one', 'two'].map((id) => ({
            id,
            toolName: 'Bash',
            input: { command: `git push origin ${id}-${this.#round}` },
          })),
        }),
        await this.#send(agent, 'input-request', true, {
          question: `Which branch in round ${this.#round}?`,
          choices: ['main', 'next'],
        }),
      ];
      for (const one of shown) await this.#cardOf(one);
      // One of the two votes is there, and the other comes to the other release.
      const voted = shown[3];
      if (voted) await this.#click('U0ALICE', voted, await this.#cardOf(voted));
      // The same call once more waits for the first one's answer.
      await this.#send(agent, 'tool-call', false, shellCall(`git push origin shown ${this.#round}`), 'approved');
      await this.#ask(agent, 'git status', false);
      await this.#ask(agent, 'rm -rf x', false, undefined, 'denied');
    }
    slack.setOutage(true);
    for (const agent of this.#agents) {
      await this.#ask(agent, 'git push origin unseen', true);
      const withdrawn = await this.#ask(agent, 'git push origin withdrawn', false, undefined, 'cancelled');
      await delay(1_000);
      await agent.client.cancel(withdrawn.id);
    }
  }

  /** Agents go on while the release changes. */
  traffic(): () => Promise<void> {
    let goesOn = true;
    const going = (async () => {
      for (let turn = 0; goesOn; turn++) {
        for (const agent of this.#agents) {
          await this.#ask(agent, 'git status', false);
          if (turn % 3 === 0) await this.#ask(agent, `git push origin meanwhile-${turn}`, true);
        }
        await delay(TRAFFIC_EVERY_MS);
      }
    })();
    return async () => {
      goesOn = false;
      await going;
      this.#gate.slack.setOutage(false);
    };
  }

  /** Clicks on every card, and waits for every answer. */
  async answerAll(): Promise<{ readonly decided: number; readonly asked: number }> {
    const open = this.#open.splice(0);
    for (const one of open) {
      if (one.isAsked) await this.#click('U0BOB', one, await this.#cardOf(one));
    }
    for (const asked of open) {
      const decision = await this.#agent(asked.agent).wait(asked.id);
      assert.equal(decision.outcome, asked.outcome, `${asked.agent} ${asked.id}`);
      this.#known.push({ asked, decision });
    }
    await this.#readByAll();
    return { decided: open.length, asked: open.filter(({ isAsked }) => isAsked).length };
  }

  /** Every decision of every release, by a process that did not propose it, of either client. */
  async #readByAll(): Promise<void> {
    for (const { asked, decision } of this.#known)
      for (const root of this.#agents.map((agent) => agent.root)) {
        const other = await agentOf(this.#gate, asked.agent, root);
        const read = await other.wait(asked.id);
        assert.equal(read.outcome, (decision as { outcome: string }).outcome);
      }
  }

  async checkNothingLeft(): Promise<void> {
    const { outputs, endpoint } = this.#gate;
    const config = clientConfig(endpoint);
    const dynamo = new DynamoDBClient(config);
    const rows = async () => {
      const found: Record<string, unknown>[] = [];
      const pages = paginateScan({ client: dynamo }, { TableName: outputs.StateTable, ConsistentRead: true });
      for await (const { Items = [] } of pages) found.push(...Items.map(fromItem));
      return found;
    };
    const left = (all: readonly Record<string, unknown>[]) => ({
      waiting: all.filter(({ pk, waiting }) => String(pk).startsWith('waiting#') && Number(waiting) !== 0),
      due: all.filter(({ dueAt, approval }) => dueAt !== undefined && approval !== undefined),
    });
    await until(
      'the end of all work',
      async () => {
        const { waiting, due } = left(await rows());
        return waiting.length === 0 && due.length === 0;
      },
      MAX_WAIT_MS,
    ).catch(async (error: unknown) => {
      throw new Error(`left: ${JSON.stringify(left(await rows()))}`, { cause: error });
    });
    const cloudformation = new CloudFormationClient(config);
    const { StackResources = [] } = await cloudformation.send(
      new DescribeStackResourcesCommand({ StackName: 'Upgrade' }),
    );
    const sqs = new SQSClient(config);
    for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId: QueueUrl } of StackResources) {
      if (ResourceType !== 'AWS::SQS::Queue' || !/Dead[0-9A-F]{8}$/.test(LogicalResourceId)) continue;
      const read = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
      const { Attributes } = await sqs.send(read);
      assert.equal(Attributes?.['ApproximateNumberOfMessages'], '0', LogicalResourceId);
    }
  }

  #ask(agent: Agent, command: string, isAsked: boolean, by?: 'reject', outcome?: Asked['outcome']): Promise<Asked> {
    const full = command === 'git status' || command.startsWith('rm') ? command : `${command} ${this.#round}`;
    return this.#send(agent, 'tool-call', isAsked, shellCall(full), outcome ?? (by ? 'denied' : 'approved'), by);
  }

  async #send(
    agent: Agent,
    kind: 'tool-call' | 'batch' | 'input-request',
    isAsked: boolean,
    body: Omit<Body, 'proposalId'>,
    outcome: Asked['outcome'] = kind === 'input-request' ? 'answered' : 'approved',
    by: Asked['by'] = kind === 'input-request' ? 'answer' : undefined,
  ): Promise<Asked> {
    const id = randomUUID();
    await agent.send({ kind: kind === 'batch' ? 'tool-call' : kind, proposalId: id, ...body });
    const asked: Asked = { agent: agent.name, id, outcome, isAsked, ...(by ? { by } : {}) };
    this.#open.push(asked);
    return asked;
  }

  #agent(name: string): Agent {
    const found = this.#agents.find((agent) => agent.name === name);
    if (!found) throw new Error(`there is no agent ${name}`);
    return found;
  }

  #cardOf({ agent, id }: Asked): Promise<StoredMessage> {
    return cardIn(this.#gate, agent, id);
  }

  /** People try again while a function is being replaced, until the card no longer asks them. */
  async #click(user: string, asked: Asked, first: StoredMessage): Promise<void> {
    const { slack } = this.#gate;
    const wanted = asked.by === 'answer' ? ACTIONS.answer : asked.by === 'reject' ? ACTIONS.reject : ACTIONS.approve;
    await until(`a click of ${user} on the card of ${asked.agent}'s ${asked.id}`, async () => {
      const { channel, ts, blocks, text } = slack.messages(CHANNEL).find(({ ts: one }) => one === first.ts) ?? first;
      const actionId = JSON.stringify(blocks).match(new RegExp(`"action_id":"(${wanted}(_\\d+)?)"`))?.[1];
      if (actionId === undefined) {
        assert.doesNotMatch(JSON.stringify(blocks), /"type":"actions"/, text);
        return true;
      }
      const clicked = await slack.click({ user, channel, ts, actionId });
      if (asked.by !== 'reject') return clicked.ok;
      const view = slack.views(user).at(-1);
      if (!view) return false;
      const values = { countersign_reason: { countersign_reason_text: 'not today' } };
      const submitted = await slack.submitView({ user, viewId: view.id, values });
      if (!submitted.ok) await slack.closeView({ user, viewId: view.id });
      return submitted.ok;
    });
  }
}

/** The card of a proposal, in whichever channel. */
export function cardIn({ outputs, slack }: LocalGate, agent: string, id: string): Promise<StoredMessage> {
  const short = pidOf(outputs.Deployment, agent, id).slice(0, 12);
  const all = () => CHANNELS.flatMap((channel) => slack.messages(channel));
  const find = () => all().find(({ blocks }) => JSON.stringify(blocks).includes(`Approval ${short}`));
  return until(`the card of ${agent}'s ${id}`, async () => find(), MAX_WAIT_MS);
}

export const shellCall = (command: string) => ({ calls: [{ id: 'call', toolName: 'Bash', input: { command } }] });

/** Where a release has it: here, or where the previous one has it. */
const READERS = [
  'shared/adapters/dynamodb/proposals/decision-reader.ts',
  'shared/adapters/dynamodb/decision-reader.ts',
];

/** An agent's process with the client of the release in `root`. `onPublish` hears what it sends. */
export async function agentOf(
  gate: LocalGate,
  name: string,
  root: string,
  onPublish: (body: string) => void = () => undefined,
) {
  const load = (path: string): Promise<unknown> => import(pathToFileURL(join(root, path)).href);
  const { CountersignClient } = (await load('shared/client/index.ts')) as typeof import('../../shared/client/index.ts');
  const { sqsProposalQueue } = (await load(
    'shared/adapters/sqs/proposal-queue.ts',
  )) as typeof import('../../shared/adapters/sqs/proposal-queue.ts');
  const reader = READERS.find((path) => existsSync(join(root, path)));
  if (!reader) throw new Error(`${root} holds no reader of decisions`);
  const { dynamoDecisionReader } = (await load(
    reader,
  )) as typeof import('../../shared/adapters/dynamodb/proposals/decision-reader.ts');
  const { Deployment, ProposalsQueueUrl, AuditTable } = gate.outputs;
  const config = clientConfig({ ...gate.endpoint, env: await gate.environmentOf('Agent', name) });
  const sqs = sqsProposalQueue(new SQSClient(config), ProposalsQueueUrl);
  const queue: typeof sqs = {
    publish: async (body, agent) => {
      onPublish(body);
      await sqs.publish(body, agent);
    },
  };
  const client = new CountersignClient({
    agent: name,
    deployment: Deployment,
    queueUrl: ProposalsQueueUrl,
    auditTable: AuditTable,
    queue,
    reader: dynamoDecisionReader(new DynamoDBClient(config), AuditTable),
    sleep: async (ms) => delay(Math.min(ms, 200)),
  });
  return {
    name,
    root,
    client,
    /** Calls as this client writes them; it has no method for questions. */
    send: async ({ calls, ...body }: Body): Promise<void> => {
      if (calls) await client.proposeAll(calls, { proposalId: body.proposalId });
      else await queue.publish(JSON.stringify(body), name);
    },
    wait: (id: string) => client.wait(id, { timeout: MAX_WAIT_MS }),
  };
}
