/** Refuses a tool whose name no rule can have where it is declared: the gate would deny each of its calls. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { type Check, shown, text } from '../../domain/settings.ts';
import { isToolName, notAName } from '../../domain/tool-name.ts';

/** The name of a tool. @throws InvalidSettingError that names the setting */
export const toolName: Check = (name, setting) => {
  text(name, setting);
  if (isToolName(name)) return;
  const why = notAName(name);
  throw new InvalidSettingError(setting, `${shown(name)} is no name of a tool, and each call would be denied: ${why}`);
};
