/** Reads the session rows of a command, by the options that such commands share. */
import type { Command } from 'commander';
import { type Io, throwUnread } from '../../support/io.ts';
import { agentNear, setting } from '../../support/settings.ts';

export interface ReadOptions {
  readonly agent?: string;
  readonly stateTable?: string;
  readonly limit?: string;
  readonly json?: boolean;
}

export const reading = (command: Command): Command =>
  command
    .option('--agent <name>', 'whose (default: COUNTERSIGN_AGENT, else the only agent of countersign.yaml)')
    .option('--state-table <name>', 'default: COUNTERSIGN_STATE_TABLE')
    .option('--json', 'print JSON');

/** Sessions that one request asks for. */
const PAGE = 1000;

export type OfAgent = Awaited<ReturnType<typeof sessionsOfAgent>>;

/** Prints what can be read. @throws what cannot after that: it must not hide the others. */
export async function withUnreadable(
  options: ReadOptions,
  io: Io,
  print: (sessions: OfAgent) => Promise<void>,
  pageSize?: number,
): Promise<void> {
  const sessions = await sessionsOfAgent(options, io, pageSize);
  await print(sessions);
  throwUnread(sessions.unreadable, 'session', 'sessions');
}

/**
 * The agent, and its sessions of which something is remembered, as they are read: the latest change first, as many as are taken. `unreadable` holds
 * the problems of those that cannot be read, by then.
 */
export async function sessionsOfAgent(options: ReadOptions, io: Io, pageSize = PAGE) {
  const stateTable = setting('COUNTERSIGN_STATE_TABLE', options.stateTable, io);
  const agent = await agentNear(options.agent, io);
  const [{ everySessionOf }, { isBlank }, { dynamo }] = await Promise.all([
    import('../../../adapters/dynamodb/sessions/session-store.ts'),
    import('../../../domain/session.ts'),
    import('../../support/clients.ts'),
  ]);
  const unreadable: unknown[] = [];
  const all = everySessionOf(await dynamo(), stateTable, agent, pageSize, (problem) => unreadable.push(problem));
  const remembered = async function* () {
    for await (const row of all) if (!isBlank(row)) yield row;
  };
  return { agent, rows: remembered(), unreadable };
}
