/** `countersign policy`: the policy file checked, linted, tested, and its schema for editors. */
import type { Command } from 'commander';
import type { PolicyDocument } from '../../config/document.ts';
import { colored, EXIT, type Io } from '../io.ts';
import { DEFAULT_POLICY } from '../settings.ts';
import { jsonLine, plain } from '../terminal.ts';

const HINT = 'give it as an argument';

export function addPolicy(program: Command, io: Io, exit: (code: number) => void): void {
  const policy = program
    .command('policy')
    .helpCommand(false)
    .summary('check, lint or test a policy file')
    .description(
      'Works on the policy file alone. Exits 0 if all is well, 1 if a test or a lint rule fails, 5 if the file does not load.',
    );
  /** Prints what is wrong with the file as JSON where JSON is wanted. @throws CliError where it is not. */
  const open = async (name: string | undefined, json: boolean | undefined): Promise<PolicyDocument | undefined> => {
    const file = name ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
    const [{ loadFile, readDocument }, { PolicyFileError }, { fieldOf }] = await Promise.all([
      import('../policy-file.ts'),
      import('../../config/problems.ts'),
      import('../../domain/issue-words.ts'),
    ]);
    if (!json) return readDocument(file, io, HINT);
    try {
      return loadFile(file, HINT, io);
    } catch (error) {
      if (!(error instanceof PolicyFileError)) throw error;
      const problems = error.problems.map(({ path, line, column, message }) => ({
        file,
        line: line ?? null,
        column: column ?? null,
        path: fieldOf(path),
        message,
      }));
      io.out(jsonLine({ ok: false, problems }));
      exit(EXIT.error);
      return undefined;
    }
  };

  policy
    .command('check')
    .summary('does it load')
    .description('Loads a policy file as synthesis does and prints each problem with file, line and column.')
    .argument('[file]', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--json', 'print JSON; problems of a file that does not load too')
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const document = await open(name, options.json);
      if (!document) return;
      const { problemsOf } = await import('../policy-file.ts');
      const findings = problemsOf(document);
      const { deny, ask, allow } = document.policy.rules;
      const counts = { deny: deny.length, ask: ask.length, allow: allow.length };
      if (options.json) io.out(jsonLine({ ok: true, policyVersion: document.policyVersion, rules: counts }));
      else {
        const warnings = findings.length ? `, ${findings.length} warnings (countersign policy lint)` : '';
        io.out(`${document.file}: ${deny.length} deny, ${ask.length} ask, ${allow.length} allow${warnings}\n`);
        io.out(`policyVersion ${document.policyVersion}\n`);
      }
    });

  policy
    .command('lint')
    .summary('rules that do not do what they seem to')
    .description('Reports rules that can never match, allows that a deny or an ask hides, unknown tools, and gaps.')
    .argument('[file]', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--json', 'print a line of JSON for each; one for all problems of a file that does not load')
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const document = await open(name, options.json);
      if (!document) return;
      const { lint } = await import('../lint/lint.ts');
      const findings = lint(document);
      for (const { level, code, line } of findings) {
        io.out(options.json ? jsonLine({ level, code, message: line }) : `${plain(line)} [${code}]\n`);
      }
      if (findings.length) exit(findings.some(({ level }) => level === 'error') ? EXIT.error : EXIT.failed);
      else if (!options.json) io.out('No findings.\n');
    });

  policy
    .command('test')
    .summary('a table of calls and what is expected of them')
    .description('Judges each call of a table and compares the verdict, for CI.')
    .argument('<table>', 'a YAML file')
    .option('--policy <file>', "default: the table's own, COUNTERSIGN_POLICY, else countersign.yaml")
    .option('--json', 'print a line of JSON for each case')
    .addHelpText(
      'after',
      `
The table
  policy: countersign.yaml     # beside the table; optional
  agent: demo-agent            # optional where there is one only
  cases:
    - { tool: Bash, input: { command: git push origin main }, expect: ask, rule: 'Bash(git push:*)' }
    - { tool: Read, input: { file_path: .env }, mode: auto, expect: ask, name: secrets are asked about }`,
    )
    .action(async (table: string, options: { policy?: string; json?: boolean }) => {
      const { runTable } = await import('../policy-test.ts');
      const { results, passed, failed } = await runTable(table, options.policy, io);
      for (const result of results) {
        if (options.json) io.out(jsonLine(result));
        else if (!result.ok) {
          io.out(
            `${colored('FAIL', io)}  ${plain(`${result.name}: expected ${result.expected}, got ${result.got}`)}\n`,
          );
        }
      }
      if (!options.json) io.out(`${passed} passed, ${failed} failed\n`);
      exit(failed ? EXIT.failed : EXIT.ok);
    });

  policy
    .command('schema')
    .summary('JSON Schema for editors')
    .description('Prints the JSON Schema of a policy file, as countersign.yaml names it in its first line.')
    .action(async () => {
      const { policyFileSchema } = await import('../../config/json-schema.ts');
      io.out(`${JSON.stringify(policyFileSchema(), null, 2)}\n`);
    });
}
