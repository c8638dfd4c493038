/** Runs `countersign sessions`: shows an agent's sessions as the gate remembers them, and loosens one. */
import { type Command, Option } from 'commander';
import { mode as modes } from '../../../contract/primitives.ts';
import { EVERY_SESSION, type SessionRow } from '../../../contract/session.ts';
import { namesOfIds } from '../../../domain/people-ids.ts';
import { send } from '../../operations/send-operation.ts';
import { bold, CliError, EXIT, type Io, throwUnread } from '../../support/io.ts';
import { undeclaredAgents, warnOf } from '../../support/settings.ts';
import { jsonLine, moment, plain, table } from '../../support/terminal.ts';
import { type ChangeOptions, changing, scopeOf } from './session-change.ts';
import { type OfAgent, type ReadOptions, reading, sessionsOfAgent, withUnreadable } from './session-read.ts';
import { addSessionRules } from './session-rules.ts';

const SESSION = 'as the agent names it';

export function addSessions(program: Command, io: Io): void {
  const sessions = program
    .command('sessions')
    .helpCommand(false)
    .summary("show or change what is remembered of an agent's sessions");
  addList(sessions, io);
  addShow(sessions, io);
  addSetMode(sessions, io);
  addRevoke(sessions, io);
  addSessionRules(sessions, io);
}

function addList(sessions: Command, io: Io): void {
  const list = sessions
    .command('list')
    .summary('list the sessions of an agent, the latest change first')
    .description(
      'Lists the sessions of an agent, the latest change first: mode, denials, grants, rules and parent. Needs grantAudit or grantOperate.',
    );
  reading(list)
    .option('--limit <number>', 'how many, 1 to 1000', '50')
    .action(async (options: ReadOptions) => {
      const limit = Number(options.limit);
      if (!Number.isInteger(limit) || limit < 1 || limit > 1000)
        throw new CliError('--limit takes a number from 1 to 1000', EXIT.usage);
      const listed = async (found: OfAgent) => {
        const rows: SessionRow[] = [];
        for await (const row of found.rows) if (rows.push(row) >= limit) break;
        if (options.json) {
          for (const row of rows) io.out(jsonLine(row));
          return warnOf(rows.length ? '' : await undeclaredAgents([found.agent], io), io);
        }
        if (!rows.length && found.unreadable.length) return;
        if (!rows.length)
          return io.out(`Nothing is remembered of any session.${plain(await undeclaredAgents([found.agent], io))}\n`);
        const cells = rows.map((row) => [
          row.sessionId === EVERY_SESSION ? 'every session' : row.sessionId,
          row.mode ?? "the agent's",
          `${row.consecutive} in a row, ${row.total} in all`,
          String(row.grants.length),
          String(row.rules.length),
          row.parent ? `${row.parent.agentId} ${row.parent.sessionId}` : '',
          moment(row.updatedAt),
        ]);
        const headings = ['SESSION', 'MODE', 'DENIED', 'GRANTS', 'RULES', 'PARENT', 'CHANGED'];
        io.out(table(headings, cells, io.columns, (text, _, line) => (line < 0 ? bold(text, io) : text)));
      };
      return withUnreadable(options, io, listed, limit);
    });
}

function addShow(sessions: Command, io: Io): void {
  const show = sessions
    .command('show')
    .summary('show everything that is remembered of one session')
    .description(
      'Shows mode, rules, grants, refusals and the newest calls of one session, however long ago it changed. Needs grantAudit or grantOperate.',
    )
    .argument('<session>', SESSION);
  reading(show).action(async (sessionId: string, options: ReadOptions) => {
    const { agent, rows, unreadable } = await sessionsOfAgent(options, io);
    let row: SessionRow | undefined;
    for await (const one of rows) {
      if (one.sessionId !== sessionId) continue;
      row = one;
      break;
    }
    // The session may be one of those.
    if (!row) throwUnread(unreadable, 'session', 'sessions');
    if (!row) {
      const undeclared = await undeclaredAgents([agent], io);
      const missing = `nothing is remembered of the session ${sessionId} of ${agent}`;
      throw new CliError(undeclared ? `${missing}.${undeclared}` : missing, EXIT.failed);
    }
    if (options.json) return io.out(jsonLine(row));
    const { namesNear } = await import('../../support/call-names.ts');
    const { person: nameOf } = await namesNear(io);
    const lines: [string, string][] = [
      ['agent', row.agent],
      ['session', row.sessionId],
      ['mode', row.mode ?? "the agent's"],
      ['denied', `${row.consecutive} in a row, ${row.total} in all`],
      ['last denied', row.lastDeniedAt ? moment(row.lastDeniedAt) : 'never'],
      ['parent', row.parent ? `${row.parent.agentId} ${row.parent.sessionId}` : 'none'],
      ...row.rules.map(({ effect, pattern, source, expiresAt, by }): [string, string] => [
        `rule (${source})`,
        `${effect} ${pattern}, by ${by}${expiresAt ? `, until ${moment(expiresAt)}` : ''}`,
      ]),
      ...row.grants.map(({ toolName, scope, approvedBy, expiresAt }): [string, string] => [
        'grant',
        `${toolName}, ${scope === 'session' ? 'one exact call' : 'all calls'}, by ${namesOfIds(approvedBy, nameOf)}, until ${moment(expiresAt)}`,
      ]),
      ...row.refusals.map(({ by, reason, at }): [string, string] => [
        'refusal',
        `by ${namesOfIds(by, nameOf)}, ${moment(at)}${reason ? `: ${reason}` : ''}`,
      ]),
      ...row.recent.map(({ toolName, verdict, at }): [string, string] => [
        'call',
        `${toolName} ${verdict}, ${moment(at)}`,
      ]),
    ];
    io.out(table(['WHAT', ''], lines, io.columns, (text, column) => (column === 0 ? bold(text, io) : text)));
  });
}

function addSetMode(sessions: Command, io: Io): void {
  const setMode = sessions
    .command('set-mode')
    .summary('set the mode of one session, or of all of an agent; only an operator loosens it')
    .description(
      'Sets the mode of one session, or with --always of every session of the agent; the mode `agent` gives back what the policy file says. ' +
        'An agent names its sessions itself, and a mode of one session does not hold in another. Where both are set, the stricter holds. ' +
        'Goes through the operators queue; everybody who approves is told. An agent tightens by itself, with the mode of its message.',
    )
    .addHelpText(
      'after',
      `
Modes
  ${MODES.join(', ')}

Examples
  countersign sessions set-mode main acceptEdits --agent coder --reason 'release day'
  countersign sessions set-mode --always plan --agent coder --reason 'incident 42'`,
    )
    .argument('[session]', `${SESSION}; left out with --always`)
    .argument('[mode]', 'the new mode; agent gives it back')
    .option('--always', 'in every session of the agent');
  changing(setMode).action(
    async (first: string | undefined, second: string | undefined, given: ChangeOptions & { always?: boolean }) => {
      const { agent, reason, always, ...options } = given;
      const [session, mode] = always && second === undefined ? [undefined, first] : [first, second];
      if ((session === undefined) !== Boolean(always))
        throw new CliError('name a session, or give --always', EXIT.usage);
      if (mode === undefined || !MODES.includes(mode))
        throw new CliError(`the mode must be one of ${MODES.join(', ')}`, EXIT.usage);
      const wanted = { kind: 'set-mode', agent, ...(session === undefined ? {} : { session }), mode, reason };
      await send(wanted, `set the mode of ${agent} to ${mode}, ${scopeOf(session)}`, options, io);
    },
  );
}

const MODES: readonly string[] = [...modes.options, 'agent'];

function addRevoke(sessions: Command, io: Io): void {
  const revoke = sessions
    .command('revoke')
    .summary('take back what people approved for the rest of a session')
    .description(
      'Takes back every approval for the rest of a session, or those of one tool. Goes through the operators queue; ' +
        'everybody who approves is told.',
    )
    .argument('<session>', SESSION)
    .addOption(new Option('--tool <name>', 'only of this tool'));
  changing(revoke).action(async (session: string, { agent, reason, tool, ...options }: ChangeOptions) => {
    const what = `revoke what was approved for ${agent}, session ${session}${tool ? `, tool ${tool}` : ''}`;
    await send({ kind: 'revoke', agent, session, reason, ...(tool ? { tool } : {}) }, what, options, io);
  });
}
