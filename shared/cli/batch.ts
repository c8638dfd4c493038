/** Decides a stream of calls, a line each, in order; a line that cannot be read has an answer too. */
import { createReadStream, existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { modeOf } from '../permissions/modes.ts';
import { CliError, EXIT, type Io } from './io.ts';
import { type Judged, judgeCall, misread, readInput, summaryOf } from './judge-call.ts';
import { type CallOptions, modeNamed } from './one-call.ts';
import { agentOf, openPolicy } from './settings.ts';
import { jsonLine } from './terminal.ts';

/** Written in pieces of about this many characters. */
const PIECE = 64 * 1024;

/** Prints a line of JSON per line read. Resolves with the exit code. */
export async function checkBatch(file: string, options: CallOptions, io: Io): Promise<number> {
  const mode = await modeNamed(options.mode);
  const policy = await openPolicy(options.policy, io);
  const agents = Object.keys(policy.settings.agents);
  const path = resolve(io.cwd, file);
  if (file !== '-' && !existsSync(path)) throw new CliError(`${file}: there is no such file`, EXIT.usage);
  const chunks = file === '-' ? io.stdin() : (createReadStream(path, 'utf8') as AsyncIterable<string>);
  // Without a name every line has to bring one.
  const fallback =
    agents.length === 1 || (options.agent ?? io.env['COUNTERSIGN_AGENT'])
      ? agentOf(options.agent, agents, io)
      : undefined;

  let code: number = EXIT.ok;
  let text = '';
  let number = 0;
  for await (const line of linesOf(chunks)) {
    number += 1;
    if (line.trim() === '') continue;
    const { id, judged } = await answer(line);
    if (judged.verdict === 'error') code = EXIT.error;
    text += jsonLine({ line: number, ...(id === undefined ? {} : { id }), ...summaryOf(judged) });
    if (text.length >= PIECE) {
      io.out(text);
      text = '';
    }
  }
  io.out(text);
  return code;

  async function answer(line: string): Promise<{ readonly id?: unknown; readonly judged: Judged }> {
    const nobody = { toolName: '', agent: fallback ?? '', mode: mode ?? 'default' } as const;
    const read = readInput(line);
    if (!('value' in read)) return { judged: misread(nobody, read) };
    const fields = read.value;
    if (typeof fields !== 'object' || fields === null || Array.isArray(fields)) {
      return { judged: misread(nobody, { code: 'invalid_proposal', message: 'the line is not a JSON object' }) };
    }
    const { id, tool, agent = fallback, mode: own, ...rest } = fields as Record<string, unknown>;
    const fail = (message: string) => ({ id, judged: misread(nobody, { code: 'invalid_proposal', message }) });
    if (typeof agent !== 'string' || !agents.includes(agent)) return fail(`agent: is none of ${agents.join(', ')}`);
    if (rest['calls'] !== undefined) return fail('calls: one call a line');
    if (tool !== undefined && rest['toolName'] !== undefined)
      return fail('tool: means the same as toolName: give one of them');
    // What a line says wins over the option, as an agent's own setting does over the default.
    const named = own === undefined ? mode : typeof own === 'string' ? modeOf(own) : undefined;
    if (own !== undefined && named === undefined) return fail('mode: is not a mode');
    const call = tool === undefined ? rest : { ...rest, toolName: tool };
    return { id, judged: await judgeCall({ agent, mode: named, fields: call }, policy, io.now()) };
  }
}

async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest) yield rest;
}
