/**
 * Plays the approval workflow of `cdk/constructs/workflow/approval-workflow.ts` in memory.
 * An execution is named by its pid and starts once. The wait ends by the task token, which is answered once, or by a time-out. A step that fails is
 * tried again before the execution fails.
 */
import type { Clock, Ids } from '../../ports/clock.ts';
import type { TaskToken } from '../../ports/stores/approval-store.ts';
import type { Timers } from '../../ports/timers.ts';
import type { Workflow } from '../../ports/workflow.ts';

/** The two functions that the workflow calls; an error named `AlreadyDecided` or `StillWaiting` is an answer. */
interface WorkflowSteps {
  requestApproval(pid: string, token: TaskToken): Promise<void>;
  resume(pid: string): Promise<void>;
}

export interface MemoryWorkflow extends Workflow {
  /** Executions that gave up: on AWS an alarm; `reconcile` finishes their approvals. */
  readonly failed: ReadonlyMap<string, unknown>;
  /** Tokens that nobody has answered and that have not timed out. */
  readonly waiting: number;
  /** Timers are called off, nothing is woken any more. */
  stop(): void;
}

interface Options {
  readonly clock: Clock;
  readonly timers: Timers;
  readonly ids: Ids;
  readonly steps: WorkflowSteps;
}

const MAX_ATTEMPTS = 6;
const FIRST_RETRY_MS = 2_000;
const MAX_RETRY_MS = 60_000;

export function memoryWorkflow({ clock, timers, ids, steps }: Options): MemoryWorkflow {
  const executions = new Set<string>();
  const tokens = new Map<string, (as: 'answered' | 'decided') => void>();
  const failed = new Map<string, unknown>();
  const pending = new Set<() => void>();
  let stopped = false;

  const sleep = (ms: number): { readonly done: Promise<void>; readonly cancel: () => void } => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (stopped) return { done: promise, cancel: () => undefined };
    const cancelTimer = timers.after(ms, () => {
      pending.delete(cancelTimer);
      resolve();
    });
    pending.add(cancelTimer);
    const cancel = () => {
      pending.delete(cancelTimer);
      cancelTimer();
    };
    return { done: promise, cancel };
  };

  /** Runs a step as Step Functions does: an answer is thrown through, a fault is tried again with growing pauses. */
  async function retrying<Result>(step: (retryCount: number) => Promise<Result>): Promise<Result> {
    for (let retryCount = 0; ; retryCount++) {
      try {
        return await step(retryCount);
      } catch (error) {
        if (isAnswer(error, 'AlreadyDecided') || isAnswer(error, 'StillWaiting')) throw error;
        if (retryCount === MAX_ATTEMPTS) throw error;
        await sleep(Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** retryCount)).done;
      }
    }
  }

  /** The state RequestApproval: over when its token was answered, its time is up, or the row had ended before; `decided`: so is the execution. */
  async function waitForPeople(pid: string, expiresAt: string): Promise<'over' | 'decided'> {
    const entered = clock.now();
    const enteredAt = new Date(entered).toISOString();
    const timeoutMs = Math.max(1, Math.ceil((Date.parse(expiresAt) - entered) / 1_000) + 1) * 1_000;
    try {
      return await retrying(async (retryCount) => {
        const token = ids.next();
        const answered = Promise.withResolvers<'answered' | 'decided'>();
        tokens.set(token, answered.resolve);
        const timeout = sleep(timeoutMs);
        try {
          await steps.requestApproval(pid, { token, enteredAt, retryCount });
          const as = await Promise.race([answered.promise, timeout.done]);
          return as === 'decided' ? as : 'over';
        } finally {
          timeout.cancel();
          tokens.delete(token);
        }
      });
    } catch (error) {
      if (!isAnswer(error, 'AlreadyDecided')) throw error;
      return 'over';
    }
  }

  async function execute(pid: string, expiresAt: string): Promise<void> {
    for (;;) {
      if ((await waitForPeople(pid, expiresAt)) === 'decided') return;
      try {
        return await retrying(() => steps.resume(pid));
      } catch (error) {
        if (!isAnswer(error, 'StillWaiting')) throw error;
      }
    }
  }

  return {
    failed,
    get waiting() {
      return tokens.size;
    },
    async start(pid, expiresAt) {
      if (stopped || executions.has(pid)) return;
      executions.add(pid);
      execute(pid, expiresAt).catch((error: unknown) => failed.set(pid, error));
    },
    async completeWait(token, as = 'answered') {
      const answer = tokens.get(token);
      if (!answer) return 'gone';
      tokens.delete(token);
      answer(as);
      return 'woken';
    },
    stop() {
      stopped = true;
      for (const cancel of pending) cancel();
      pending.clear();
      tokens.clear();
    },
  };
}

const isAnswer = (error: unknown, name: string): boolean => error instanceof Error && error.name === name;
