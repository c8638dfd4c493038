/**
 * Renders how people decided about the same call before, and about others under the same rule.
 *
 * Earlier votes are shown beside the question, never counted.
 */
import type { Approval } from '../../../contract/index.ts';
import { tallyOf } from '../../../domain/approval/approval.ts';
import { lengthDelimited, sha256Hex } from '../../../domain/digest.ts';
import type { EndLine, VoteHistory } from '../../../ports/stores/vote-history.ts';

interface Tally {
  readonly approved: number;
  readonly rejected: number;
}

export interface Earlier {
  /** The same call with the same arguments, the same action or the same question. */
  readonly exact: Tally;
  /** Others of the same tool under the same rule. */
  readonly others: Tally;
}

const LOOK_BACK = 20;

/** One thing that people decide about: what it is exactly, and what it is like. */
interface Kind {
  readonly exact: string;
  readonly like: string;
  /** The call, in a batch. */
  readonly id?: string | undefined;
}

function kindsOf({ agent, question }: Approval): Kind[] {
  switch (question.kind) {
    case 'calls':
      return question.calls.map(({ id, toolName, rule, actionDigest }) => ({
        exact: digestOf(agent, ['exactly', toolName, actionDigest]),
        like: digestOf(agent, [toolName, rule?.id ?? '']),
        id: question.calls.length > 1 ? id : undefined,
      }));
    case 'choice': {
      const { policy, proposed } = question;
      const like = digestOf(agent, [policy, proposed.flowId]);
      return [{ exact: digestOf(agent, ['exactly', policy, proposed.digest]), like }];
    }
    case 'input': {
      const like = digestOf(agent, [question.question]);
      return [{ exact: like, like }];
    }
    default:
      return question satisfies never;
  }
}

const digestOf = (agent: string, parts: readonly string[]): string => sha256Hex(lengthDelimited([agent, ...parts]));

/** Notes how an approval ended, call by call, for the next one of its kind. The same end noted twice is one. */
export async function noteEnd(approval: Approval, history: VoteHistory): Promise<void> {
  const { pid, status, endedAt: at } = approval;
  if (at === undefined || (status !== 'approved' && status !== 'rejected')) return;
  const ends = kindsOf(approval).flatMap(({ exact, like, id }) => {
    const result = status === 'rejected' || tallyOf(approval, id) === 'rejected' ? 'rejected' : 'approved';
    const line = { pid: id === undefined ? pid : `${pid}#${id}`, result, at } as const;
    return [...new Set([exact, like])].map((kind) => ({ kind, line }));
  });
  await history.addEnds(ends);
}

/** Gives nothing for a batch: a figure for several calls would speak of none of them. */
export async function earlierOf(approval: Approval, history: VoteHistory): Promise<Earlier | undefined> {
  const [kind, ...more] = kindsOf(approval);
  if (!kind || more.length) return undefined;
  const [exact, like] = await Promise.all([
    history.endsOf(kind.exact, LOOK_BACK),
    kind.like === kind.exact ? [] : history.endsOf(kind.like, LOOK_BACK),
  ]);
  const same = new Set(exact.map(({ pid }) => pid));
  return { exact: tally(exact), others: tally(like.filter(({ pid }) => !same.has(pid))) };
}

const tally = (ends: readonly EndLine[]): Tally => ({
  approved: ends.filter(({ result }) => result === 'approved').length,
  rejected: ends.filter(({ result }) => result === 'rejected').length,
});
