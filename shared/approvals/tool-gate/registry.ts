/** Holds tools by name. A later one of the same name wins, with a warning. */
import type { AgentTool } from './tool.ts';

/** The tools of a `ToolExecutor`, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, AgentTool>();

  constructor(
    tools: readonly AgentTool[],
    warn: (message: string) => void = (message) => process.emitWarning(message),
  ) {
    for (const tool of tools) {
      if (this.#tools.has(tool.name)) warn(`tool '${tool.name}' is registered twice; the later one is used`);
      this.#tools.set(tool.name, tool);
    }
  }

  list(): readonly AgentTool[] {
    return [...this.#tools.values()];
  }

  get(name: string): AgentTool | undefined {
    return this.#tools.get(name);
  }
}
