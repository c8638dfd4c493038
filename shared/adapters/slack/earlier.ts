/** How people decided about the like before: shown beside the question, never counted. */
import type { Approval } from '../../contract/index.ts';
import { lengthDelimited, sha256Hex } from '../../domain/digest.ts';
import type { EndLine, VoteHistory } from '../../ports/vote-history.ts';

export interface Earlier {
  readonly approved: number;
  readonly rejected: number;
  /** When the last of them was decided. */
  readonly last: string;
}

const LOOK_BACK = 20;

/** Two questions are alike if the same agent asks for the same, and the same rules say that people are asked. */
function kindOf({ agent, question }: Approval): string {
  switch (question.kind) {
    case 'calls':
      return digestOf(
        agent,
        question.calls.flatMap(({ toolName, rule }) => [toolName, rule?.id ?? '']),
      );
    case 'choice':
      return digestOf(agent, [question.policy, question.proposed.flowId]);
    case 'input':
      return digestOf(agent, [question.question]);
    default:
      return question satisfies never;
  }
}

const digestOf = (agent: string, parts: readonly string[]): string => sha256Hex(lengthDelimited([agent, ...parts]));

/** Notes how an approval ended, for the next one of its kind. The same end noted twice is one. */
export async function noteEnd(approval: Approval, history: VoteHistory): Promise<void> {
  const { pid, status, endedAt } = approval;
  if (endedAt === undefined || (status !== 'approved' && status !== 'rejected')) return;
  await history.addEnd(kindOf(approval), { pid, result: status, at: endedAt });
}

export async function earlierOf(approval: Approval, history: VoteHistory): Promise<Earlier | undefined> {
  const ends = await history.endsOf(kindOf(approval), LOOK_BACK);
  const [newest] = ends;
  if (!newest) return undefined;
  const count = (result: EndLine['result']) => ends.filter((one) => one.result === result).length;
  return { approved: count('approved'), rejected: count('rejected'), last: newest.at };
}

export function earlierText({ approved, rejected, last }: Earlier): string {
  const parts = [...(approved ? [`${approved} approved`] : []), ...(rejected ? [`${rejected} rejected`] : [])];
  return `The like of it before: ${parts.join(', ')}; last on ${last.slice(0, 10)}.`;
}
