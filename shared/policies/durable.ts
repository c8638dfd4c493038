/**
 * Runs one choice that may wait for days and be continued by another process.
 *
 * Runs from the start each time, with the answers that the journal holds; at the first question that it does not
 * answer, the run ends as `suspended`.
 */
import type { Action, ActionSpace, AgentSnapshot } from '../contract/action-space.ts';
import { type Fault, fault } from '../domain/errors.ts';
import type { LlmClient } from '../ports/llm-client.ts';
import { canonicalIn, faultOfSpace } from './action-space.ts';
import type { StageRecord } from './agent-policy.ts';
import type { ApprovalChannel } from './approval-channel.ts';
import { buildPolicy } from './build.ts';
import {
  digestOfQuestion,
  type HumanQuestion,
  type JournalAnswer,
  MAX_QUESTIONS,
  type ModelQuestion,
  type PolicyJournal,
  type PolicyQuestion,
  type PolicyQuestionAsked,
  replayModel,
} from './journal.ts';
import { seededRandom } from './random.ts';
import type { HumanNode, LlmNode } from './tree.ts';

/** The run needs an answer: ask, append it to the journal, run again. */
export interface Suspended extends PolicyQuestionAsked {
  readonly status: 'suspended';
  /** How many questions were answered before this one. */
  readonly ordinal: number;
}

/** The journal answers another question than the one this tree asks: nothing may be concluded from it. */
interface Superseded {
  readonly status: 'superseded';
  readonly place: string;
  readonly message: string;
}

/** The run came to its end. */
export interface Chosen {
  readonly status: 'chosen';
  /** The space's own action, or none. */
  readonly action: Action | null;
  readonly stages: readonly StageRecord[];
}

/** How one run of a policy ended. */
export type PolicyRun = Chosen | Suspended | Superseded | { readonly status: 'refused'; readonly fault: Fault };

/** Whether the run waits for a model, so that it belongs to the function `deliberate`. */
export function asksModel(run: PolicyRun): run is Suspended & { readonly question: ModelQuestion } {
  return run.status === 'suspended' && run.question.type === 'model';
}

/**
 * Deterministic in its arguments. Throws a `PolicyTreeError` for an unsound tree; what else a policy throws comes out too,
 * and is never a choice.
 */
export async function runPolicy(
  tree: unknown,
  space: ActionSpace,
  snapshot: AgentSnapshot,
  journal: PolicyJournal,
): Promise<PolicyRun> {
  const unsound = faultOfSpace(space);
  if (unsound) return { status: 'refused', fault: unsound };
  const replay = new Replay(journal.answers);
  const policy = buildPolicy(tree, {
    channel: (place, settings) => channelAt(replay, place, settings),
    client: (place, settings) => clientAt(replay, place, settings),
    random: (place) => seededRandom(journal.pid, place),
  });
  const stages: StageRecord[] = [];
  const finished = policy
    .choose(space, snapshot, { observe: (record) => stages.push(record) })
    .then((named): PolicyRun => {
      const unused = replay.unused();
      if (unused) return superseded(unused.place, 'the policy no longer asks what was answered here');
      return { status: 'chosen', action: named ? (canonicalIn(space, named) ?? null) : null, stages };
    });
  // A question without an answer never returns to the policy that asked; the run ends here instead. So no policy can
  // catch a suspension and make a choice of it.
  return Promise.race([finished, replay.stopped]);
}

const superseded = (place: string, why: string): Superseded => ({
  status: 'superseded',
  place,
  message: `${place}: ${why}; the choice has to be proposed again`,
});

/** Hands out the journal's answers strictly in order: a run asks its questions one after another. */
class Replay {
  readonly stopped: Promise<PolicyRun>;
  readonly #answers: readonly JournalAnswer[];
  #next = 0;
  #stop: (run: PolicyRun) => void = () => {};

  constructor(answers: readonly JournalAnswer[]) {
    this.#answers = answers;
    this.stopped = new Promise((resolve) => {
      this.#stop = resolve;
    });
  }

  unused(): JournalAnswer | undefined {
    return this.#answers[this.#next];
  }

  async answer<Type extends JournalAnswer['type']>(
    place: string,
    question: PolicyQuestion & { readonly type: Type },
  ): Promise<Extract<JournalAnswer, { type: Type }>> {
    const digest = digestOfQuestion(question);
    const ordinal = this.#next;
    const answer = this.#answers[ordinal];
    if (!answer) {
      const tooMany = fault(
        'too_many_questions',
        place,
        `is question ${ordinal + 1}; at most ${MAX_QUESTIONS} are asked`,
      );
      return this.#end(
        ordinal >= MAX_QUESTIONS
          ? { status: 'refused', fault: tooMany }
          : { status: 'suspended', place, digest, question, ordinal },
      );
    }
    if (answer.place !== place) return this.#end(superseded(answer.place, `the policy now asks at ${place} instead`));
    if (answer.digest !== digest || answer.type !== question.type) {
      return this.#end(superseded(place, 'what was answered is not what the policy asks now'));
    }
    this.#next += 1;
    return answer as Extract<JournalAnswer, { type: Type }>;
  }

  #end(run: PolicyRun): Promise<never> {
    this.#stop(run);
    return new Promise(() => {});
  }
}

function channelAt(replay: Replay, place: string, settings: HumanNode): ApprovalChannel {
  return {
    async requestApproval(proposed, actionSpace, snapshot) {
      const question: HumanQuestion = {
        type: 'human',
        proposed,
        actionSpace,
        snapshot,
        timeoutMs: settings.timeout,
        timeoutBehavior: settings.timeoutBehavior,
        approvers: settings.approvers ?? null,
      };
      return (await replay.answer(place, question)).result;
    },
  };
}

function clientAt(replay: Replay, place: string, settings: LlmNode): LlmClient {
  return {
    async complete(messages, model) {
      return replayModel(
        await replay.answer(place, { type: 'model', client: settings.client ?? null, model, messages }),
      );
    },
  };
}
