/** Decides a stream of calls, a line each, in order; a line that cannot be read has an answer too. */
import { createReadStream, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { orNearest } from '../../domain/text/nearest.ts';
import { MODES, parseMode } from '../../permissions/model/modes.ts';
import type { Mode } from '../../permissions/model/types.ts';
import { CliError, EXIT, type Io, withoutMark } from '../support/io.ts';
import { jsonProblem } from '../support/json-problem.ts';
import { agentOf, openPolicy } from '../support/settings.ts';
import { jsonLine } from '../support/terminal.ts';
import { type AuthorizedCall, authorizeOffline, misread, readInput, summaryOf } from './authorize-call.ts';
import { type CallOptions, modeNamed } from './one-call.ts';

/** Written in pieces of about this many characters. */
const PIECE = 64 * 1024;

/** Prints a line of JSON per line read. Resolves with the exit code. */
export async function checkBatch(file: string, options: CallOptions, io: Io): Promise<number> {
  const mode = await modeNamed(options.mode);
  const policy = await openPolicy(options.policy, io);
  const agents = Object.keys(policy.settings.agents);
  const path = resolve(io.cwd, file);
  const found = file === '-' ? undefined : statSync(path, { throwIfNoEntry: false });
  if (file !== '-' && !found) throw new CliError(`${file}: there is no such file`, EXIT.usage);
  if (found?.isDirectory()) throw new CliError(`${file}: is a folder, not a file`, EXIT.usage);
  const chunks = file === '-' ? io.stdin() : (createReadStream(path, 'utf8') as AsyncIterable<string>);
  // Without a name every line has to bring one.
  const fallback =
    agents.length === 1 || (options.agent ?? io.env['COUNTERSIGN_AGENT'])
      ? agentOf(options.agent, agents, io)
      : undefined;

  let code: number = EXIT.ok;
  let text = '';
  let number = 0;
  let calls = 0;
  for await (const given of linesOf(chunks)) {
    const line = number === 0 ? withoutMark(given) : given;
    number += 1;
    if (line.trim() === '') continue;
    calls += 1;
    const { id, authorized } = await answer(line);
    if (authorized.verdict === 'error') code = EXIT.error;
    text += jsonLine({ line: number, ...(id === undefined ? {} : { id }), ...summaryOf(authorized) });
    if (text.length >= PIECE) {
      io.out(text);
      text = '';
    }
  }
  io.out(text);
  // A pipe that broke before it looks like a policy that allows everything.
  if (!calls) throw new CliError(`${file}: holds no call`, EXIT.usage);
  return code;

  async function answer(line: string): Promise<{ readonly id?: unknown; readonly authorized: AuthorizedCall }> {
    const nobody = { toolName: '', agent: fallback ?? '', mode: mode ?? 'default' } as const;
    const read = readInput(line);
    if (!('value' in read))
      return { authorized: misread(nobody, { ...read, message: jsonProblem(line, read, 'the line') }) };
    const fields = read.value;
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      return { authorized: misread(nobody, { code: 'invalid_proposal', message: 'the line is not a JSON object' }) };
    }
    const { id, tool, agent = fallback, mode: own, ...rest } = fields as Record<string, unknown>;
    const about = { ...nobody, toolName: shown(tool ?? rest['toolName'] ?? '') };
    const fail = (message: string) => ({ id, authorized: misread(about, { code: 'invalid_proposal', message }) });
    if (agent === undefined) return fail(`agent: is missing; it is one of ${agents.join(', ')}`);
    if (typeof agent !== 'string' || !agents.includes(agent))
      return fail(`agent: ${shown(agent)} is none of ${agents.join(', ')}${orNearest(shown(agent), agents)}`);
    if (rest['calls'] !== undefined) return fail('calls: one call a line');
    if (tool !== undefined && rest['toolName'] !== undefined)
      return fail('tool: means the same as toolName: give one of them');
    // The mode of a line wins over the option, as an agent's own setting does over the default.
    const named = modeIn(own, mode);
    if (own !== undefined && named === undefined)
      return fail(
        `mode: ${shown(own)} is not a mode; the modes are ${MODES.join(', ')}${orNearest(shown(own), MODES)}`,
      );
    const call = tool === undefined ? rest : { ...rest, toolName: tool };
    return { id, authorized: await authorizeOffline({ agent, mode: named, fields: call }, policy, io.now()) };
  }
}

/** The mode that a line states, else the option's; undefined for a word that is no mode. */
function modeIn(own: unknown, option: Mode | undefined): Mode | undefined {
  if (own === undefined) return option;
  return typeof own === 'string' ? parseMode(own) : undefined;
}

/** A value that somebody wrote, short enough for a message. */
const shown = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value)).slice(0, 60);

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest) yield rest;
}
