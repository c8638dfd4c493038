/** Authorizes one call as the gate would, without the gate: same reader, same kernel, no I/O. */
import type { Policy } from '../../config/compile.ts';
import { noSuchAgent } from '../../config/readers/no-such-agent.ts';
import { DEFAULT_SESSION } from '../../contract/bounds.ts';
import { type Mode, SCHEMA_VERSION } from '../../contract/primitives.ts';
import { sha256Hex } from '../../domain/digest.ts';
import { ownValue } from '../../domain/own.ts';
import { readProposal } from '../../domain/proposal/read-proposal.ts';
import { readIJson } from '../../domain/raw-json.ts';
import type { Decided, TraceEntry } from '../../permissions/model/types.ts';
import { loadShellParser } from '../../permissions/shell/parser.ts';
import { NO_CONTROL } from '../../ports/stores/control.ts';
import { decideWith } from '../../use-cases/kernel/decide.ts';
import { Journal } from '../../use-cases/kernel/state/journal.ts';
import type { AnswerNeed } from '../../use-cases/kernel/state/need.ts';
import { redactorOf } from '../../use-cases/redactor.ts';
import { patternsOnly } from '../../use-cases/resolvers/classify.ts';
import { type AskedStage, askedStages, jsonOfStages, wordsOfStages } from './approver-text.ts';

export interface AuthorizedCall {
  readonly toolName: string;
  readonly agent: string;
  readonly mode: Mode;
  /** The folder that the call states; absent: the project root. */
  readonly cwd?: string | undefined;
  readonly verdict: Decided['verdict'];
  readonly reason: string;
  readonly code?: string | undefined;
  readonly stage: string;
  readonly message: string;
  readonly rule?: Decided['rule'];
  /** The input that would run in place of the proposed one. */
  readonly effective?: Decided['effective'];
  /** The people whom the gate would ask, stage by stage. */
  readonly asks?: readonly AskedStage[] | undefined;
  /** `approve`: no answer in time lets it run. */
  readonly onTimeout?: 'approve' | undefined;
  /** Hooks that the gate would ask, and that are taken to fall through here. */
  readonly hooks?: readonly string[] | undefined;
  readonly trace: readonly TraceEntry[];
}

interface OfflineCall {
  readonly agent: string;
  /** The mode of the session, as an operator would set it; default: the agent's. */
  readonly mode?: Mode | undefined;
  /** The fields of a proposal with one call, its input not yet checked. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** @throws Error if the policy does not declare the agent. */
export async function authorizeOffline(
  { agent, mode, fields }: OfflineCall,
  policy: Policy,
  now: number,
): Promise<AuthorizedCall> {
  const settings = ownValue(policy.settings.agents, agent);
  if (!settings) throw new Error(noSuchAgent(agent, Object.keys(policy.settings.agents)));
  const session = {
    pid: sha256Hex('check'),
    agent,
    settings,
    sessionId: DEFAULT_SESSION,
    mode: mode ?? settings.mode,
    control: NO_CONTROL,
  };
  const { toolName, cwd } = fields;
  const folder = typeof cwd === 'string' ? { cwd: cwd.slice(0, MAX_FOLDER) } : {};
  const about = { toolName: String(toolName ?? ''), agent, mode: session.mode, ...folder };
  const message = { schemaVersion: SCHEMA_VERSION, kind: 'tool-call', proposalId: 'check', ...fields };
  const read = readProposal(JSON.stringify(message), now);
  if (!read.ok) return unreadable(about, read.fault.code, read.fault.message);
  if (read.proposal.kind !== 'tool-call') return unreadable(about, 'unsupported_kind', 'is not a tool call');
  const journal = new Journal([{ type: 'now', place: 'start', round: 0, at: new Date(now).toISOString() }]);
  // Nothing is permitted here: a permit made with this key is none of the gate's.
  const redactor = redactorOf(
    () => policy,
    async () => (await import('../../adapters/secretlint/detector.ts')).secretlintDetector(),
  );
  const ports = { policy, shell: loadShellParser, digestKey: new Uint8Array(32), redactor };
  const hooks: string[] = [];
  const ask: AnswerNeed = async (need) => {
    if (need.type === 'classifier') return patternsOnly(need, ports);
    if (need.type === 'model') return undefined;
    hooks.push(need.hook);
    const reason = `The hook ${need.hook} is asked by the gate, and not here.`;
    return { type: 'hook', by: need.hook, answer: { state: 'answered', decision: 'pass', reason } };
  };
  const ended = await decideWith(ask, read.proposal, session, journal, ports, now);
  if (!ended) throw new Error('something that is not asked here was waited for');
  const { run } = ended;
  const [call] = run.calls;
  if (!call) {
    const why = run.kind === 'decided' ? run.answer : { reasonCode: 'invalid', message: 'nothing was judged' };
    return unreadable(about, why.reasonCode, why.message);
  }
  const { verdict, trace } = call;
  const question = run.kind === 'suspended' ? run.question : undefined;
  const asks = question && askedStages(question.stages, policy.settings.approvals.timeout);
  const onTimeout = question?.kind === 'calls' ? question.onTimeout : undefined;
  return {
    ...about,
    verdict: verdict.verdict,
    reason: verdict.reason,
    code: verdict.code,
    stage: verdict.source,
    message: verdict.message,
    rule: verdict.rule,
    ...(verdict.effective ? { effective: verdict.effective } : {}),
    ...(asks ? { asks } : {}),
    ...(onTimeout ? { onTimeout } : {}),
    ...(hooks.length ? { hooks } : {}),
    trace: [...trace.map(withoutPauses), ...approversEntry(trace, verdict, asks)],
  };
}

/** Whether somebody pulled the brake is known to the deployed gate alone. */
const withoutPauses = (entry: TraceEntry): TraceEntry =>
  entry.stage === 'pause' ? { ...entry, why: 'pauses are not known here' } : entry;

/** After the last stage the gate looks for people: an ask that nobody may answer is an error. */
function approversEntry(
  trace: readonly TraceEntry[],
  verdict: Decided,
  asks: readonly AskedStage[] | undefined,
): TraceEntry[] {
  if (trace.at(-1)?.verdict !== 'ask') return [];
  const why = asks ? `asks ${wordsOfStages(asks)}` : verdict.message;
  return [{ stage: 'handler_check', looked: 'who may answer', verdict: verdict.verdict, why }];
}

/** As long as a message may state. */
const MAX_FOLDER = 4096;

function unreadable(
  about: Pick<AuthorizedCall, 'toolName' | 'agent' | 'mode' | 'cwd'>,
  code: string,
  message: string,
): AuthorizedCall {
  const entry: TraceEntry = { stage: 'input', looked: 'the message', verdict: 'error', why: message };
  return { ...about, verdict: 'error', reason: 'invalid', code, stage: 'input', message, trace: [entry] };
}

/** The value of `text`, or the error that the gate would answer with. */
export function readInput(
  text: string,
): { readonly value: unknown } | { readonly code: string; readonly message: string } {
  const json = readIJson(text);
  return json.ok ? { value: json.value } : { code: json.fault.code, message: json.fault.message };
}

/** For an input that is not I-JSON: nothing of it may be believed. */
export function misread(
  call: Pick<AuthorizedCall, 'toolName' | 'agent' | 'mode'>,
  fault: { code: string; message: string },
): AuthorizedCall {
  return unreadable(call, fault.code, fault.message);
}

/** The JSON form: stable names, no trace. */
export function summaryOf(authorized: AuthorizedCall): Record<string, unknown> {
  const { toolName, agent, mode, verdict, reason, code, stage, message, rule, effective, asks, onTimeout, hooks, cwd } =
    authorized;
  const { id, effect, pattern, source, origin } = rule ?? {};
  return {
    verdict,
    reason,
    code: code ?? reason,
    stage,
    message,
    rule: rule ? { id, effect, pattern, source, file: origin?.file, line: origin?.line, column: origin?.column } : null,
    ...(effective ? { effective } : {}),
    ...(asks ? { asks: jsonOfStages(asks) } : {}),
    ...(onTimeout ? { onTimeout } : {}),
    ...(hooks ? { hooks } : {}),
    tool: toolName,
    agent,
    mode,
    ...(cwd === undefined ? {} : { cwd }),
  };
}
