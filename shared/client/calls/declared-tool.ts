/** Refuses a tool where it is declared under a name that each call would be denied for. */
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
