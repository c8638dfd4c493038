/**
 * Loads the shell parser with the first shell command.
 * In a file of its own: only functions that judge calls carry it.
 */
import { optimiseLate } from '../../shared/permissions/shell/optimise-late.ts';
import type { ShellParser } from '../../shared/permissions/shell/syntax/shell-parser.ts';
import { lazyAsync } from './lazy.ts';

export const shell = lazyAsync(async (): Promise<ShellParser> => {
  optimiseLate();
  const { loadShellParser } = await import('../../shared/permissions/shell/parser.ts');
  return loadShellParser();
});
