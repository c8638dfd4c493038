/** `countersign grants`: what people approved for later, each with its scope in words, and taking it back (D22, D36). */
import type { Command } from 'commander';
import { givenIn } from '../../domain/session.ts';
import { bold, type Io } from '../io.ts';
import { send } from '../send-operation.ts';
import { jsonLine, moment, table } from '../terminal.ts';
import { type ChangeOptions, changing } from './session-change.ts';
import { type ReadOptions, reading, sessionsOfAgent } from './session-read.ts';

export function addGrants(program: Command, io: Io): void {
  const grants = program
    .command('grants')
    .helpCommand(false)
    .summary('what people approved for later, and taking it back');
  addList(grants, io);
  addRevoke(grants, io);
}

function addList(grants: Command, io: Io): void {
  const list = grants
    .command('list')
    .summary('what holds now of an agent: approvals for a session, and allow rules besides the policy file')
    .description(
      'Lists what was given for later and holds now, with the id by which it is taken back. Needs the right to read it (grantAudit or grantOperate).',
    );
  reading(list).action(async (options: ReadOptions) => {
    const { agent, rows } = await sessionsOfAgent(options, io);
    const given: ReturnType<typeof givenIn>[number][] = [];
    for await (const row of rows) given.push(...givenIn(row, io.now()));
    if (options.json) {
      for (const one of given) io.out(jsonLine(one));
      return;
    }
    if (!given.length) return io.out(`Nothing is given for later to ${agent}.\n`);
    const cells = given.map(({ id, sessionId, what, toolName, pattern, by, expiresAt }) => [
      id,
      sessionId ?? 'every session',
      { call: `exactly one call of ${toolName}`, tool: `every call of ${toolName}`, rule: `allow ${pattern}` }[what],
      by,
      expiresAt === undefined ? 'taken back' : moment(expiresAt),
    ]);
    const headings = ['ID', 'SESSION', 'WHAT', 'BY', 'UNTIL'];
    io.out(table(headings, cells, io.columns, (text, _, line) => (line < 0 ? bold(text, io) : text)));
  });
}

interface RevokeOptions extends ChangeOptions {
  readonly session?: string;
}

function addRevoke(grants: Command, io: Io): void {
  const revoke = grants
    .command('revoke')
    .summary('take one of them back')
    .description(
      'Takes back one grant, by the id that `list` shows. Goes through the operators queue; everybody who approves is told.',
    )
    .argument('<id>', '12 hex digits')
    .option('--session <name>', 'the session that it is given in; without it, what holds in every session');
  changing(revoke).action(async (grant: string, { agent, session, reason, ...options }: RevokeOptions) => {
    const where = session === undefined ? {} : { session };
    const what = `revoke the grant ${grant} of ${agent}, ${session ?? 'every session'}`;
    await send({ kind: 'revoke', agent, ...where, grant, reason }, what, options, io);
  });
}
