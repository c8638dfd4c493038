/** Authorizes an action of a contract by rules and pauses, as the tool `Flow`. */
import { compileSessionRules } from '../../../config/compile.ts';
import type { Action, ChainEnd } from '../../../contract/index.ts';
import { FLOW_TOOL } from '../../../permissions/model/tools.ts';
import type { Decided } from '../../../permissions/model/types.ts';
import { evaluateCall } from '../../../permissions/stages/evaluate.ts';
import { pauseFor } from '../../../ports/stores/control.ts';
import type { KernelPorts } from '../calls/authorization/authorize-call.ts';
import { contextOf } from '../calls/authorization/context-of.ts';
import { type NobodyAsked, whyNobodyIsAsked } from '../state/asks-people.ts';
import type { Journal } from '../state/journal.ts';
import type { Session } from '../state/session.ts';

/**
 * Undefined: nothing speaks against the action. Only denials, rules that ask and the emergency brake count: who chooses is the policy's
 * business, not the mode's. Session rules count as they were when the run began and as they are now.
 */
export function authorizeAction(
  { flow_id, persona_id }: Pick<Action, 'flow_id' | 'persona_id'>,
  session: Session,
  journal: Journal,
  { policy }: KernelPorts,
  now: number,
): Decided | undefined {
  const { settings, control, agent } = session;
  const pause = pauseFor(control, agent, FLOW_TOOL, now);
  // A session that nobody started also has the rules of all that may have started it.
  const chains = [journal.session, session.chain].flatMap((one) => (one ? [one, ...(one.possible ?? [])] : []));
  // Rules that stand above and were not read may deny it.
  const unread = chains.find(({ end }) => end !== 'root');
  if (unread) return UNREAD[unread.end];
  const remembered = chains.flatMap(({ levels }) => levels);
  const sessionRules = compileSessionRules(
    remembered.flatMap(({ rules }) => rules),
    [],
    policy,
  );
  const evaluation = evaluateCall(
    contextOf(
      {
        call: { toolName: FLOW_TOOL, input: { flow_id, persona_id } },
        mode: 'default',
        cwd: settings.projectRoot,
        folders: settings,
        sessionRules,
        pause,
        // A rule that asks is turned into a denial below, once it is known that it is one.
        unattended: undefined,
        mayPrint: undefined,
      },
      policy,
    ),
    { now, classifier: { state: 'none' }, parent: { state: 'none' } },
  );
  if (evaluation.kind === 'needs') {
    const message = 'The action could not be judged.';
    return { verdict: 'error', reason: 'invalid', source: 'kernel', code: 'evaluation_failed', message };
  }
  const { verdict } = evaluation;
  if (verdict.verdict === 'deny' || verdict.verdict === 'error') return verdict;
  const asks = verdict.verdict === 'ask' && (verdict.rule !== undefined || pause?.effect === 'ask');
  if (!asks) return undefined;
  const why = whyNobodyIsAsked(session, journal, policy);
  return why ? refusing(verdict, why) : verdict;
}

const unreadAbove = (verdict: 'deny' | 'error', code: string, message: string): Decided => ({
  verdict,
  reason: 'bubble',
  source: 'kernel',
  code,
  message,
});

const UNREAD: Readonly<Record<ChainEnd, Decided | undefined>> = {
  root: undefined,
  cycle: unreadAbove('deny', 'parent_cycle', 'The agents above this session form a loop or are too many.'),
  unlisted: unreadAbove('error', 'parent_refused', 'The policy file does not list the parent of this session.'),
};

const WHY: Readonly<Record<NobodyAsked, string>> = {
  dont_ask: 'This session asks nobody.',
  no_handler: 'Nobody attends this session.',
};

/** Turns an ask into the denial of a session that asks nobody. */
const refusing = (verdict: Decided, reason: NobodyAsked): Decided => ({
  ...verdict,
  verdict: 'deny',
  reason,
  code: reason,
  message: `${verdict.message} ${WHY[reason]}`,
});
