/**
 * Runs one call through all stages.
 * Deterministic and pure; it never throws, and what throws never allows.
 */
import type { CallContext } from '../call/call-context.ts';
import { needsShell, type PreparedCall, prepareCall } from '../call/prepared-call.ts';
import { commandsOf } from '../matching/command-matching.ts';
import type { Decided, Evaluation, Mode, SessionFacts, TraceEntry } from '../model/types.ts';
import { approvalCacheStage, rememberedRefusal } from './approval-cache.ts';
import { bypassStage } from './bypass.ts';
import { denialTrackerStage } from './denial-tracker.ts';
import { hookAllowStage, hooksStage } from './hooks.ts';
import { refuseCall, refusePrepared, refuseTool } from './input.ts';
import { type MinimumVerdict, minimumVerdictOf } from './minimum-verdict.ts';
import { modeDispatchStage } from './mode-dispatch.ts';
import { isPaused, pauseStage } from './pause.ts';
import { planStage } from './plan.ts';
import { coverageOf } from './printed.ts';
import { protectedPathsStage } from './protected-paths.ts';
import { rulesStage } from './rules.ts';
import type { PrintedCoverage, Stage, StageInput } from './stage.ts';

/** Pause and protected paths come before everything (A18, D3), then the order of the contract (R4-010). The first stage that decides wins. */
export const STAGES: readonly Stage[] = [
  pauseStage,
  protectedPathsStage,
  hooksStage,
  bypassStage,
  planStage,
  rulesStage,
  hookAllowStage,
  approvalCacheStage,
  denialTrackerStage,
  modeDispatchStage,
];

/** Decides one call, or says what it needs to know first. */
export function evaluateCall(call: CallContext, facts: SessionFacts): Evaluation {
  const trace: TraceEntry[] = [];
  try {
    return evaluate(call, facts, trace);
  } catch {
    const verdict: Decided = {
      verdict: 'error',
      reason: 'invalid',
      source: 'kernel',
      code: 'internal',
      message: 'The call could not be judged.',
    };
    return { kind: 'decided', verdict, trace: [...trace, entry('kernel', 'the pipeline itself', verdict)] };
  }
}

function entry(stage: TraceEntry['stage'], looked: string, verdict: Decided, why = verdict.message): TraceEntry {
  return { stage, looked, verdict: verdict.verdict, why, rule: verdict.rule };
}

function refused(verdict: Decided, trace: readonly TraceEntry[]): Evaluation {
  return { kind: 'decided', verdict, trace: [...trace, entry('input', 'tool, mode and input', verdict)] };
}

function evaluate(call: CallContext, facts: SessionFacts, trace: TraceEntry[]): Evaluation {
  const lookup = call.tools.lookup(call.toolName);
  if (lookup.kind === 'refused') return refused(refuseTool(lookup), trace);
  const broken = refuseCall(call, lookup);
  if (broken !== undefined) return refused(broken, trace);
  if (needsShell(call, lookup)) return { kind: 'needs', need: { type: 'shell-parser' }, trace };

  const prepared = prepareCall(call, lookup);
  const wrong = refusePrepared(prepared);
  if (wrong !== undefined) return refused(wrong, trace);
  trace.push({
    stage: 'input',
    looked: 'tool, mode and input',
    verdict: 'pass',
    why: prepared.listed ? 'a listed tool' : 'a tool that is not listed',
  });

  const bypassOff = call.mode === 'bypass' && call.bypass?.enabled !== true;
  const mode: Mode = bypassOff ? 'default' : (call.mode as Mode);
  const minimumVerdict: MinimumVerdict | undefined = minimumVerdictOf(prepared, facts.now);
  let covered: PrintedCoverage | undefined;
  const input: StageInput = {
    prepared,
    facts,
    mode,
    bypassOff,
    minimumVerdict,
    coverage: () => {
      covered ??= coverageOf({ prepared, facts, mode, bypassOff, minimumVerdict });
      return covered;
    },
  };
  for (const stage of STAGES) {
    const outcome = stage.run(input);
    if (outcome.kind === 'needs') {
      trace.push({ stage: stage.name, looked: stage.looked, verdict: 'pass', why: outcome.why });
      return { kind: 'needs', need: outcome.need, trace };
    }
    if (outcome.kind === 'pass') {
      trace.push({ stage: stage.name, looked: stage.looked, verdict: 'pass', why: outcome.why });
      continue;
    }
    trace.push(entry(stage.name, stage.looked, outcome.verdict, outcome.why));
    if (asksParent(outcome.verdict, input)) {
      return { kind: 'needs', need: { type: 'parent', toolName: call.toolName, input: call.input }, trace };
    }
    const final = tighten(outcome.verdict, input);
    if (final !== outcome.verdict) trace.push(entry(final.source, 'what only tightens', final));
    const verdict = final.verdict === 'ask' && needsPerson(input) ? { ...final, needsPerson: true } : final;
    return { kind: 'decided', verdict, trace };
  }
  throw new Error('no stage decided');
}

/** In bubble a deny at any level wins: the parent is heard even where the child's own rules allow or ask. */
function asksParent(verdict: Decided, { mode, facts }: StageInput): boolean {
  return mode === 'bubble' && facts.parent === undefined && (verdict.verdict === 'allow' || verdict.verdict === 'ask');
}

/** A refusal of the parent, or of a person who has just seen this very call, asks nobody again; a rule of the parent's may ask. */
function decidedElsewhere(verdict: Decided, { mode, facts }: StageInput): Decided | undefined {
  if (verdict.verdict !== 'allow' && verdict.verdict !== 'ask') return undefined;
  const { parent, refusal } = facts;
  if (mode === 'bubble' && parent?.state === 'cycle') {
    return {
      ...verdict,
      verdict: 'deny',
      reason: 'bubble',
      code: 'parent_cycle',
      message: 'The agents above this session form a loop or are too many.',
    };
  }
  if (mode === 'bubble' && parent?.state === 'answered' && (parent.verdict === 'deny' || parent.verdict === 'error')) {
    return {
      ...verdict,
      verdict: parent.verdict,
      reason: 'bubble',
      code: 'parent_refused',
      message: parent.message ?? 'The parent agent refused the call.',
    };
  }
  if (mode === 'bubble' && verdict.verdict === 'allow' && parent?.state === 'answered' && parent.humanRequired) {
    return {
      verdict: 'ask',
      reason: 'bubble',
      source: verdict.source,
      code: 'parent_asks',
      message: parent.message ?? 'A rule of the parent agent asks a person.',
      severity: verdict.severity,
      humanRequired: true,
    };
  }
  if (verdict.verdict === 'ask' && refusal !== undefined) return { ...verdict, ...rememberedRefusal(refusal) };
  return undefined;
}

/** A critical delete, a text that is not understood, a brake, a hook that failed: silence would allow what nothing but a person may. */
function needsPerson(input: StageInput): boolean {
  const { prepared, facts, minimumVerdict } = input;
  const { hook, parent } = facts;
  const asksAbove = parent?.state === 'answered' && parent.needsPerson === true;
  const hookAsks = hook?.decision === 'failed' || hook?.decision === 'human';
  if (minimumVerdict !== undefined || isPaused(prepared.call.pause, facts.now) || hookAsks || asksAbove) return true;
  return mayRunRefused(prepared) && input.coverage().kind !== 'covered';
}

/** Code that holds a deny rule's words: an allow rule that covers exactly this text may let it run, and silence may where one does. */
const mayRunRefused = (prepared: PreparedCall): boolean =>
  prepared.shell !== undefined && commandsOf(prepared).mayRunDenied(prepared, ['deny']) !== undefined;

/** Strengthens the verdict of the stage that decided; it never weakens one. */
function tighten(verdict: Decided, input: StageInput): Decided {
  const { facts, mode } = input;
  const { call } = input.prepared;
  let final = decidedElsewhere(verdict, input) ?? verdict;
  if (final.verdict === 'allow' && isPaused(call.pause, facts.now)) {
    final = {
      verdict: 'ask',
      reason: 'policy',
      source: 'pause',
      code: 'paused',
      message: 'An operator wants a person asked.',
      severity: verdict.severity,
      humanRequired: true,
    };
  }
  const { hook } = facts;
  if (final.verdict === 'allow' && (hook?.decision === 'failed' || hook?.decision === 'human')) {
    final = {
      verdict: 'ask',
      reason: 'hook',
      source: 'hooks',
      code: hook.decision === 'failed' ? 'hook_failed' : 'hook_asks',
      message: hook.reason || 'A hook wants a person asked.',
      severity: verdict.severity,
    };
  }
  if (final.verdict === 'ask' && mode === 'dontAsk') {
    // Silent, and it does not touch the tracker.
    return {
      ...final,
      verdict: 'deny',
      reason: 'dont_ask',
      code: 'dont_ask',
      source: final.source,
      message: `${final.message} This session asks nobody.`,
      countsForTracker: false,
    };
  }
  if (final.verdict === 'ask' && call.unattended === true) {
    return {
      ...final,
      verdict: 'deny',
      reason: 'no_handler',
      code: 'no_handler',
      source: 'handler_check',
      message: `${final.message} Nobody attends this session.`,
      countsForTracker: false,
    };
  }
  return final;
}
