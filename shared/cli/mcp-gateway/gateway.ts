/** Puts the tools of MCP servers behind the gate, for one client of the gateway. */
import { randomUUID } from 'node:crypto';
import { toolGone } from '../../adapters/targets/mcp.ts';
import type { McpDefinition, McpInput, McpLink } from '../../adapters/targets/mcp-session.ts';
import type { CountersignClient } from '../../client/client.ts';
import type { RunGuard } from '../../client/guard.ts';
import { fittingEdit } from '../../client/integrations/common/checked-edit.ts';
import { readableSchema } from '../../client/integrations/common/json-schema.ts';
import { misfit } from '../../client/integrations/common/misfit.ts';
import { answerCall, refused, type ToolResult } from '../../client/integrations/mcp-call.ts';
import { newMemory } from '../../client/integrations/mcp-memory.ts';
import { roundOf } from '../../client/integrations/mcp-rounds.ts';
import { serverOf } from '../../config/readers/tool-origin.ts';
import type { PolicyFile } from '../../config/schema/policy-file.ts';
import type { Duration } from '../../domain/duration.ts';
import { answerTo } from '../serve/problems.ts';
import { inItsWords, noServer } from './failures.ts';
import { definitionProblem } from './servers.ts';
import { type Listed, Upstream } from './upstream.ts';

interface GatewayParts {
  readonly client: Pick<CountersignClient, 'guard'>;
  readonly links: readonly McpLink[];
  /** The policy file, which pins the tools. */
  readonly settings: Pick<PolicyFile, 'tools'>;
  /** How long one request is held while people are asked. */
  readonly hold: Duration;
  /** Told of errors, and of tools that changed. */
  readonly report: (error: unknown) => void;
}

/** A tool as the client lists it. */
type ListedTool = Readonly<Record<string, unknown>> & { readonly name: string };

/** The names of a client's tools are those of the policy file without `mcp__`: `<server>__<tool>`. */
export class Gateway {
  readonly #parts: GatewayParts;
  readonly #guard: RunGuard;
  readonly #upstreams: ReadonlyMap<string, Upstream>;
  readonly #memory = newMemory();
  readonly #running = new Set<Promise<ToolResult>>();

  constructor(parts: GatewayParts) {
    const session = `mcp-${randomUUID()}`;
    this.#parts = parts;
    this.#guard = parts.client.guard({ run: session, sessionId: session });
    this.#upstreams = new Map(parts.links.map((link) => [link.server, new Upstream(link)]));
  }

  /** The tools that the policy file lists with these definitions. Others, and a server that cannot be reached, are left out and told of. */
  async list(): Promise<ListedTool[]> {
    const { report, settings } = this.#parts;
    const all = [...this.#upstreams].map(async ([server, upstream]) => {
      const definitions = await upstream
        .listed(async (listed) => listed.definitions)
        .catch((error: unknown) => {
          report(error);
          return [];
        });
      return definitions.flatMap((definition) => {
        const name = `${server}__${definition.name}`;
        const problem = definitionProblem(settings, `mcp__${name}`, definition);
        if (!problem) return [{ ...definition.declared, name }];
        report(new Error(`${name} is left out: ${problem.message}`));
        return [];
      });
    });
    return (await Promise.all(all)).flat();
  }

  /** Never rejects: a failure is a result that the model reads. A call that is aborted is withdrawn. */
  async call(name: string, input: McpInput, signal: AbortSignal): Promise<ToolResult> {
    const call = this.#call(`mcp__${name}`, input, signal);
    this.#running.add(call);
    return call.finally(() => this.#running.delete(call));
  }

  async #call(tool: string, input: McpInput, signal: AbortSignal): Promise<ToolResult> {
    try {
      const definition = await this.#found(tool, async (found) => found);
      const { inputSchema, outputSchema } = definition.declared;
      // Nobody need be asked about a call that its server would refuse.
      const problem = await misfit(await readableSchema(inputSchema), input);
      if (problem !== undefined) return refused(problem);
      const hasOutputSchema = outputSchema !== undefined;
      const round = roundOf(undefined, { tool, input, hasOutputSchema }, randomUUID, this.#memory);
      return await answerCall(
        this.#guard,
        { tool, input },
        async (exact, context) =>
          // People may have taken hours: the definition is looked at again, in the session that is called.
          this.#found(tool, async ({ name }, { call }) => {
            const meta = { idempotencyKey: context.idempotencyKey };
            return (await call(name, exact, meta, context.signal).catch(inItsWords)) as ToolResult;
          }),
        { round, signal, timeout: this.#parts.hold, readEdit: (edit) => fittingEdit(inputSchema, edit) },
      );
    } catch (error) {
      const { status, problem } = answerTo(error);
      if (status >= 500 && !signal.aborted) this.#parts.report(error);
      return refused(problem.message);
    }
  }

  /** Withdraws the calls that the client was to come again for, and ends the sessions with the servers. Calls under way are aborted before. */
  async close(): Promise<void> {
    // At once, each without the others: a gate that hangs leaves no program behind, and a server that hangs holds up no withdrawal.
    const ended = this.#told([...this.#upstreams.values()].map((one) => one.close()));
    const withdrawn = this.#withdraw();
    await Promise.allSettled(this.#running);
    // One of them may have been told to come again meanwhile.
    await Promise.all([ended, withdrawn, this.#withdraw()]);
  }

  #withdraw(): Promise<void> {
    const callIds = [...this.#memory.pending.keys()];
    this.#memory.pending.clear();
    return this.#told(callIds.map((callId) => this.#guard.withdraw({ callId })));
  }

  /** Resolves once all have ended, and tells of those that failed. */
  async #told(work: readonly Promise<unknown>[]): Promise<void> {
    for (const ended of await Promise.allSettled(work))
      if (ended.status === 'rejected') this.#parts.report(ended.reason);
  }

  /** @throws GuardrailError for a tool that its server does not have, or whose definition the policy file does not list */
  async #found<Value>(
    tool: string,
    work: (definition: McpDefinition, listed: Listed) => Promise<Value>,
  ): Promise<Value> {
    const server = serverOf(tool);
    const upstream = server === undefined ? undefined : this.#upstreams.get(server);
    if (server === undefined || !upstream) throw noServer(tool, [...this.#upstreams.keys()]);
    return upstream.listed(async (listed) => {
      const definition = listed.definitions.find(({ name }) => tool === `mcp__${server}__${name}`);
      if (!definition) throw toolGone(server, tool.slice(`mcp__${server}__`.length));
      const problem = definitionProblem(this.#parts.settings, tool, definition);
      if (problem) throw problem;
      return work(definition, listed);
    });
  }
}
