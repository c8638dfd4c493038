/**
 * Times one decision end to end on a deployed gate, in milliseconds.
 *
 * Times are those that an agent and a person in Slack see.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { SQSClient } from '@aws-sdk/client-sqs';
import { dynamoDecisionReader } from '../../../shared/adapters/dynamodb/proposals/decision-reader.ts';
import { ACTIONS } from '../../../shared/adapters/slack/elements/actions.ts';
import { sqsProposalQueue } from '../../../shared/adapters/sqs/proposal-queue.ts';
import { CountersignClient } from '../../../shared/client/client.ts';
import { pidOf } from '../../../shared/domain/digest.ts';
import { clientConfig } from '../../local/endpoint/index.ts';
import type { LocalGate } from '../../local/gate/gate.ts';
import type { StoredMessage } from '../../local/slack/types.ts';

const LOOK_EVERY_MS = 5;
const WAIT = { timeout: 30_000 };
const CHANNEL = 'C0APPROVALS';
const APPROVER = 'U0ALICE';

export interface HumanTrip {
  /** Until the card was in the channel, from the proposal. */
  readonly asked: number;
  /** From the click: until Slack had its answer, the card changed, the agent's wait ended. */
  readonly acknowledged: number;
  /** Slack gives an app three seconds; the click counts all the same. */
  readonly inTime: boolean;
  readonly redrawn: number;
  readonly decided: number;
  /** Methods of Slack's Web API that were called from the proposal until the card told of its end. */
  readonly slackCalls: readonly string[];
}

interface GateTrips {
  automatic(): Promise<number>;
  human(): Promise<HumanTrip>;
}

/** The agent looks every few milliseconds instead of the client's 60, 120, 250 …, which would hide what is measured. */
export async function gateTrips(gate: LocalGate, agent: string): Promise<GateTrips> {
  const { Deployment, ProposalsQueueUrl, AuditTable } = gate.outputs;
  const config = clientConfig({ ...gate.endpoint, env: await gate.environmentOf('Agent', agent) });
  const client = new CountersignClient({
    agent,
    deployment: Deployment,
    queueUrl: ProposalsQueueUrl,
    auditTable: AuditTable,
    queue: sqsProposalQueue(new SQSClient(config), ProposalsQueueUrl),
    reader: dynamoDecisionReader(new DynamoDBClient(config), AuditTable),
    sleep: () => delay(LOOK_EVERY_MS),
  });
  return {
    async automatic() {
      const began = performance.now();
      const id = await client.propose({ toolName: 'Bash', input: { command: 'git status --short' } });
      const { outcome } = await client.wait(id, WAIT);
      if (outcome !== 'approved') throw new Error(`an allowed call was ${outcome}`);
      return performance.now() - began;
    },
    async human() {
      const proposalId = randomUUID();
      const pid = pidOf(Deployment, agent, proposalId);
      const logged = gate.slack.apiLog.length;
      const proposed = performance.now();
      await client.propose({ proposalId, toolName: 'Bash', input: { command: 'git push origin main' } });
      const card = await seen('a new card', () => cardOf(gate, pid));
      const asked = performance.now() - proposed;
      const began = performance.now();
      const since = () => performance.now() - began;
      const clicked = gate.slack.click({ user: APPROVER, channel: CHANNEL, ts: card.ts, actionId: ACTIONS.approve });
      const [acknowledged, redrawn, decided] = await Promise.all([
        clicked.then(since),
        seen('a card that tells of its end', () => cardOf(gate, pid)?.text.startsWith('Approved')).then(since),
        client.wait(proposalId, WAIT).then(since),
      ]);
      const slackCalls = gate.slack.apiLog
        .slice(logged)
        .map(({ method, status }) => (status === 200 ? method : `${method}, refused by ${status}`));
      return { asked, acknowledged, inTime: (await clicked).ok, redrawn, decided, slackCalls };
    },
  };
}

const cardOf = ({ slack }: LocalGate, pid: string): StoredMessage | undefined =>
  slack.messages(CHANNEL).find(({ blocks }) => JSON.stringify(blocks).includes(`Approval ${pid.slice(0, 12)}`));

async function seen<Value>(what: string, look: () => Value | undefined | false): Promise<Value> {
  const deadline = performance.now() + WAIT.timeout;
  for (;;) {
    const found = look();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > deadline) throw new Error(`waited in vain for ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
