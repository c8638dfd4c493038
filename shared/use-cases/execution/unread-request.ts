/** Answers execution requests that cannot be read or were set aside by their queue. */
import * as z from 'zod';
import { MAX_READING_TRIES } from '../../config/schema/defaults.ts';
import { type CallResult, type ExecutionRequest, executionRequest } from '../../contract/execution.ts';
import { pidOf, sha256Hex } from '../../domain/digest.ts';
import { parseJson } from '../../domain/raw-json.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { contractError, systemError } from '../../guardrails/settings/errors.ts';
import type { HeldPermit } from '../../ports/stores/permit-store.ts';
import { recordOf } from '../audit/audit-entry.ts';
import { shownSubject } from '../audit/shown-subject.ts';
import { resolveSender, UNREGISTERED } from '../identity.ts';
import { DEAD_LETTER, recordDeadLetter } from '../intake/dead-letter.ts';
import type { ExecutionDependencies, ExecutionMessage } from './dependencies.ts';
import { namesOf } from './result.ts';

type Request = Pick<ExecutionMessage, 'messageId' | 'raw' | 'principal'>;
type UnreadDependencies = Omit<ExecutionDependencies, 'guardrails'>;
type Names = Pick<ExecutionRequest, 'proposalId' | 'callId' | 'requestId'>;
const NAMES = executionRequest.pick({ proposalId: true, callId: true, requestId: true });

/** On the record, and told to the agent under the ids that it gave, if they can be read: it would wait for a result otherwise. */
export async function refuseUnread(
  message: Request,
  agent: string,
  code: string,
  why: string,
  deps: UnreadDependencies,
  names?: Names,
): Promise<void> {
  // The problem quotes the message.
  const problem = cutMarked(await deps.redactor.text(why), 1000);
  const pid = await recordRefusal(message, agent, code, problem, deps, names);
  // The agent waits there for the result of a run, which would be lost.
  if (!names || isRunUnder(names, await deps.permits.read(pid, names.callId))) return;
  await notify(agent, pid, names, 'none', contractError('InvalidRequest', problem).toToolError(), deps);
}

/** Whether a run holds the permit under this request. */
const isRunUnder = ({ requestId }: Names, held: HeldPermit | undefined): boolean =>
  held?.requestId === requestId && held.stage !== 'free';

/**
 * The agent of a request that was set aside reads a refusal in the place of its result. Where a run holds the permit under that request, the
 * reconciler answers: the call may have been made. `tries` counts from 1. Throws if a store is down: the message comes again.
 */
export async function refuseDeadLetter(message: Request, tries: number, deps: UnreadDependencies): Promise<void> {
  await recordDeadLetter({ messageId: message.messageId, fault: 'set aside' }, deps);
  const agent = await resolveSender(message.principal, deps.agents, deps);
  if (agent === undefined || !deps.policy.settings.agents[agent]) {
    await recordRefusal(message, UNREGISTERED, DEAD_LETTER, '', deps);
    return;
  }
  const names = tries > MAX_READING_TRIES ? undefined : namedIn(message.raw);
  const held = names && (await deps.permits.read(pidOf(deps.deployment, agent, names.proposalId), names.callId));
  if (names && isRunUnder(names, held)) return;
  const pid = await recordRefusal(message, agent, DEAD_LETTER, '', deps, names);
  const isSpent = held !== undefined && held.stage !== 'free';
  if (names) await notify(agent, pid, names, isSpent ? 'spent' : 'usable', deadLetterError().toToolError(), deps);
}

const deadLetterError = () =>
  systemError(
    DEAD_LETTER,
    'The gate tried several times to work this request and could not. The call was not run. Ask again under a new request id.',
  );

/** Returns the id that the refusal stands under. */
async function recordRefusal(
  { messageId, raw }: Request,
  agent: string,
  reasonCode: string,
  detail: string,
  deps: UnreadDependencies,
  names?: Names,
): Promise<string> {
  const pid = names ? pidOf(deps.deployment, agent, names.proposalId) : sha256Hex(raw);
  const subject = await shownSubject({ agent, pid, proposalId: names?.proposalId ?? null }, deps.redactor);
  const entry = { type: 'refused', reasonCode, detail } as const;
  await deps.audit.put(recordOf(deps, subject, `refused#execute#${messageId}`, entry));
  return pid;
}

async function notify(
  agent: string,
  pid: string,
  names: Names,
  permit: CallResult['permit'],
  error: CallResult['error'],
  deps: UnreadDependencies,
): Promise<void> {
  await deps.results.put(agent, pid, {
    ...namesOf(names),
    status: 'refused',
    permit,
    error,
    attempts: 0,
    durationMs: 0,
    endedAt: new Date(deps.clock.now()).toISOString(),
  });
}

/** For an answer only: nothing runs by what is read so. A message whose ids cannot be read has nobody who waits for them. */
export function namedIn(raw: string): Names | undefined {
  try {
    return z.object(NAMES.shape).safeParse(parseJson(raw)).data;
  } catch {
    return undefined;
  }
}
