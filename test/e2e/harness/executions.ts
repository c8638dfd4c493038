/** Finds executions of the approval workflow, named by pid (A1). */
import {
  DescribeExecutionCommand,
  type ExecutionStatus,
  GetExecutionHistoryCommand,
  type HistoryEvent,
  StopExecutionCommand,
} from '@aws-sdk/client-sfn';
import { e2eGate } from '../gate.ts';
import { until } from './until.ts';

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

/** As after the last of its retries: the execution has ended without an answer, and its name stays taken. */
export async function stopped(pid: string): Promise<void> {
  const { root } = await e2eGate();
  await until(`the execution of ${pid}`, async () => (await statusOf(pid)) === 'RUNNING');
  await root.sfn.send(new StopExecutionCommand({ executionArn: await executionOf(pid) }));
}

export async function historyOf(pid: string): Promise<readonly HistoryEvent[]> {
  const { root } = await e2eGate();
  const command = new GetExecutionHistoryCommand({ executionArn: await executionOf(pid), maxResults: 1000 });
  return (await root.sfn.send(command)).events ?? [];
}
