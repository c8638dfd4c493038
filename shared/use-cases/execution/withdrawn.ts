/** Tells at redemption whether what allowed the call was taken back or no longer allows it. */
import { compileSessionRules, type Policy } from '../../config/compile.ts';
import type { AllowedBy, AnswerEntry, ToolCall, ToolCallProposal } from '../../contract/index.ts';
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import { isHighSeverity } from '../../domain/severity.ts';
import type { Control } from '../../ports/stores/control.ts';
import type { DelegationStore } from '../../ports/stores/delegation-store.ts';
import { confirmableBy } from '../conversation/authorize-task-call.ts';
import { journalOf } from '../kernel/calls/authorization/allowed-by.ts';
import {
  type Authorization,
  authorizeCall,
  type KernelPorts,
  withoutMemory,
} from '../kernel/calls/authorization/authorize-call.ts';
import { hasMoved } from '../kernel/calls/authorization/folders.ts';
import { severityOf } from '../kernel/calls/authorization/severity.ts';
import { planForCall } from '../kernel/calls/question/approval-plan.ts';
import { questionedOf } from '../kernel/calls/question/call-question.ts';
import { isImpartial } from '../kernel/calls/question/impartial.ts';
import { mayApprove } from '../kernel/calls/question/may-approve.ts';
import { lineageOf } from '../kernel/state/lineage.ts';
import { nobodyAsked } from '../kernel/state/need.ts';
import { type Chain, modeOf, type Session } from '../kernel/state/session.ts';
import { type ChainReader, chainOf } from '../sessions/session-chain.ts';
import type { Approved, Objection, RowReader } from './revalidate.ts';

interface PermittedAction {
  readonly toolName: string;
  readonly input: unknown;
  readonly cwd?: string | undefined;
  readonly starts?: ToolCallProposal['starts'];
}

interface About extends Pick<Approved, 'agent' | 'sessionId' | 'byPeople'> {
  readonly pid: string;
  readonly basis: AllowedBy;
}

interface Ports extends KernelPorts {
  readonly deployment: string;
  readonly row: RowReader;
  readonly delegations: Pick<DelegationStore, 'read'>;
}

/** The place of the call in its journal: answers are recorded without it. */
const SLOT = '0';
/** Each round answers all that the one before it asked; a session above may ask as well. */
const MAX_ROUNDS = 20;

/** The objection, or undefined while the call is still allowed. The call is judged as it would be now, without asking anybody. */
export async function withdrawn(
  action: PermittedAction,
  { agent, sessionId, pid, byPeople, basis }: About,
  control: Control,
  now: number,
  ports: Ports,
): Promise<Objection | undefined> {
  const { policy } = ports;
  const settings = Object.hasOwn(policy.settings.agents, agent) ? policy.settings.agents[agent] : undefined;
  if (!settings) return objection('The policy no longer lists this agent.');
  if (hasMoved(action, basis.folders, settings))
    return objection('The policy file names another folder for this agent now than when the call was judged.');
  const lineage = await lineageOf({ agent, sessionId }, ports);
  if (!isImpartial(basis.people ?? [], { agent, lineage }, policy))
    return objection(
      'A person who approved it owns the agent now, or one that it works for, and cannot approve its calls.',
    );

  const call = { id: 'call', toolName: action.toolName, input: action.input, cwd: action.cwd } as ToolCall;
  const { mode } = basis;
  const proposal: ToolCallProposal = {
    kind: 'tool-call',
    proposalId: 'redemption',
    calls: [call],
    ...(mode ? { mode } : {}),
    ...(action.starts ? { starts: action.starts } : {}),
  };
  const requester = basis.requester ?? policy.person(settings.owner);
  const reader: ChainReader = { ...ports, control, denied: async () => 0 };
  const found = await chainOf({ agent, sessionId, requester, lineage }, proposal, now, reader);
  // A refusal of another proposal takes no approval of people back.
  const chain = withoutMemory(found, byPeople ? 'grants only' : 'with refusals');
  const gone = goneOf(basis, chain, policy);
  if (gone) return objection(gone);

  const session: Session = {
    ...{ pid, agent, settings, sessionId, requester, control, lineage, chain },
    mode: modeOf(chain, settings.mode),
  };
  const authorized = await authorizeNow(call, proposal, session, basis, now, ports);
  if (!authorized) return objection('It could not be judged again.');
  const { verdict, asks } = authorized;
  if (verdict.verdict === 'allow') return undefined;
  if (verdict.verdict !== 'ask') return objection(verdict.message);
  if (basis.yes !== undefined && isYesStill(basis.yes, call, verdict, session, ports)) return undefined;
  if (!byPeople) return objection(verdict.message);
  const questioned = asks ? questionedOf(asks, policy) : [{ settings, rule: verdict.rule }];
  const severity = severityOf({ call, verdict }, policy);
  const asked = {
    toolName: call.toolName,
    questioned,
    requester,
    lineage,
    severity,
    isConfirmed: basis.yes === 'confirmation',
  };
  return (await mayApprove(basis.people ?? [], asked, now, ports))
    ? undefined
    : objection('The people who approved it are not, or not any more, those who may approve it.');
}

const objection = (why: string): Objection => ({
  code: 'revoked',
  message: `What allowed this call does so no more. ${cutMarked(why, 900)} Propose the call again under a new id.`,
});

/** Says which rule or grant that the permit names is gone. */
function goneOf({ rules = [], grants = [] }: AllowedBy, { levels, possible = [] }: Chain, policy: Policy) {
  const all = [...levels, ...possible.flatMap((one) => one.levels)];
  const ofSessions = () =>
    compileSessionRules(
      all.flatMap((level) => level.rules),
      [],
      policy,
    )?.rules ?? [];
  const isThere = (digest: string) => {
    const isIt = ({ ref }: Policy['rules']['rules'][number]) => ref.digest === digest;
    return policy.rules.rules.some(isIt) || ofSessions().some(isIt);
  };
  if (!rules.every(isThere)) return 'The rule that allowed it was changed or removed.';
  const given = new Set(all.flatMap(({ calls }) => calls.flatMap(({ grant }) => grant?.key ?? [])));
  return grants.some((key) => !given.has(key))
    ? 'The approval for later that answered it was taken back, has ended, or was given by somebody who may not give it now.'
    : undefined;
}

async function authorizeNow(
  call: ToolCall,
  proposal: ToolCallProposal,
  session: Session,
  basis: AllowedBy,
  now: number,
  ports: Ports,
): Promise<Authorization | undefined> {
  let journal = journalOf(basis, SLOT, now);
  const at = new Date(now).toISOString();
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const authorized = await authorizeCall(call, Number(SLOT), { proposal, session, journal, added: [], now }, ports);
    if (authorized.kind === 'evaluated') return authorized;
    const answers = authorized.needs.flatMap((need) =>
      need.type === 'model' ? [] : [{ ...nobodyAsked(need), place: need.place, round: 0, at } as AnswerEntry],
    );
    journal = journal.with(answers);
  }
  return undefined;
}

/** Whether silence, or the yes of who asked, is still enough for what asks now. */
function isYesStill(
  yes: NonNullable<AllowedBy['yes']>,
  call: ToolCall,
  verdict: Authorization['verdict'],
  { settings }: Session,
  { policy }: Ports,
): boolean {
  switch (yes) {
    case 'silence':
      return (
        verdict.needsPerson !== true &&
        planForCall(policy, call.toolName, [{ settings, rule: verdict.rule }])?.timeoutApproves === true &&
        !isHighSeverity(severityOf({ call, verdict }, policy))
      );
    case 'confirmation':
      return confirmableBy({ policy })({ call, actionDigest: null, verdict, trace: [] });
    default:
      return yes satisfies never;
  }
}
