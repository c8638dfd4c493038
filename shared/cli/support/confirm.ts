/** Asks the operator at the terminal before what cannot be taken back is sent. */
import { CliError, type Io } from './io.ts';

/** Resolves once they have agreed. @throws CliError for every answer but yes */
export async function confirm(question: string, io: Io): Promise<void> {
  const { StreamTerminal } = await import('../../approvals/askers/terminal.ts');
  io.out(`${question} [y/N] `);
  const answer = await new StreamTerminal(io.stdin(), { write: io.out }).readLine();
  if (!/^y(es)?$/i.test(answer?.trim() ?? '')) throw new CliError('not sent');
}
