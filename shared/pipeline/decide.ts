/**
 * The kernel (A16): proposal in, decision or question out. Deterministic: the same proposal, session, journal and policy give the same
 * run, so a crash or a wait costs nothing but another one.
 */

import { readTightening } from '../config/compile.ts';
import type { ClassifierEntry, DecidedBy, Decision, DecisionOutcome, Question, ToolCall } from '../contract/index.ts';
import type { DecidableProposal, ToolCallProposal } from '../contract/proposal.ts';
import { type ClassifierNeed, type Judgement, judge, type KernelPorts } from './judge.ts';
import { messages } from './messages.ts';
import type { Journal, Session } from './session.ts';
import { type CallAnswer, type JudgedCall, settle } from './settle.ts';

export type { KernelPorts } from './judge.ts';

export type Run =
  | { readonly kind: 'decided'; readonly answer: Answer; readonly calls: readonly JudgedCall[] }
  | { readonly kind: 'suspended'; readonly question: Question; readonly calls: readonly JudgedCall[] }
  /** A classifier is to be asked first; see `decideWith`. */
  | { readonly kind: 'needs'; readonly needs: readonly ClassifierNeed[] };

/** A decision without its envelope. */
export type Answer = Pick<Decision, 'outcome' | 'message' | 'reasonCode' | 'decidedBy' | 'actionDigest' | 'calls'>;

/** Runs a proposal as far as it goes with what the journal holds, at `now` (milliseconds). */
export async function decide(
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<Run> {
  switch (proposal.kind) {
    case 'tool-call':
      return decideCalls(proposal, session, journal, ports, now);
    case 'action-choice':
      return refused('unknown_policy', messages.unknownPolicy(proposal.policy));
    case 'input-request':
      return refused('unsupported_kind', messages.unsupported(proposal.kind));
    default:
      return proposal satisfies never;
  }
}

async function decideCalls(
  proposal: ToolCallProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<Run> {
  const added = readTightening(proposal.rules ?? []);
  if (!added.ok) return refused('invalid_rule', added.message);
  const judged: { call: ToolCall; judgement: Judgement }[] = [];
  const needs: ClassifierNeed[] = [];
  const judging = { proposal, session, journal, added: added.rules, now };
  for (const [index, call] of proposal.calls.entries()) {
    const result = await judge(call, index, judging, ports);
    if (result.kind === 'needs') needs.push(result.need);
    else judged.push({ call, judgement: result });
  }
  if (needs.length) return { kind: 'needs', needs };
  const settled = settle(judged, session, journal.human('calls'), ports.policy, now);
  if (settled.question) return { kind: 'suspended', question: settled.question, calls: settled.calls };
  return { kind: 'decided', answer: summarise(settled.answers), calls: settled.calls };
}

/** A run that came to its end. */
export type Ended = Exclude<Run, { kind: 'needs' }>;

/** More rounds than places that may ask: a run that still needs something then is broken. */
const MOST_ROUNDS = 64;

/**
 * Runs a proposal and asks `classify` for each answer that the journal lacks; undefined where it cannot be asked here (A18b). The journal
 * that is given back holds the answers.
 */
export async function decideWith(
  classify: (need: ClassifierNeed) => Promise<Pick<ClassifierEntry, 'by' | 'answer'> | undefined>,
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<{ readonly run: Ended; readonly journal: Journal } | undefined> {
  let known = journal;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const run = await decide(proposal, session, known, ports, now);
    if (run.kind !== 'needs') return { run, journal: known };
    const at = new Date(now).toISOString();
    const entries = await Promise.all(
      run.needs.map(async (need): Promise<ClassifierEntry | undefined> => {
        const answer = await classify(need);
        return answer && { type: 'classifier', place: need.place, round: 0, at, ...answer };
      }),
    );
    const answers = entries.filter((entry) => entry !== undefined);
    if (answers.length < entries.length) return undefined;
    known = known.with(answers);
  }
  throw new Error('the run keeps asking');
}

/** Where no classifier can be asked any more: a person decides, or has decided (D8). */
export const nobodyToAsk = async (): Promise<Pick<ClassifierEntry, 'by' | 'answer'>> => ({
  by: 'nobody',
  answer: { state: 'failed', why: 'no classifier is asked here' },
});

/** An answer about the proposal as a whole: nothing in it was judged. */
export function refused(
  reasonCode: string,
  message: string,
  outcome: DecisionOutcome = 'error',
): Extract<Run, { kind: 'decided' }> {
  const decidedBy: DecidedBy = { type: 'system', id: reasonCode };
  return {
    kind: 'decided',
    answer: { outcome, message, reasonCode, decidedBy, actionDigest: null, calls: [] },
    calls: [],
  };
}

/** From the strongest to the weakest: one call that may not run keeps the proposal from being called approved (D1). */
const RANK: readonly DecisionOutcome[] = [
  'error',
  'denied',
  'superseded',
  'expired',
  'cancelled',
  'answered',
  'approved',
];

function summarise(answers: readonly CallAnswer[]): Answer {
  const [decisive] = answers.toSorted((a, b) => RANK.indexOf(a.decision.outcome) - RANK.indexOf(b.decision.outcome));
  if (!decisive) return refused('empty_proposal', 'The proposal holds no call.').answer;
  const { outcome, message, reasonCode, decidedBy } = decisive.decision;
  const calls = answers.map(({ decision }) => decision);
  const differing = answers.length > 1 && answers.some(({ decision }) => decision.outcome !== outcome);
  const said = differing ? `${message} (Each call has its own decision.)` : message;
  const actionDigest = answers.length === 1 ? decisive.decision.actionDigest : null;
  return { outcome, message: said, reasonCode, decidedBy, actionDigest, calls };
}
