/** Runs stage 2: plan mode denies what writes, executes or is sensitive, and unlisted tools. */
import { decide, pass, type Stage, severityOf } from './stage.ts';

export const planStage: Stage = {
  name: 'plan_mode',
  looked: "the tool's permissions",
  run({ prepared, mode }) {
    if (mode !== 'plan') return pass('the mode is not plan');
    const forbidden = prepared.entry.permissions.find((each) => !HARMLESS.has(each));
    const why = !prepared.listed
      ? 'a tool that is not listed'
      : forbidden === undefined
        ? undefined
        : `a tool with ${forbidden}`;
    if (why === undefined) return pass('reading only; the rules go on');
    return decide({
      verdict: 'deny',
      reason: 'plan_mode',
      source: 'plan_mode',
      code: 'plan_mode',
      message: `Plan mode is read-only: ${why} does not run.`,
      severity: severityOf(prepared),
    });
  },
};

const HARMLESS: ReadonlySet<string> = new Set(['Read', 'Network']);
