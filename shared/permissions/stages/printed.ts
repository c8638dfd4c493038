/** Has an allow rule cover the command as printed, for tools that run the printed one. */
import { unstorableIn } from '../../domain/record/storable-input.ts';
import { type PreparedCall, prepareCall } from '../call/prepared-call.ts';
import { commandsOf } from '../matching/command-matching.ts';
import { coverage } from '../matching/cover.ts';
import type { Coverage } from '../matching/coverage.ts';
import { firingRules } from '../matching/match.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import { minimumVerdictOf } from './minimum-verdict.ts';
import { protectedPathsStage } from './protected-paths.ts';
import type { PrintedCoverage, StageInput } from './stage.ts';

const UNPRINTABLE = 'no rule covers a command that cannot be printed so that every shell reads it alike';
const UNSTORABLE =
  'no rule covers a command beside arguments that no row can hold, because printed commands are recorded';
const SECRET = 'no rule covers a command with what looks like a secret, because printed commands are recorded';

/** `isAllowed` judges the printed command like any other: it may be covered only if it is allowed itself. */
function printedCoverage(
  covered: Coverage,
  prepared: PreparedCall,
  isAllowed: (printed: PreparedCall) => boolean,
): PrintedCoverage {
  const { call, entry, listed, input, shell } = prepared;
  if (covered.kind !== 'covered' || entry.canonical !== true || shell === undefined || call.shell === undefined)
    return covered;
  if (call.mayPrint === false) return { kind: 'not-covered', why: SECRET };
  const { canonicalCommand, isSameReading } = commandsOf(prepared);
  const command = canonicalCommand(shell.text, call.shell);
  if (command === undefined) return { kind: 'not-covered', why: UNPRINTABLE };
  if (command === shell.text) return covered;
  const effective = { ...input, command };
  if (unstorableIn(effective)) return { kind: 'not-covered', why: UNSTORABLE };
  const printed = prepareCall({ ...call, input: effective }, { kind: listed ? 'listed' : 'unlisted', entry });
  const isSame = printed.shell !== undefined && isSameReading(shell, printed.shell);
  return isSame && isAllowed(printed) ? { ...covered, effective } : { kind: 'not-covered', why: UNPRINTABLE };
}

type LookInput = Omit<StageInput, 'coverage'>;

/** The coverage of the call by allow rules, as it would run. */
export function coverageOf(input: LookInput): PrintedCoverage {
  const { prepared, facts, minimumVerdict } = input;
  const found = coverage(prepared, facts.now);
  if (found.kind !== 'covered' || minimumVerdict !== undefined) return found;
  return printedCoverage(found, prepared, (printed) => allowsPrinted(printed, found.rule, input));
}

/** A printed command is looked at as if it had been proposed; only a rule that names the whole proposed text need not name it. */
function allowsPrinted(printed: PreparedCall, rule: CompiledRule, { prepared, facts, ...rest }: LookInput): boolean {
  const { parsed } = rule;
  const isWhole =
    parsed.kind === 'command' && parsed.command.form === 'exact' && parsed.command.text === prepared.shell?.text.trim();
  return (
    protectedPathsStage.run({ ...rest, facts, prepared: printed, coverage: () => ({ kind: 'none' }) }).kind ===
      'pass' &&
    minimumVerdictOf(printed, facts.now) === undefined &&
    firingRules('deny', printed, facts.now).length === 0 &&
    firingRules('ask', printed, facts.now).length === 0 &&
    (isWhole || coverage(printed, facts.now).kind === 'covered')
  );
}
