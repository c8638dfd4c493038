/**
 * Runs the Claude agent program in a home of its own.
 *
 * The model is played on loopback.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import type { Episode, ModelCall } from '../contract.ts';
import { fakeAnthropic } from './fake-anthropic.ts';

/** Each run has a home of its own, where no other one has taken this id. */
export const SESSION = '11111111-1111-4111-8111-111111111111';

/** The words of the program around those of a hook. */
export const refusalOf = (message: string, name: string): string => `PreToolUse:mcp__t__${name} hook error: ${message}`;

const homes: string[] = [];
/** Homes whose session ended with a deferred call: the program takes it up without a prompt. */
const suspended = new Set<string>();
export function removeHomes(): void {
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
}

function newHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'countersign-claude-'));
  homes.push(home);
  return home;
}

export interface ClaudeRun {
  /** Options of `query`: the hooks, and the mode of permissions. */
  readonly mode: object;
  /** The server of the tools. */
  readonly tools: object;
  readonly signal?: AbortSignal | undefined;
  /** The home of a session that is taken up again. Default: a new session in a new one. */
  readonly home?: string | undefined;
}

/** Environment of the program: its home, where its model is, and nothing of the network. */
export const settingsOf = (home: string, modelUrl: string) => ({
  HOME: home,
  CLAUDE_CONFIG_DIR: home,
  ANTHROPIC_BASE_URL: modelUrl,
  ANTHROPIC_API_KEY: 'none',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_TELEMETRY: '1',
  ENABLE_TOOL_SEARCH: 'false',
  // Without it the program refuses to bypass permissions for root, as containers run tests.
  IS_SANDBOX: '1',
  DISABLE_AUTOUPDATER: '1',
});

/** The calls are those that the model has yet to make. The state is the home, where the program keeps its sessions. */
export async function runClaude(calls: readonly ModelCall[], options: ClaudeRun): Promise<Episode> {
  const { mode, tools, signal, home = newHome() } = options;
  const api = await fakeAnthropic(calls.map(({ id, tool: name, input }) => ({ id, name: `mcp__t__${name}`, input })));
  const abortController = new AbortController();
  signal?.addEventListener('abort', () => abortController.abort(signal.reason));
  const env = { PATH: process.env['PATH'] ?? '', ...settingsOf(home, api.url) };
  const session = options.home === undefined ? { sessionId: SESSION } : { resume: SESSION };
  const shared = { cwd: home, env, settingSources: [], mcpServers: { t: tools }, abortController };
  const over = Promise.withResolvers<void>();
  const prompt = suspended.delete(home) ? silence(over.promise) : 'go';
  let waiting: readonly string[] = [];
  try {
    for await (const message of query({ prompt, options: { ...session, ...shared, ...mode } as never })) {
      if (message.type !== 'result') continue;
      if (message.subtype === 'success' && message.deferred_tool_use) waiting = [message.deferred_tool_use.id];
      break;
    }
    if (waiting.length) suspended.add(home);
    return { waiting, state: home, seen: api.seen() };
  } finally {
    over.resolve();
    api.close();
  }
}

/** No message: one that comes before people have answered has the program give the deferred call up. */
const silence = (over: Promise<void>): AsyncIterable<never> => ({
  [Symbol.asyncIterator]: () => ({ next: async () => over.then(() => ({ done: true, value: undefined })) }),
});
