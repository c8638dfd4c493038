/** Defines the approval workflow: a wait on a task token, and a decision if none was made. */

/** Faults of the service or of a dependency; more than this and the execution fails, which raises an alarm and leaves the row to `reconcile`. */
const RETRY = { ErrorEquals: ['States.ALL'], IntervalSeconds: 2, MaxAttempts: 6, BackoffRate: 2, MaxDelaySeconds: 60 };
/** Answers that a function gives by throwing: they are not tried again. */
const ANSWERS = [
  'AlreadyDecided',
  'StillWaiting',
  'States.Timeout',
  'States.HeartbeatTimeout',
  'States.QueryEvaluationError',
];

/**
 * One transition for one human answer: whoever votes has `resume` called, which decides and then ends the wait. A wait that ends by time, or by
 * somebody who wakes it alone, goes on to `Resume`. The input is `{pid, expiresAt}` and every state passes it on unchanged.
 */
export function definition(
  requestApprovalArn: string,
  resumeArn: string,
  resumeTimeoutSeconds: number,
  partition: string,
): Record<string, unknown> {
  // Step Functions fails each execution whose integration is named in another partition than its own.
  const invoke = `arn:${partition}:states:::lambda:invoke`;
  return {
    Comment: 'Waits for people to answer one approval; the row decides, this is the timer.',
    QueryLanguage: 'JSONata',
    StartAt: 'RequestApproval',
    States: {
      RequestApproval: {
        Type: 'Task',
        Resource: `${invoke}.waitForTaskToken`,
        Arguments: {
          FunctionName: requestApprovalArn,
          Payload: {
            pid: '{% $states.input.pid %}',
            token: '{% $states.context.Task.Token %}',
            enteredAt: '{% $states.context.State.EnteredTime %}',
            retryCount: '{% $states.context.State.RetryCount %}',
          },
        },
        // Never before `expiresAt`: rounded up, one second more, and at least one.
        TimeoutSeconds:
          '{% $max([1, $ceil(($toMillis($states.input.expiresAt) - $toMillis($states.context.State.EnteredTime)) / 1000) + 1]) %}',
        // A choice state would cost one transition more, so that an error (AlreadyDecided) leads past the next state. Functions of the previous
        // release wake the workflow without an error: this expression makes one of their answer.
        Output: "{% $states.result.decided = true ? $states.input : $error('answered, and not decided') %}",
        Retry: [{ ErrorEquals: ANSWERS, MaxAttempts: 0 }, RETRY],
        Catch: [
          {
            ErrorEquals: ['AlreadyDecided', 'States.Timeout', 'States.QueryEvaluationError'],
            Output: '{% $states.input %}',
            Next: 'Resume',
          },
        ],
        End: true,
      },
      Resume: {
        Type: 'Task',
        Resource: invoke,
        Arguments: { FunctionName: resumeArn, Payload: { pid: '{% $states.input.pid %}' } },
        TimeoutSeconds: resumeTimeoutSeconds,
        Output: '{% $states.result.Payload %}',
        Retry: [{ ErrorEquals: ANSWERS, MaxAttempts: 0 }, RETRY],
        Catch: [{ ErrorEquals: ['StillWaiting'], Output: '{% $states.input %}', Next: 'RequestApproval' }],
        End: true,
      },
    },
  };
}
