/** Declares a permission stage, its input and its outcomes: one stage a file, `pass` for "not mine". */
import type { PreparedCall } from '../call/prepared-call.ts';
import type { Coverage } from '../matching/coverage.ts';
import { maxSeverity } from '../model/severity.ts';
import type { StageName } from '../model/stages.ts';
import type { Decided, Mode, Need, SessionFacts, Severity } from '../model/types.ts';
import type { CompiledRule } from '../rules/compiled-rule.ts';
import type { MinimumVerdict } from './minimum-verdict.ts';

/** The coverage of the call by allow rules, as it would run. */
export type PrintedCoverage =
  | Exclude<Coverage, { kind: 'covered' }>
  | (Extract<Coverage, { kind: 'covered' }> & {
      /** The call runs with this input; absent if it runs as proposed. */
      readonly effective?: Readonly<Record<string, unknown>>;
    });

export interface StageInput {
  readonly prepared: PreparedCall;
  readonly facts: SessionFacts;
  /** The mode that counts: `bypass` is `default` while it is off. */
  readonly mode: Mode;
  readonly bypassOff: boolean;
  readonly minimumVerdict: MinimumVerdict | undefined;
  /** The coverage of the call by allow rules, computed with the first use. */
  coverage(): PrintedCoverage;
}

export type StageOutcome =
  | { readonly kind: 'decided'; readonly verdict: Decided; readonly why: string }
  | { readonly kind: 'pass'; readonly why: string }
  | { readonly kind: 'needs'; readonly need: Need; readonly why: string };

export interface Stage {
  readonly name: StageName;
  /** The facts that the stage examines, for `explain`. */
  readonly looked: string;
  run(input: StageInput): StageOutcome;
}

export function pass(why: string): StageOutcome {
  return { kind: 'pass', why };
}

export function decide(verdict: Decided, why = verdict.message): StageOutcome {
  return { kind: 'decided', verdict, why };
}

/** The higher of the tool's and the rule's, default medium. */
export function severityOf(prepared: PreparedCall, rule?: CompiledRule): Severity {
  return maxSeverity(prepared.entry.severity, rule?.input.severity) ?? 'medium';
}
