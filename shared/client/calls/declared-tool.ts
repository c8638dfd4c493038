/** Refuses a tool where it is declared under a name that each call would be denied for. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { shown, text } from '../../domain/settings.ts';
import { isToolName, notAName } from '../../domain/tool-name.ts';

/** The name itself. @throws InvalidSettingError that names the setting */
export function toolName(name: string, setting: string): string {
  text(name, setting);
  if (isToolName(name)) return name;
  const why = notAName(name);
  throw new InvalidSettingError(setting, `${shown(name)} is no name of a tool, and each call would be denied: ${why}`);
}
