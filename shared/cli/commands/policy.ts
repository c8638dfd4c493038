/** `countersign policy`: the policy file checked, linted, tested, and its schema for editors. */
import type { Command } from 'commander';
import { CODES } from '../lint/finding.ts';
import type { ReadPolicy } from '../lint/lint.ts';
import { colored, EXIT, type Io } from '../support/io.ts';
import { agentOf, DEFAULT_POLICY, openPolicy } from '../support/settings.ts';
import { jsonLine, plain } from '../support/terminal.ts';

const HINT = 'give it as an argument';

const width = Math.max(...Object.keys(CODES).map(({ length }) => length));

const LINT_HELP = `
Findings
${Object.entries(CODES)
  .map(([code, meaning]) => `  ${code.padEnd(width)}  ${meaning}`)
  .join('\n')}

To accept one, name it in the policy file:
  lint:
    ignore: [{ code: no_edits, where: tools.Pay, reason: two are enough }]
\`where\` is what stands before the message, a rule or a key; without it the code is accepted everywhere.`;

const EXCLUSIONS_HELP = `
Example, in the project root
  countersign policy exclusions > /somewhere/else/exclusions
  rg --ignore-file /somewhere/else/exclusions --ignore-file-case-insensitive --no-ignore-dot --no-ignore-vcs PATTERN

Without the last two options the project's own ignore files come later, and a line such as !.env in one of them takes a file back in. A file
that a command names itself is searched all the same: the gate has judged it.`;

export function addPolicy(program: Command, io: Io, exit: Exit): void {
  const policy = program
    .command('policy')
    .helpCommand(false)
    .summary('check, lint or test a policy file')
    .description(
      'Works on the policy file alone. Exits 0 if all is well, 1 if a test or a lint rule fails, 5 if the file does not load.',
    );
  addCheck(policy, io, exit);
  addLint(policy, io, exit);
  addTest(policy, io, exit);
  addExclusions(policy, io);
  addSchema(policy, io);
}

type Exit = (code: number) => void;

function addCheck(policy: Command, io: Io, exit: Exit): void {
  policy
    .command('check')
    .summary('check that the file loads')
    .description('Loads a policy file as synthesis does and prints each problem with file, line and column.')
    .argument('[file]', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--json', 'print JSON; problems of a file that does not load too')
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const read = await open(name, options.json, io, exit);
      if (!read) return;
      const [{ checkWarnings }, { fieldsOf }, { loadShellParser }] = await Promise.all([
        import('../lint/lint.ts'),
        import('../lint/finding.ts'),
        import('../../permissions/shell/parser.ts'),
      ]);
      const { document } = read;
      const warnings = checkWarnings(read, await loadShellParser());
      const { deny, ask, allow } = document.policy.rules;
      const counts = { deny: deny.length, ask: ask.length, allow: allow.length };
      const { policyVersion } = document;
      if (options.json) io.out(jsonLine({ ok: true, policyVersion, rules: counts, warnings: warnings.map(fieldsOf) }));
      else {
        const told = warnings.length ? `, warnings: ${warnings.length} (countersign policy lint)` : '';
        io.out(`${document.file}: ${deny.length} deny, ${ask.length} ask, ${allow.length} allow${told}\n`);
        io.out(`policyVersion ${policyVersion}\n`);
      }
    });
}

function addLint(policy: Command, io: Io, exit: Exit): void {
  policy
    .command('lint')
    .summary('find rules that do not do what they seem to')
    .description(
      "Judges each rule's own words, alone and beside the other rules, and reports rules that grant nothing, speak of no call or " +
        'are hidden, and questions that nobody may answer.',
    )
    .argument('[file]', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--json', 'print a line of JSON for each; one for all problems of a file that does not load')
    .addHelpText('after', LINT_HELP)
    .action(async (name: string | undefined, options: { json?: boolean }) => {
      const read = await open(name, options.json, io, exit);
      if (!read) return;
      const [{ lint }, { fieldsOf, lineOf }, { loadShellParser }] = await Promise.all([
        import('../lint/lint.ts'),
        import('../lint/finding.ts'),
        import('../../permissions/shell/parser.ts'),
      ]);
      const { findings, accepted } = lint(read, await loadShellParser(), io.now());
      for (const finding of findings)
        io.out(options.json ? jsonLine(fieldsOf(finding)) : `${plain(lineOf(finding))} [${finding.code}]\n`);
      if (!options.json) {
        const number = findings.length === 1 ? '1 finding' : `${findings.length || 'No'} findings`;
        const told = accepted ? `, ${accepted} accepted by lint.ignore` : '';
        const hint = findings.length ? '; `countersign policy lint --help` shows how to accept one' : '';
        io.out(`${number}${told}${hint}.\n`);
      }
      if (findings.length) exit(findings.some(({ level }) => level === 'error') ? EXIT.error : EXIT.failed);
    });
}

/** Prints what is wrong with the file as JSON where JSON is wanted. @throws CliError where it is not. */
async function open(
  name: string | undefined,
  json: boolean | undefined,
  io: Io,
  exit: Exit,
): Promise<ReadPolicy | undefined> {
  const file = name ?? io.env['COUNTERSIGN_POLICY'] ?? DEFAULT_POLICY;
  const [{ loadFile, readPolicy }, { PolicyFileError }, { fieldOf }] = await Promise.all([
    import('../support/policy-file.ts'),
    import('../../config/schema/problems.ts'),
    import('../../domain/issue-messages.ts'),
  ]);
  if (!json) return readPolicy(file, io, HINT);
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
}

function addTest(policy: Command, io: Io, exit: Exit): void {
  policy
    .command('test')
    .summary('compare the decisions about a table of calls with the expected ones')
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
    - { tool: Bash, input: { command: git push }, expect: ask }
    - { tool: Read, input: { file_path: .env }, mode: auto, expect: ask }
    - name: a deployment needs two people, then one of dba
      tool: Deploy
      input: {}
      expect: ask
      rule: Deploy
      asks: [{ group: platform, quorum: 2, timeout: 10m }, dba]

\`asks\` names every stage in order: a group, or the fields that matter (group, quorum, timeout, escalateTo, channel).`,
    )
    .action(async (table: string, options: { policy?: string; json?: boolean }) => {
      const { runTable } = await import('../offline/policy-test.ts');
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
}

function addExclusions(policy: Command, io: Io): void {
  policy
    .command('exclusions')
    .summary('print the paths that a search has to leave out, as an ignore file')
    .description(
      'Prints in gitignore syntax which files below the project root may not be read: protected names, and the paths of deny and ask ' +
        'rules on Read, Grep and Glob. Whoever runs a tool that reads whole folders leaves them out; the gate sees no disk.',
    )
    .argument('[file]', `default: COUNTERSIGN_POLICY, else ${DEFAULT_POLICY}`)
    .option('--agent <name>', 'whose project (default: COUNTERSIGN_AGENT, else the only agent of the policy file)')
    .option('--json', 'print { patterns, outside } as JSON')
    .addHelpText('after', EXCLUSIONS_HELP)
    .action(async (file: string | undefined, options: { agent?: string; json?: boolean }) => {
      const [compiled, { readExclusions }] = await Promise.all([
        openPolicy(file, io),
        import('../../permissions/matching/read-exclusions.ts'),
      ]);
      const { agents } = compiled.settings;
      const { projectRoot, home } = agents[agentOf(options.agent, Object.keys(agents), io)] as (typeof agents)[string];
      const { rules, protectedPaths } = compiled;
      const found = readExclusions({ protected: protectedPaths, policy: rules, projectRoot, home }, io.now());
      if (options.json) io.out(jsonLine(found));
      else {
        io.out(`# Below ${plain(projectRoot)}. Compare without regard to case, as the gate does.\n`);
        for (const name of found.outside) io.out(`# Not below it, and so not listed: ${plain(name)}\n`);
        io.out(found.patterns.map((line) => `${line}\n`).join(''));
      }
    });
}

function addSchema(policy: Command, io: Io): void {
  policy
    .command('schema')
    .summary('print the JSON Schema for editors')
    .description('Prints the JSON Schema of a policy file, as countersign.yaml names it in its first line.')
    .action(async () => {
      const { policyFileSchema } = await import('../../config/json-schema.ts');
      io.out(`${JSON.stringify(policyFileSchema(), null, 2)}\n`);
    });
}
