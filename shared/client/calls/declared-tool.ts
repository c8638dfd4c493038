/** Refuses a tool where it is declared: by a name that no call may have, or that would run too late. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { isToolName, notAName } from '../../domain/proposal/tool-name.ts';
import { fn, record, shown, text } from '../../domain/settings.ts';

/** The name itself. @throws InvalidSettingError that names the setting */
export function toolName(name: string, setting: string): string {
  text(name, setting);
  if (isToolName(name)) return name;
  const why = notAName(name);
  throw new InvalidSettingError(setting, `${shown(name)} is no name of a tool, and each call would be denied: ${why}`);
}

/** A generator begins once somebody reads it: its run would be over, and reported as a success. */
export const mayRun = (run: unknown): run is (...given: never[]) => unknown =>
  typeof run === 'function' && !Object.prototype.toString.call(run).endsWith('GeneratorFunction]');

/** @throws InvalidSettingError */
export function toolFunction(run: unknown, setting: string): void {
  fn(run, setting);
  if (mayRun(run)) return;
  const next = 'give a function that returns the whole output';
  throw new InvalidSettingError(setting, `is a generator, which would begin after its run is reported: ${next}`);
}

/** An output that is a generator has done nothing yet, and would be a success. @throws InvalidSettingError */
export function begun<Output>(output: Output): Output {
  if (!/^\[object (?:Async)?Generator\]$/.test(Object.prototype.toString.call(output))) return output;
  throw new InvalidSettingError('tool', 'returned a generator, which has not begun: return the whole output');
}

/** Checks the names of tools; those without an `execute` run elsewhere and are left out. @throws InvalidSettingError */
export function toolNames(tools: Readonly<Record<string, { readonly execute?: unknown }>>, setting: string): void {
  record(tools, setting);
  for (const [name, tool] of Object.entries(tools)) {
    record(tool, `${setting}.${name}`);
    // The AI SDK, too, takes null for none.
    if (tool.execute === undefined || tool.execute === null) continue;
    fn(tool.execute, `${setting}.${name}.execute`);
    toolName(name, setting);
  }
}
