/** Finds hooks that are never asked, because no call names their tool as they spell it. */
import type { PolicyDocument } from '../../config/document.ts';
import type { ToolRegistry } from '../../permissions/model/tools.ts';
import { toolWarnings } from '../../permissions/rules/rule-warnings.ts';

interface About {
  readonly code: string;
  readonly where: string;
  readonly message: string;
  readonly suggestion?: string | undefined;
}

/** A rule with a misspelt tool is reported; a hook that is meant to guard the tool matters as much. */
export const hookedTools = ({ policy }: PolicyDocument, tools: ToolRegistry): About[] =>
  Object.entries(policy.hooks).flatMap(([name, hook]) =>
    hook.tools.flatMap((tool) => toolWarnings(tool, tools).map((warning) => ({ ...warning, where: `hooks.${name}` }))),
  );
