/**
 * Decides a proposal: proposal in, decision or question out.
 *
 * Deterministic: the same proposal, session, journal and policy give the same run, so that a crash or a wait costs no more
 * than another run.
 */
import type { DecidableProposal } from '../../contract/proposal.ts';
import { messages } from '../model-messages.ts';
import { isFromOutside } from '../port-faults.ts';
import type { Redactor } from '../redactor.ts';
import type { KernelPorts } from './calls/authorization/authorize-call.ts';
import { type Ended, type KernelRun, refused } from './calls/run.ts';
import { decideCalls } from './decide-calls.ts';
import { fewAtOnce } from './few-at-once.ts';
import { decideChoice, decideInput } from './lazy-imports.ts';
import type { Journal } from './state/journal.ts';
import type { AnswerNeed, Need } from './state/need.ts';
import type { Session } from './state/session.ts';

/** Runs a proposal as far as it goes with the answers of the journal, at `now` (milliseconds). An exception becomes the verdict `error`. */
export async function decide(
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<KernelRun> {
  try {
    return await decideKind(proposal, session, journal, ports, now);
  } catch (error) {
    if (isFromOutside(error)) throw error;
    return refused('evaluation_failed', messages.evaluationFailed(error instanceof Error ? error.name : 'Error'));
  }
}

async function decideKind(
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<KernelRun> {
  switch (proposal.kind) {
    case 'tool-call':
      return decideCalls(proposal, session, journal, ports, now);
    case 'action-choice':
      return decideChoice(proposal, session, journal, ports, now);
    case 'input-request':
      return decideInput(proposal, session, journal, ports, now);
    default:
      return proposal satisfies never;
  }
}

/** The round of a need's entry in the journal. One path of an agent policy may ask a model several times: the order tells the entries apart. */
const roundOf = (need: Need): number => (need.type === 'model' ? need.ordinal : 0);

/** More rounds than a run can have questions: a run that still needs an answer then is broken. */
const MAX_ROUNDS = 64;

/**
 * Runs a proposal, and has `answer` supply what the journal lacks. Returns the run and the journal with all answers; undefined where an answer cannot
 * be asked for here. If a printed command would repeat a secret, the run is repeated without printing it: then no allow rule covers the call, and a
 * person is asked.
 */
export async function decideWith(
  answer: AnswerNeed,
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts & { readonly redactor: Redactor },
  now: number,
): Promise<Answered | undefined> {
  const done = await answerNeeds(answer, proposal, session, journal, ports, now);
  const unprinted = done ? await callsWithSecrets(done.run, ports.redactor) : [];
  if (!done || unprinted.length === 0) return done;
  return answerNeeds(answer, proposal, { ...session, unprinted: new Set(unprinted) }, done.journal, ports, now);
}

interface Answered {
  readonly run: Ended;
  readonly journal: Journal;
}

async function answerNeeds(
  answer: AnswerNeed,
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts,
  now: number,
): Promise<Answered | undefined> {
  let answeredJournal = journal;
  const at = new Date(now).toISOString();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const run = await decide(proposal, session, answeredJournal, ports, now);
    if (run.kind !== 'needs') return { run, journal: answeredJournal };
    const answered = await fewAtOnce(run.needs, async (need) => {
      const given = await answer(need);
      return given && { ...given, place: need.place, round: roundOf(need), at };
    });
    const entries = answered.filter((entry) => entry !== undefined);
    if (entries.length < answered.length) return undefined;
    answeredJournal = answeredJournal.with(entries);
  }
  throw new Error('the run keeps asking');
}

/** The calls with a secret in either form of their command. Printing moves quotes, so that a secret may be recognised in one form only. */
async function callsWithSecrets({ calls }: Ended, redactor: Redactor): Promise<string[]> {
  const found: string[] = [];
  for (const { call, printed } of calls) {
    if (printed && (await redactor.json([call.input, printed.input])).found) found.push(call.id);
  }
  return found;
}
