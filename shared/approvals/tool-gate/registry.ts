/** The tools by name. Of two of one name the later is used, with a warning: shadowing should be seen. */
import type { Tool } from './tool.ts';

/** The tools of a `ToolExecutor`, by name. */
export class ToolRegistry {
  readonly #tools = new Map<string, Tool>();

  constructor(tools: readonly Tool[], warn: (message: string) => void = (message) => process.emitWarning(message)) {
    for (const tool of tools) {
      if (this.#tools.has(tool.name)) warn(`tool '${tool.name}' is registered twice; the later one is used`);
      this.#tools.set(tool.name, tool);
    }
  }

  get(name: string): Tool | undefined {
    return this.#tools.get(name);
  }
}
