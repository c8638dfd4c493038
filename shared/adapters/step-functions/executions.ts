/** Reads how the workflow of one approval went, and nothing of its data. */
import {
  DescribeExecutionCommand,
  ExecutionDoesNotExist,
  type HistoryEvent,
  paginateGetExecutionHistory,
  type SFNClient,
} from '@aws-sdk/client-sfn';

interface ExecutionEvent {
  /** ISO 8601. */
  readonly at: string;
  readonly what: string;
  readonly detail: string;
}

/** An execution bears the id of its decision. */
const arnOf = (stateMachineArn: string, pid: string): string =>
  `${stateMachineArn.replace(':stateMachine:', ':execution:')}:${pid}`;

/** When it began and how it ended; empty where no workflow was started, or AWS has forgotten it (90 days after its end). */
export async function executionEnds(
  client: SFNClient,
  stateMachineArn: string,
  pid: string,
): Promise<readonly ExecutionEvent[]> {
  const query = { executionArn: arnOf(stateMachineArn, pid), includedData: 'METADATA_ONLY' as const };
  const found = await client.send(new DescribeExecutionCommand(query)).catch(absent);
  if (!found) return [];
  const { startDate, stopDate, status = 'RUNNING' } = found;
  return [
    ...(startDate
      ? [{ at: startDate.toISOString(), what: 'began', detail: stopDate ? '' : status.toLowerCase() }]
      : []),
    ...(stopDate ? [{ at: stopDate.toISOString(), what: 'ended', detail: status.toLowerCase() }] : []),
  ];
}

/** Each transition. The parameters of a task hold the task token: they leave this function no more than inputs and outputs do. */
export async function executionHistory(
  client: SFNClient,
  stateMachineArn: string,
  pid: string,
): Promise<readonly ExecutionEvent[]> {
  const query = { executionArn: arnOf(stateMachineArn, pid), includeExecutionData: false };
  const events: ExecutionEvent[] = [];
  try {
    for await (const { events: page = [] } of paginateGetExecutionHistory({ client }, query))
      events.push(...page.flatMap(eventOf));
  } catch (error) {
    absent(error);
  }
  return events;
}

function absent(error: unknown): undefined {
  if (error instanceof ExecutionDoesNotExist) return undefined;
  throw error;
}

/** Texts of causes may quote what a function was given. */
function eventOf(event: HistoryEvent): ExecutionEvent[] {
  const { type, timestamp } = event;
  if (!type || !timestamp) return [];
  const state = event.stateEnteredEventDetails ?? event.stateExitedEventDetails;
  const failed =
    event.taskFailedEventDetails ??
    event.taskTimedOutEventDetails ??
    event.taskStartFailedEventDetails ??
    event.taskSubmitFailedEventDetails ??
    event.executionFailedEventDetails ??
    event.executionAbortedEventDetails ??
    event.executionTimedOutEventDetails;
  return [{ at: timestamp.toISOString(), what: type, detail: state?.name ?? failed?.error ?? '' }];
}
