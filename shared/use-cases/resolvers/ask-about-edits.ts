/** Asks hooks and models about a call that people edited, before it runs. */
import type { ClassifierEntry, HookEntry } from '../../contract/index.ts';
import type { DecidableProposal } from '../../contract/proposal.ts';
import {
  type AnswerNeed,
  type ClassifierNeed,
  type HookNeed,
  type NeedAnswer,
  nobodyAsked,
} from '../kernel/state/need.ts';
import { redactProposal } from '../redaction/redact-proposal.ts';
import type { ModelDependencies } from './call-model.ts';
import { answerModel } from './lazy-imports.ts';
import { type AboutRun, askOutside, type OutsideDependencies } from './resolve-needs.ts';

/**
 * Asks only about edited calls: people have decided the others. Answers are in the journal before they are used, so that a second run, and the next
 * round, use the same ones.
 */
export function askAgain(
  about: Omit<AboutRun, 'shown'>,
  effective: DecidableProposal,
  edited: ReadonlySet<string>,
  deps: OutsideDependencies,
): AnswerNeed {
  // The whole proposal is redacted, because a secret is known by the words beside it.
  let redacting: Promise<DecidableProposal> | undefined;
  const shownProposal = () => (redacting ??= shownOf(effective, deps));
  return async (need) => {
    if (need.type === 'model') return answerModel(need, about.pid, about.until, deps);
    if (!edited.has(need.call.id)) return nobodyAsked(need);
    const given = await askOutside({ ...about, shown: await shownProposal() }, deps)(need);
    return given && journalled(need, given, about.pid, deps);
  };
}

async function shownOf(
  proposal: DecidableProposal,
  { redactor, policy }: Pick<OutsideDependencies, 'redactor' | 'policy'>,
): Promise<DecidableProposal> {
  const shown = await redactProposal(proposal, redactor, policy.tools);
  if ('field' in shown) throw new Error('a secret stands where nothing can be taken out');
  return shown.proposal;
}

/** The first of two answers to one question is the one that counts. */
async function journalled(
  need: ClassifierNeed | HookNeed,
  given: NeedAnswer,
  pid: string,
  { journal, clock }: Pick<ModelDependencies, 'journal' | 'clock'>,
): Promise<NeedAnswer> {
  const at = new Date(clock.now()).toISOString();
  const entry = { ...given, place: need.place, round: 0, at } as ClassifierEntry | HookEntry;
  if (await journal.append(pid, entry)) return given;
  const stored = (await journal.read(pid)).find(
    ({ type, place, round }) => type === entry.type && place === entry.place && round === entry.round,
  );
  if (stored?.type !== 'classifier' && stored?.type !== 'hook')
    throw new Error('the journal refused an answer that it does not hold');
  return stored;
}
