/** Puts every way to register a tool of an MCP server, or to change one, behind the gate. */
import { InvalidSettingError } from '../../domain/errors.ts';
import { fn } from '../../domain/settings.ts';
import { toolName } from '../calls/declared-tool.ts';
import { assignedBehind, type Handler, type RunFields } from './mcp-assigned.ts';

/** An `McpServer` of any generation of the SDK. */
export interface ToolServer {
  // biome-ignore lint/suspicious/noExplicitAny: the overloads of two generations of the SDK
  registerTool: any;
}

/** A registered tool, with the fields that the gate reads. */
interface RegisteredTool extends RunFields {
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  update(changes: { readonly name?: string | null; readonly callback?: Handler }): void;
}

/** Parts of the older generation that the newer one lacks. */
interface OlderServer {
  tool?: (...given: unknown[]) => RegisteredTool;
  readonly experimental?: { readonly tasks?: { registerToolTask?: (tool: string) => never } };
}

/** A tool may be renamed, and given other schemas, while the server runs. One object stands for it. */
export interface Tool {
  name(): string;
  schemas(): Pick<RegisteredTool, 'inputSchema' | 'outputSchema'>;
}

/** Makes the handler that the server gets. */
type Gating = (tool: Tool, handler: Handler) => Handler;

/** Changes the server's own methods. */
export function registerBehind(server: ToolServer, gating: Gating): void {
  const behind = (tool: string, handler: Handler, register: (gated: Handler) => RegisteredTool): RegisteredTool => {
    toolName(tool, 'name');
    fn(handler, 'callback');
    let name = tool;
    const known: Tool = { name: () => name, schemas: () => registered };
    const own = new WeakSet<Handler>();
    const gated = (given: Handler): Handler => {
      if (own.has(given)) return given;
      const behindGate = gating(known, given);
      own.add(behindGate);
      return behindGate;
    };
    const registered = register(gated(handler));
    const writing = assignedBehind(registered, gated);
    const update = registered.update.bind(registered);
    registered.update = (changes) => {
      if (typeof changes.name === 'string') {
        toolName(changes.name, 'name');
        name = changes.name;
      }
      const { callback } = changes;
      writing(() => update(callback === undefined ? changes : { ...changes, callback: gated(callback) }));
    };
    return registered;
  };
  const register = server.registerTool.bind(server);
  server.registerTool = (tool: string, config: object, handler: Handler) =>
    behind(tool, handler, (gated) => register(tool, config, gated));

  const older = server as OlderServer;
  const { tool: add } = older;
  if (add)
    older.tool = (...given) =>
      behind(given[0] as string, given.at(-1) as Handler, (gated) => add.call(server, ...given.slice(0, -1), gated));
  const { tasks } = older.experimental ?? {};
  if (tasks)
    tasks.registerToolTask = (tool) => {
      throw new InvalidSettingError(
        'server',
        `cannot put ${tool} behind the gate: it runs as a task. Use registerTool`,
      );
    };
}
