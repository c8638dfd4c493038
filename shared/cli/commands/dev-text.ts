/** Words what `countersign dev` shows, and reads a changed policy file. */
import type { PolicyDocument } from '../../config/document.ts';
import { bold, CliError, type Io } from '../support/io.ts';
import { plain } from '../support/terminal.ts';

interface Introduced {
  /** The policy file, and where the gate runs. */
  readonly by: string;
  readonly page: string;
  /** The line before the files: tells what they make of a shell. */
  readonly whom: string;
  /** Env files, as paths for `source`. */
  readonly files: readonly string[];
}

export function introduction({ by, page, whom, files }: Introduced, io: Io): string {
  return `${bold('The gate runs', io)} by ${by}.

Answer as any person of the policy file at
  ${page}
  ${page}/side-by-side   several people in one window

${whom}
${files.map((file) => `  source ${file}`).join('\n')}

Ctrl-C ends it. Proposals and decisions:
`;
}

/** Reads the policy file again. A file with a mistake is told, and the gate goes on by the file of before. */
export function reloader(
  first: PolicyDocument,
  read: () => PolicyDocument,
  gate: { agents(): readonly string[]; usePolicy(document: PolicyDocument): void },
  { file, io, tell }: { readonly file: string; readonly io: Pick<Io, 'err'>; readonly tell: (line: string) => void },
): () => void {
  let version = first.policyVersion;
  return () => {
    try {
      const document = read();
      if (document.policyVersion === version) return;
      gate.usePolicy(document);
      version = document.policyVersion;
      tell(`${file} was read again; agents: ${gate.agents().join(', ')}`);
    } catch (error) {
      const lines = (error instanceof Error ? error.message : String(error)).split('\n');
      for (const line of lines) io.err(`countersign: ${plain(line)}\n`);
      io.err('countersign: the gate goes on by the policy file of before\n');
    }
  };
}

/** Says which option gives another port. */
export const orPortInUse =
  (port: number) =>
  (error: unknown): never => {
    throw (error as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE'
      ? new CliError(`--port: port ${port} is in use; end what listens there, or give another: --port 0 takes any`)
      : error;
  };

/** The local time of day. */
export const clock = (now: number): string => new Date(now).toTimeString().slice(0, 8);
