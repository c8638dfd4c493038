/** Starts MCP servers as child processes, and waits before it starts one again that keeps ending. */
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { executionError, type GuardrailError } from '../../guardrails/settings/errors.ts';
import type { McpLink } from './mcp-session.ts';
import { MAX_ANSWER_BYTES } from './output.ts';
import { ProgramAnswers } from './program-answers.ts';

/** The program of one server, without references. */
interface ServerProgram {
  readonly command: string;
  readonly args: readonly string[];
  /** Beside the variables that the SDK holds safe. */
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. */
  readonly cwd: string;
}

interface ProgramParts {
  readonly now: () => number;
  /** Told of each line that a server writes beside its answers: never part of a result. */
  readonly told: (line: string) => void;
}

/** A server that ran for so long is not one that keeps ending. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** The SDK asks a program to end for four seconds; clients of the gateway wait no longer for the gateway itself. */
const KILL_AFTER_MS = 3_000;
const MAX_LINE = 2_000;

/** Processes that run. The end of this process takes them along, whatever it was in the middle of. */
const RUNNING = new Set<number>();
process.on('exit', () => RUNNING.forEach(kill));

/** Each connection is a process of its own; the pauses between starts are the server's. */
export function overProgram(server: string, program: ServerProgram, { now, told }: ProgramParts): McpLink {
  let [failures, notBefore] = [0, 0];
  const failed = (startedAt: number) => {
    failures = now() - startedAt < STEADY_MS ? failures + 1 : 1;
    // After its first end it is started again at once.
    notBefore = failures > 1 ? now() + Math.min(FIRST_PAUSE_MS * 2 ** (failures - 2), MAX_PAUSE_MS) : 0;
  };
  return {
    server,
    connect: async () => {
      const pauseS = Math.ceil((notBefore - now()) / 1_000);
      if (pauseS > 0) throw away(server, `it keeps ending, and is not started again before ${pauseS} s are over`);
      const startedAt = now();
      return new ProgramTransport(server, program, { told, failed: () => failed(startedAt) }) as Transport;
    },
  };
}

function away(server: string, why: string, cause?: unknown): GuardrailError {
  const message = `The MCP server ${server} is away: ${why}. The call was not run.`;
  return executionError(message, { code: 'ServerAway', transient: true, effect: 'failed', cause });
}

interface TransportParts extends Pick<ProgramParts, 'told'> {
  /** Told once of a process that ended by itself, or never began. */
  readonly failed: () => void;
}

class ProgramTransport extends StdioClientTransport {
  readonly #server: string;
  readonly #command: string;
  readonly #told: (line: string) => void;
  readonly #failed: () => void;
  #startedPid: number | undefined;
  #isOver = false;

  constructor(server: string, { args, ...program }: ServerProgram, { told, failed }: TransportParts) {
    super({ ...program, args: [...args], stderr: 'pipe' });
    this['_readBuffer'] = new ProgramAnswers(MAX_ANSWER_BYTES);
    this.#server = server;
    this.#command = program.command;
    this.#told = told;
    this.#failed = failed;
    this.stderr?.on('data', linesTo(told));
    // The SDK's client calls it before its own.
    this.onclose = () => {
      RUNNING.delete(this.#startedPid ?? 0);
      this.#over();
    };
  }

  override async start(): Promise<void> {
    try {
      await super.start();
    } catch (cause) {
      this.#over();
      // The words name paths of this machine: they are for whoever runs it.
      const words = cause instanceof Error ? cause.message : String(cause);
      this.#told(this.#command.includes(' ') ? `${words}: arguments of a command belong into args` : words);
      throw away(this.#server, 'its program cannot be started', cause);
    }
    this.#startedPid = this.pid ?? undefined;
    if (this.#startedPid !== undefined) RUNNING.add(this.#startedPid);
  }

  override async close(): Promise<void> {
    this.#isOver = true;
    const pid = this.#startedPid;
    const stubborn = setTimeout(() => pid !== undefined && RUNNING.has(pid) && kill(pid), KILL_AFTER_MS);
    await super.close().finally(() => clearTimeout(stubborn));
  }

  #over(): void {
    if (!this.#isOver) this.#failed();
    this.#isOver = true;
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended already.
  }
}

/** A line without an end, or a last one, is told of in parts. */
function linesTo(told: (line: string) => void): (chunk: Buffer) => void {
  let rest = '';
  return (chunk) => {
    const lines = (rest + String(chunk)).split(/\r?\n/);
    rest = lines.pop() ?? '';
    if (rest.length > MAX_LINE) lines.push(rest);
    if (rest.length > MAX_LINE) rest = '';
    for (const line of lines) if (line) told(line.slice(0, MAX_LINE));
  };
}
