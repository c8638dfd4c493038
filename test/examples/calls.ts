/**
 * Lists the proposals of the sample agent: one allowed, one denied, one for people.
 *
 * Rules allow the first and deny the second.
 */
import type { ProposedCall } from '../../shared/client/index.ts';

export const CALLS: readonly ProposedCall[] = [
  { toolName: 'Bash', input: { command: 'git status --short' }, title: 'Look at what changed' },
  { toolName: 'Bash', input: { command: 'rm -rf /' }, title: 'Clean up' },
  {
    toolName: 'Bash',
    input: { command: 'git push origin main' },
    title: 'Publish the fix',
    reason: 'The tests pass and the release is due.',
  },
];
