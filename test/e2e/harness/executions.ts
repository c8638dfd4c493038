/** Executions of the approval workflow: named by pid (A1). */
import {
  DescribeExecutionCommand,
  type ExecutionStatus,
  GetExecutionHistoryCommand,
  type HistoryEvent,
} from '@aws-sdk/client-sfn';
import { e2eGate } from '../gate.ts';

export async function executionOf(pid: string): Promise<string> {
  const { outputs } = await e2eGate();
  return `${outputs.StateMachineArn.replace(':stateMachine:', ':execution:')}:${pid}`;
}

export async function statusOf(pid: string): Promise<ExecutionStatus | undefined> {
  const { root } = await e2eGate();
  const executionArn = await executionOf(pid);
  const found = await root.sfn.send(new DescribeExecutionCommand({ executionArn })).catch((error: Error) => error);
  if (!(found instanceof Error)) return found.status;
  if (found.name === 'ExecutionDoesNotExist') return undefined;
  throw found;
}

export async function historyOf(pid: string): Promise<readonly HistoryEvent[]> {
  const { root } = await e2eGate();
  const command = new GetExecutionHistoryCommand({ executionArn: await executionOf(pid), maxResults: 1000 });
  return (await root.sfn.send(command)).events ?? [];
}
