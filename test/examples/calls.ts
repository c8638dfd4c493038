/** Lists the proposals of the sample agent: a rule allows the first, a rule denies the second, people decide the third. */
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
