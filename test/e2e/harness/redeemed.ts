/** Begins approved calls as whoever holds their permits, and reports what became of them. */
import { SendMessageCommand } from '@aws-sdk/client-sqs';
import type { RedeemAnswer } from '../../../shared/contract/index.ts';
import { e2eGate } from '../gate.ts';
import { agentNamed, newId } from './agents.ts';
import { invoke } from './functions.ts';
import { until } from './until.ts';

/** Allowed, and begun by its holder. */
export async function redeemed(toolName: string, input: Record<string, unknown> = { id: newId() }) {
  const runner = await agentNamed('runner');
  const proposalId = newId();
  await runner.client.propose({ proposalId, toolName, input });
  const [call] = (await runner.wait(proposalId)).calls;
  const request = { agent: 'runner', proposalId, callId: 'call', permitId: call?.permit?.permitId, toolName, input };
  const granted = await until(`a run of ${toolName}`, async () => {
    const answer = (await invoke('redeem', request)).answer as RedeemAnswer | null;
    return answer?.granted ? answer : undefined;
  });
  return { ...request, actionDigest: call?.actionDigest, redemptionId: granted.redemptionId };
}

type Run = Awaited<ReturnType<typeof redeemed>>;

const outcomeOf = ({ proposalId, callId, permitId, actionDigest }: Run, more: Record<string, unknown>) => ({
  ...{ proposalId, callId, permitId, actionDigest, status: 'succeeded' },
  ...{ startedAt: new Date().toISOString(), durationMs: 1, ...more },
});

/** Over the queue, as agents report, or at once, as tool servers do. */
export const REPORTS = {
  'collect-outcomes': async (run: Run, more: Record<string, unknown> = {}) => {
    const { outputs } = await e2eGate();
    const MessageBody = JSON.stringify(outcomeOf(run, more));
    const QueueUrl = outputs['OutcomesQueueUrl'];
    const runner = await agentNamed('runner');
    await runner.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody, MessageGroupId: 'runner' }));
  },
  'record-outcome': async (run: Run, more: Record<string, unknown> = {}) => {
    const { agent, redemptionId } = run;
    await invoke('record-outcome', { agent, redemptionId, ...outcomeOf(run, more) });
  },
} as const;
