/**
 * Runs `countersign grants`: lists approvals for later, and takes them back.
 *
 * Each has its scope in words.
 */
import type { Command } from 'commander';
import type { SessionRow } from '../../contract/session.ts';
import { namesOfIds } from '../../domain/people-ids.ts';
import { activeGrants } from '../../domain/session.ts';
import type { Control } from '../../ports/stores/control.ts';
import { send } from '../operations/send-operation.ts';
import { bold, type Io } from '../support/io.ts';
import { setting, undeclaredAgents, warnOf } from '../support/settings.ts';
import { jsonLine, moment, plain, table } from '../support/terminal.ts';
import { type ChangeOptions, changing } from './sessions/session-change.ts';
import { type ReadOptions, reading, withUnreadable } from './sessions/session-read.ts';

export function addGrants(program: Command, io: Io): void {
  const grants = program.command('grants').helpCommand(false).summary('list approvals for later, or take one back');
  addList(grants, io);
  addRevoke(grants, io);
}

function addList(grants: Command, io: Io): void {
  const list = grants
    .command('list')
    .summary('list approvals for a session, and allow rules beside the policy file, of an agent')
    .description(
      'Lists what was given for later and holds now, with the id by which it is taken back. Needs the right to read it (grantAudit or grantOperate).',
    );
  reading(list).action((options: ReadOptions) =>
    withUnreadable(options, io, async ({ agent, rows, unreadable }) => {
      const control = await controlNow(options, io);
      const sessions: SessionRow[] = [];
      for await (const row of rows) sessions.push(row);
      const given = activeGrants(sessions, control, io.now());
      if (options.json) {
        for (const one of given) io.out(jsonLine(one));
        return warnOf(given.length ? '' : await undeclaredAgents([agent], io), io);
      }
      if (!given.length && unreadable.length) return;
      if (!given.length)
        return io.out(`Nothing is given for later to ${plain(`${agent}.${await undeclaredAgents([agent], io)}`)}\n`);
      const { namesNear } = await import('../support/call-names.ts');
      const { person: nameOf } = await namesNear(io);
      const cells = given.map(({ id, sessionId, what, toolName, pattern, by, expiresAt }) => [
        id,
        sessionId ?? 'every session',
        { call: `exactly one call of ${toolName}`, tool: `every call of ${toolName}`, rule: `allow ${pattern}` }[what],
        namesOfIds(by, nameOf),
        expiresAt === undefined ? 'taken back' : moment(expiresAt),
      ]);
      const headings = ['ID', 'SESSION', 'WHAT', 'BY', 'UNTIL'];
      io.out(table(headings, cells, io.columns, (text, _, line) => (line < 0 ? bold(text, io) : text)));
    }),
  );
}

/** Tells since when approvals for later count. */
async function controlNow(options: ReadOptions, io: Io): Promise<Control> {
  const [{ dynamoControlStore }, { dynamo }] = await Promise.all([
    import('../../adapters/dynamodb/sessions/control-store.ts'),
    import('../support/clients.ts'),
  ]);
  const state = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
  return dynamoControlStore(await dynamo(), { state, audit: '' }).read();
}

interface RevokeOptions extends ChangeOptions {
  readonly session?: string;
}

function addRevoke(grants: Command, io: Io): void {
  const revoke = grants
    .command('revoke')
    .summary('take one back')
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
