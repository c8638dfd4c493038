/** Runs the approval workflow on Step Functions, named by pid: a repeated start is one start. */
import {
  ExecutionAlreadyExists,
  InvalidToken,
  SendTaskFailureCommand,
  SendTaskSuccessCommand,
  type SFNClient,
  StartExecutionCommand,
  TaskDoesNotExist,
  TaskTimedOut,
} from '@aws-sdk/client-sfn';
import type { Workflow } from '../../ports/workflow.ts';

/** By this error the workflow has the approval decided, as it does when the function that asks finds that nobody is asked any more. */
const NOT_WAITING = 'AlreadyDecided';

/** `invalid` hears of a token that Step Functions never gave: a stored one that is damaged. */
export function stepFunctionsWorkflow(
  client: SFNClient,
  stateMachineArn: string,
  invalid?: (error: Error) => void,
): Workflow {
  return {
    ...stepFunctionsWaits(client, invalid),
    async start(pid, expiresAt) {
      const input = JSON.stringify({ pid, expiresAt });
      try {
        await client.send(new StartExecutionCommand({ stateMachineArn, name: pid, input }));
      } catch (error) {
        if (!(error instanceof ExecutionAlreadyExists)) throw error;
      }
    },
  };
}

/** For a function that starts no execution. */
export function stepFunctionsWaits(
  client: SFNClient,
  invalid: (error: Error) => void = () => {},
): Pick<Workflow, 'completeWait'> {
  return {
    async completeWait(taskToken, as = 'answered') {
      try {
        if (as === 'decided') await client.send(new SendTaskSuccessCommand({ taskToken, output: '{"decided":true}' }));
        else await client.send(new SendTaskFailureCommand({ taskToken, error: NOT_WAITING }));
        return 'woken';
      } catch (error) {
        // AWS says TaskTimedOut of a token that was answered; local endpoints say TaskDoesNotExist or InvalidToken.
        if (error instanceof TaskTimedOut || error instanceof TaskDoesNotExist) return 'gone';
        if (!(error instanceof InvalidToken)) throw error;
        // The row is finished by the reconciler, minutes late: somebody has to know why.
        invalid(error);
        return 'gone';
      }
    },
  };
}
