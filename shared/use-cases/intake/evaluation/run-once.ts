/** Runs the kernel once for an admitted proposal, asking a model only where its answer can matter. */
import { decideWith } from '../../kernel/decide.ts';
import type { Journal } from '../../kernel/state/journal.ts';
import { type AnswerNeed, NOBODY, nobodyAsked } from '../../kernel/state/need.ts';
import { redactRun } from '../../redaction/redact-proposal.ts';
import { ASK_TIMEOUT_MS } from '../../resolvers/answered-before.ts';
import { askKnown, askOutside } from '../../resolvers/resolve-needs.ts';
import type { Admitted } from '../admission/admit-proposal.ts';
import type { IntakeDependencies } from '../dependencies.ts';
import { waitsWithoutModel } from './open-approval.ts';
import type { SessionFacts } from './session-facts.ts';

type Ran = NonNullable<Awaited<ReturnType<typeof decideWith>>>;

/** Runs the kernel. Undefined where a model or a hook has to answer and cannot be asked here. */
export async function runOnce(
  { proposal, redacted, message }: Admitted,
  journal: Journal,
  { own, session }: SessionFacts,
  deps: IntakeDependencies,
): Promise<Ran | undefined> {
  const { startedAt: now } = message;
  const { pid, agent } = session;
  const about = { pid, agent, shown: redacted.proposal, session: own, until: now + ASK_TIMEOUT_MS };
  const ask = withoutModel(askKnown(about, deps));
  const done = await decideWith(ask.answer, proposal, session, journal, deps, now);
  if (!done || !ask.lacksModel()) return done;
  // No model is asked where its answer cannot matter: an identical call waits already, or no further question may wait.
  if (await waitsWithoutModel(await redactRun(done.run, redacted, deps.redactor), session, deps)) return done;
  const answered = done.journal.answers.filter((entry) => entry.by !== NOBODY && !journal.has(entry));
  return decideWith(askOutside(about, deps), proposal, session, journal.with(answered), deps, now);
}

/** Answers needs without asking a model, and tells whether one would have been asked. */
function withoutModel(known: AnswerNeed): { readonly answer: AnswerNeed; readonly lacksModel: () => boolean } {
  let isLacking = false;
  return {
    lacksModel: () => isLacking,
    async answer(need) {
      const given = await known(need);
      if (given || need.type !== 'classifier') return given;
      isLacking = true;
      return nobodyAsked(need, 'an identical call waits for people, or no more may wait');
    },
  };
}
