/** Computes the digest that binds a vote to its question and exact actions. Pure. */
import type { Question, Vote } from '../../contract/index.ts';
import { canonicalJson, sha256Hex } from '../digest.ts';
import { callsOf } from './stage.ts';

/**
 * Digests the fields that decide, each by its name, so that a vote that another release wrote with more of them has the same digest. Names, reasons
 * and times decide nothing and are left out.
 */
export function voteDigest(question: Question, vote: Vote): string {
  const { digest, stagesDigest, stages } = question;
  const asked = {
    digest,
    stagesDigest,
    stages: stages.map(({ group, by = 'group', quorum }) => ({ group, by, quorum })),
    calls: callsOf(question).map(({ id, toolName, actionDigest }) => ({ id, toolName, actionDigest })),
  };
  const { by, standsFor = null, stage, choice } = vote;
  return sha256Hex(canonicalJson({ asked, vote: { by, standsFor, stage, choice, ...answerIn(vote) } }));
}

function answerIn(vote: Vote): Readonly<Record<string, unknown>> {
  switch (vote.choice) {
    case 'approve':
      return {
        calls: vote.calls?.map(({ id, choice }) => ({ id, choice })) ?? null,
        remember: vote.remember ?? null,
      };
    case 'edit':
      return { callId: vote.callId, actionDigest: vote.actionDigest };
    case 'substitute':
      return { index: vote.index, actionDigest: vote.actionDigest };
    case 'respond':
      return { answer: vote.answer };
    case 'reject':
      return {};
    default:
      return vote satisfies never;
  }
}
