/**
 * Checks an approved call again before it runs: protected paths, deny rules, the emergency brake.
 *
 * `withdrawn.ts` checks the grounds that allowed it.
 */
import { compileSessionRules } from '../../config/compile.ts';
import type { SessionRow, ToolCall } from '../../contract/index.ts';
import type { Mode } from '../../contract/primitives.ts';
import type { CallContext } from '../../permissions/call/call-context.ts';
import type { Decided, FileSystemView, SessionFacts } from '../../permissions/model/types.ts';
import { leadsElsewhere } from '../../permissions/paths/links.ts';
import type { Control } from '../../ports/stores/control.ts';
import { pauseFor } from '../../ports/stores/control.ts';
import { evaluated, type KernelPorts } from '../kernel/calls/authorization/authorize-call.ts';
import { contextOf } from '../kernel/calls/authorization/context-of.ts';
import { climb, type ParentStanding } from '../sessions/session-chain.ts';

export interface Approved {
  readonly agent: string;
  readonly sessionId: string;
  /** In which it was approved: where bypass overrules rules, it does so here, too. */
  readonly mode: Mode | undefined;
  readonly byPeople: boolean;
  /** Stated by who would run it: what was judged without must hold for where the links lead now. */
  readonly fs?: FileSystemView | undefined;
}

export type RowReader = (agent: string, sessionId: string) => Promise<SessionRow>;

export interface Objection {
  readonly code: 'paused' | 'policy_changed' | 'place_changed' | 'revoked';
  readonly message: string;
}

/** Finds the reason why an approved call may not run after all. Every failure is an objection. */
export async function revalidate(
  call: Omit<ToolCall, 'id'>,
  approved: Approved,
  control: Control,
  now: number,
  ports: Pick<KernelPorts, 'policy' | 'shell'> & { readonly row: RowReader },
): Promise<Objection | undefined> {
  const { levels, end } = await climb(approved, now, ports);
  // A parent of the time of the approval that cannot be found now has not agreed.
  if (end !== 'root') return { code: 'policy_changed', message: MESSAGES[end] };
  for (const level of levels) {
    const objection = await objectionAt(level, call, approved, control, now, ports);
    if (objection) return objection;
  }
  return undefined;
}

/** Objects on behalf of one session, which may be above that of the call: a denial there is a denial here. */
async function objectionAt(
  { row, mode, settings, rules }: ParentStanding,
  call: Omit<ToolCall, 'id'>,
  approved: Approved,
  control: Control,
  now: number,
  ports: Pick<KernelPorts, 'policy' | 'shell'>,
): Promise<Objection | undefined> {
  const { policy } = ports;
  const own = row.agent === approved.agent && row.sessionId === approved.sessionId;
  const pause = pauseFor(control, row.agent, call.toolName, now);
  if (pause?.effect === 'ask' && !approved.byPeople) return { code: 'paused', message: MESSAGES.asked };
  const context = contextOf(
    {
      call,
      mode: (own ? approved.mode : mode) === 'bypass' ? 'bypass' : 'default',
      cwd: call.cwd ?? policy.settings.agents[approved.agent]?.projectRoot ?? settings.projectRoot,
      folders: settings,
      sessionRules: compileSessionRules([...rules], [], policy),
      pause,
      // An ask is no objection to a call that was approved, whoever attends.
      unattended: undefined,
      mayPrint: undefined,
    },
    policy,
  );
  if (approved.fs && [context.cwd, context.projectRoot].some((folder) => leadsElsewhere(folder, approved.fs)))
    return { code: 'place_changed', message: MESSAGES.elsewhere };
  const stated = await verdictOf(context, now, ports);
  const objection = objectionOf(stated);
  if (objection || !approved.fs) return objection;

  const linked = await verdictOf({ ...context, fs: approved.fs }, now, ports);
  const weaker = linked?.verdict === 'ask' && stated?.verdict === 'allow' && !approved.byPeople;
  return weaker ? { code: 'place_changed', message: MESSAGES.links } : objectionOf(linked);
}

const MESSAGES = {
  unlisted: 'The policy no longer lists this agent, or one above it.',
  cycle: 'The sessions above this one form a circle.',
  asked: 'An operator wants a person asked. Propose the call again under a new id.',
  elsewhere:
    'The folder that the call was approved for leads elsewhere now. Propose the call again with the real path of its folder.',
  links:
    'What the call names leads elsewhere now, and that is not allowed. Propose the call again with the real paths.',
  unchecked: 'The call could not be checked again.',
} as const;

async function verdictOf(
  context: CallContext,
  now: number,
  ports: Pick<KernelPorts, 'shell'>,
): Promise<Decided | undefined> {
  const facts: SessionFacts = { now, classifier: { state: 'none' }, hook: { decision: 'pass' } };
  const evaluation = await evaluated(context, facts, ports);
  return evaluation.kind === 'needs' ? undefined : evaluation.verdict;
}

function objectionOf(found: Decided | undefined): Objection | undefined {
  if (!found) return { code: 'policy_changed', message: MESSAGES.unchecked };
  if (found.verdict === 'allow' || found.verdict === 'ask') return undefined;
  return { code: found.code === 'paused' ? 'paused' : 'policy_changed', message: found.message };
}
