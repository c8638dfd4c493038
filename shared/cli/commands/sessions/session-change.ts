/** Declares the options of every change of a session: the session and the reason. */
import type { Command } from 'commander';
import type { SendOptions } from '../../operations/operation-options.ts';
import { sending } from '../../operations/send-operation.ts';

export interface ChangeOptions extends SendOptions {
  readonly agent: string;
  readonly reason: string;
  readonly tool?: string;
}

export const changing = (command: Command): Command =>
  telling(command.requiredOption('--agent <name>', 'whose session'));

/** For whatever goes through the operators queue. */
export const telling = (command: Command): Command =>
  sending(command.requiredOption('--reason <text>', 'why; it is in the record and in the announcement'));

/** Where a change holds, in words: an agent chooses the names of its sessions, and nobody should take one for all. */
export const scopeOf = (session: string | undefined): string =>
  session === undefined
    ? 'in every session of the agent'
    : `in session ${session} alone (the agent may open another; --always is for all of them)`;
