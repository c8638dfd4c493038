/** Decides a proposal so that no command with a secret is printed into its decision. */
import type { DecidableProposal } from '../../contract/proposal.ts';
import type { Redactor } from '../redactor.ts';
import type { KernelPorts } from './calls/authorize-call.ts';
import type { Journal } from './calls/journal.ts';
import type { AnswerNeed } from './calls/need.ts';
import type { Ended } from './calls/run.ts';
import type { Session } from './calls/session.ts';
import { decideWith } from './decide.ts';

/** As `decideWith`; no allow rule covers a call whose printed command would repeat a secret, so that a person is asked. */
export async function decidePrinted(
  answer: AnswerNeed,
  proposal: DecidableProposal,
  session: Session,
  journal: Journal,
  ports: KernelPorts & { readonly redactor: Redactor },
  now: number,
): ReturnType<typeof decideWith> {
  const done = await decideWith(answer, proposal, session, journal, ports, now);
  const unprinted = done ? await callsWithSecrets(done.run, ports.redactor) : [];
  if (!done || unprinted.length === 0) return done;
  return decideWith(answer, proposal, { ...session, unprinted: new Set(unprinted) }, done.journal, ports, now);
}

/** Printing moves quotes: a secret may be seen in one form of a command and not in the other. */
async function callsWithSecrets({ calls }: Ended, redactor: Redactor): Promise<string[]> {
  const found: string[] = [];
  for (const { call, printed } of calls) {
    if (printed && (await redactor.json([call.input, printed.input])).found) found.push(call.id);
  }
  return found;
}
