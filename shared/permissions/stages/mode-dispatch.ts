/** Runs stage 6: what the mode does with a call that nothing before has decided. */
import { cutMarked } from '../../domain/redaction/text/marker.ts';
import type { PreparedCall } from '../call/prepared-call.ts';
import { commandsOf } from '../matching/command-matching.ts';
import type { Coverage } from '../matching/coverage.ts';
import { READER_TOOLS } from '../matching/match.ts';
import { isFileReader, isFileWriter } from '../model/tools.ts';
import type { Decided, Mode } from '../model/types.ts';
import { normalisePath, type PathContext } from '../paths/normalise.ts';
import { decide, pass, type Stage, type StageInput, type StageOutcome, severityOf } from './stage.ts';

/** Under it a classifier's answer is undecided. */
export const MIN_CONFIDENCE = 0.8;

/** An outcome of this stage; `more` says what differs from the usual. */
const answer = (
  { prepared }: StageInput,
  verdict: Decided['verdict'],
  reason: Decided['reason'],
  message: string,
  more: Partial<Decided> = {},
): StageOutcome =>
  decide({ verdict, reason, source: 'mode_dispatch', code: reason, message, severity: severityOf(prepared), ...more });

const ask = (input: StageInput, reason: Decided['reason'], message: string, code: string = reason): StageOutcome =>
  answer(input, 'ask', reason, message, { code, notUnderstood: input.minimumVerdict?.code === 'not-understood' });

const allow = (
  input: StageInput,
  reason: Decided['reason'],
  message: string,
  effective?: Decided['effective'],
): StageOutcome => answer(input, 'allow', reason, message, { countsForTracker: true, effective });

const deny = (input: StageInput, reason: Decided['reason'], message: string, countsForTracker: boolean): StageOutcome =>
  answer(input, 'deny', reason, message, { countsForTracker });

/** All stated paths lie within the root; a search without a path looks at the working directory. */
function insideRoot(prepared: PreparedCall): boolean {
  if (prepared.namesElsewhere) return false;
  const context: PathContext = prepared.context;
  if (
    READER_TOOLS.has(prepared.call.toolName) &&
    !prepared.paths.some((each) => each.argument && each.glob === undefined)
  ) {
    if (!normalisePath('.', context).insideRoot) return false;
  }
  return prepared.paths.every((each) => each.path.insideRoot);
}

const runnerOfDenied = (prepared: PreparedCall): string | undefined =>
  prepared.shell && commandsOf(prepared).mayRunDenied(prepared);

const runsDenied = (why: string): string => `${why}. A person decides.`;

/** A person decides: something is not certain of the call, or no allow rule was enough for it. */
function askHuman(input: StageInput): StageOutcome {
  const { minimumVerdict } = input;
  return ask(input, 'handler', minimumVerdict?.why ?? `${uncoveredReason(input.coverage())} A person decides.`);
}

function uncoveredReason(covered: Coverage): string {
  if (covered.kind !== 'not-covered') return 'No rule matches.';
  const { tried, write } = covered;
  const why =
    tried === undefined ? covered.why : `the rule ${cutMarked(tried.ref.pattern, 60)} is not enough: ${covered.why}`;
  const sentence = `${(why[0] ?? '').toUpperCase()}${why.slice(1)}`;
  return write === undefined ? `${sentence}.` : `${sentence}; ${write} would cover it.`;
}

function inDefault(input: StageInput): StageOutcome {
  const { prepared, minimumVerdict } = input;
  const covered = minimumVerdict === undefined ? input.coverage() : undefined;
  if (covered?.kind === 'needless')
    return covered.by === 'edits'
      ? allow(input, 'accept_edits', 'Allowed: it only edits files within the project.')
      : allow(input, 'handler', 'Allowed: it changes nothing.');
  // Reading within the project is not dangerous; the empty set is not known to be harmless.
  if (minimumVerdict === undefined && isFileReader(prepared.entry) && insideRoot(prepared)) {
    return allow(input, 'handler', 'Allowed: it only reads, within the project.');
  }
  return askHuman(input);
}

function inAcceptEdits(input: StageInput): StageOutcome {
  const { prepared, minimumVerdict } = input;
  if (minimumVerdict === undefined && isFileWriter(prepared.entry) && insideRoot(prepared)) {
    return allow(input, 'accept_edits', 'Allowed: it only edits files within the project.');
  }
  return inDefault(input);
}

function inAuto(input: StageInput): StageOutcome {
  const { prepared, facts, minimumVerdict } = input;
  if (minimumVerdict !== undefined) return ask(input, 'classifier', minimumVerdict.why, minimumVerdict.code);
  const runner = runnerOfDenied(prepared);
  if (runner !== undefined) return ask(input, 'classifier', runsDenied(runner), 'may-run-denied');
  if (facts.denials?.deniedBefore === true) {
    return deny(input, 'classifier', 'The same call was denied before in this session.', true);
  }
  const fact = facts.classifier;
  if (fact === undefined) {
    const { toolName, input: value } = prepared.call;
    return { kind: 'needs', need: { type: 'classifier', toolName, input: value }, why: 'a classifier is to be asked' };
  }
  if (fact.state === 'none')
    return ask(input, 'no_handler', 'No classifier is configured: a person decides.', 'no_classifier');
  if (fact.state === 'failed')
    return ask(input, 'classifier', 'The classifier gave no usable answer: a person decides.', 'classifier_failed');
  const { confidence, shouldBlock, reason } = fact.result;
  const sure = typeof confidence === 'number' && confidence >= MIN_CONFIDENCE && confidence <= 1;
  if (!sure || typeof shouldBlock !== 'boolean')
    return ask(input, 'classifier', 'The classifier is not sure: a person decides.', 'classifier_unsure');
  return shouldBlock
    ? deny(input, 'classifier', reason || 'The classifier blocked the call.', true)
    : allow(input, 'classifier', 'Allowed by the classifier.');
}

function inBubble(input: StageInput): StageOutcome {
  const { prepared, facts, minimumVerdict } = input;
  const { parent } = facts;
  if (parent === undefined) {
    const { toolName, input: value } = prepared.call;
    return { kind: 'needs', need: { type: 'parent', toolName, input: value }, why: "the parent's answer is wanted" };
  }
  if (parent.state === 'cycle')
    return deny(input, 'bubble', 'The agents above this session form a loop or are too many.', false);
  if (parent.state === 'none')
    return ask(input, 'bubble', 'The call is escalated to the parent, and there is none: a person decides.');
  const { message } = parent;
  switch (parent.verdict) {
    case 'deny':
      return deny(input, 'bubble', message ?? 'The parent agent denied the call.', true);
    case 'allow': {
      if (minimumVerdict !== undefined) return ask(input, 'bubble', minimumVerdict.why, minimumVerdict.code);
      // The parent has judged by its own rules: those of the child may deny what the text hides.
      const runner = runnerOfDenied(prepared);
      return runner === undefined
        ? allow(input, 'bubble', 'Allowed by the parent agent.', parent.effective)
        : ask(input, 'bubble', runsDenied(runner), 'may-run-denied');
    }
    case 'ask': {
      const escalated = ask(input, 'bubble', message ?? 'The parent agent asks a person.');
      return escalated.kind === 'decided' && parent.humanRequired
        ? { ...escalated, verdict: { ...escalated.verdict, humanRequired: true } }
        : escalated;
    }
    default:
      return decide({
        verdict: 'error',
        reason: 'bubble',
        source: 'mode_dispatch',
        code: 'parent_error',
        message: message ?? "The parent's answer is an error.",
      });
  }
}

function dispatch(mode: Mode, input: StageInput): StageOutcome {
  switch (mode) {
    case 'default':
      return inDefault(input);
    case 'acceptEdits':
      return inAcceptEdits(input);
    case 'auto':
      return inAuto(input);
    case 'bubble':
      return inBubble(input);
    case 'dontAsk': {
      const why = input.minimumVerdict?.why ?? uncoveredReason(input.coverage());
      return deny(input, 'dont_ask', `${why} This session asks nobody.`, false);
    }
    case 'plan':
      return input.minimumVerdict === undefined
        ? answer(input, 'allow', 'plan_mode', 'Allowed: plan mode lets reading pass.', { source: 'plan_mode' })
        : askHuman(input);
    case 'bypass': {
      if (input.minimumVerdict !== undefined) return askHuman(input);
      const runner = runnerOfDenied(input.prepared);
      return runner === undefined
        ? answer(input, 'allow', 'bypass', 'Allowed: no rule matches, and the session bypasses the question.', {
            source: 'bypass_mode',
          })
        : ask(input, 'handler', runsDenied(runner), 'may-run-denied');
    }
    default:
      mode satisfies never;
      return pass('an unknown mode');
  }
}

export const modeDispatchStage: Stage = {
  name: 'mode_dispatch',
  looked: 'what the mode does with a call that nothing decided',
  run: (input) => dispatch(input.mode, input),
};
