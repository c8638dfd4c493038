/** Checks that commands in the documents name scripts, sub-commands, options and settings that exist. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { cli } from '../cli/run-cli.ts';
import { blocksOf, inlineCode, ROOT, userDocuments } from './documents.ts';

const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  readonly scripts: Readonly<Record<string, string>>;
};
const contextSettings = readFileSync(join(ROOT, 'cdk/context.ts'), 'utf8');
const slackVerbs = readFileSync(join(ROOT, 'functions/slack/command.ts'), 'utf8');
const vitestProjects = readFileSync(join(ROOT, 'vitest.config.ts'), 'utf8');

/** Help of a sub-command by its words; undefined where there is no such command. */
const helps = new Map<string, Promise<string | undefined>>();
function helpOf(words: readonly string[]): Promise<string | undefined> {
  const key = words.join(' ');
  const known = helps.get(key) ?? cli([...words, '--help']).then(({ code, out }) => (code === 0 ? out : undefined));
  helps.set(key, known);
  return known;
}

const isName = (word: string | undefined): word is string => word !== undefined && /^[a-z][a-z-]*$/.test(word);

/** Why a command line of `countersign` cannot be typed; undefined if it can. */
async function countersignProblem(words: readonly string[]): Promise<string | undefined> {
  const root = (await helpOf([])) ?? '';
  const [name, next] = words;
  if (isName(name) && !listed(root, name)) return `there is no command ${name}`;
  const first = isName(name) ? [name] : [];
  const outer = (await helpOf(first)) ?? '';
  const isGroup = first.length > 0 && /^Commands:/m.test(outer);
  if (isGroup && isName(next) && !listed(outer, next)) return `there is no command ${name} ${next}`;
  const help = (isGroup && isName(next) ? await helpOf([...first, next]) : outer) ?? '';
  const unknown = words
    .flatMap((word) => /^--[a-z][a-z-]*/.exec(word) ?? [])
    .find((option) => option !== '--help' && !new RegExp(`(?:^|[ ,])${option}(?![a-z-])`, 'm').test(help));
  return unknown && `${first.join(' ')} has no option ${unknown}`;
}

/** Whether a help text lists the sub-command on a line of its own. */
const listed = (help: string, name: string): boolean => new RegExp(`^  ${name}(?![a-z-])`, 'm').test(help);

/** Words of one command; quoted ones stay whole, and lose their quotes. */
const wordsOf = (command: string): readonly string[] =>
  [...command.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  );

/** The commands of one line: without its comment, and apart at `&&`, `;` and `|` outside of quotes. */
function commandsOf(line: string): readonly string[] {
  const bare = line.replace(/('[^']*'|"[^"]*"|[^'"#])|#.*$/g, (_all, kept: string | undefined) => kept ?? '');
  return bare
    .split(/(?<=^(?:[^']*'[^']*')*[^']*)(?:&&|;|\|)/)
    .map((each) => each.trim())
    .filter(Boolean);
}

/** Why a command cannot be typed; undefined if it can. Commands of other programs count as known. */
async function problemOf(command: string): Promise<string | undefined> {
  const [program, ...rest] = wordsOf(command);
  if (program === 'countersign') return countersignProblem(rest);
  if (program === '/countersign')
    return slackVerbs.includes(`case '${rest[0]}':`) ? undefined : `Slack knows no ${rest[0]}`;
  if (program === 'npm') return npmProblem(rest);
  if (program === 'npx' && rest[0] === 'countersign') return countersignProblem(rest.slice(1));
  if (program === 'npx' && rest[0] === 'cdk') return settingProblem(rest);
  if (program === 'npx' && rest[0] === 'vitest') return vitestProblem(rest);
  if (program === 'npx' && rest[0] === 'node') return nodeProblem(rest);
  return KNOWN.has(program ?? '') ? undefined : `${program} is no command that a document may name`;
}
const KNOWN = new Set(['aws', 'docker', 'export', 'source']);
const NPM = new Set(['ci', 'test', 'pack', 'install']);

function npmProblem([verb, script]: readonly string[]): string | undefined {
  if (verb !== 'run') return NPM.has(verb ?? '') ? undefined : `npm ${verb} is not of this package`;
  return script !== undefined && Object.hasOwn(scripts, script) ? undefined : `there is no script ${script}`;
}

/** A command that runs a file of the repository with the Node of its packages, whatever Node the machine has. */
function nodeProblem(words: readonly string[]): string | undefined | Promise<string | undefined> {
  const file = words.find((word) => /\.[jt]s$/.test(word));
  if (file === 'shared/cli/main.ts') return countersignProblem(words.slice(words.indexOf(file) + 1));
  return file !== undefined && !existsSync(join(ROOT, file)) ? `there is no file ${file}` : undefined;
}

function settingProblem(words: readonly string[]): string | undefined {
  const unknown = words
    .filter((_word, index) => words[index - 1] === '-c')
    .map((setting) => setting.split('=')[0] ?? '')
    .find((name) => !new RegExp(`^  ${name}:`, 'm').test(contextSettings));
  return unknown && `there is no setting ${unknown}`;
}

function vitestProblem(words: readonly string[]): string | undefined {
  const missing = words.find((word) => word.startsWith('test/') && !existsSync(join(ROOT, word)));
  if (missing !== undefined) return `there is no ${missing}`;
  const project = words[words.indexOf('--project') + 1];
  return vitestProblems(project);
}
const vitestProblems = (project: string | undefined): string | undefined =>
  project !== undefined && vitestProjects.includes(`project('${project}'`)
    ? undefined
    : `there is no project ${project}`;

const documents = userDocuments();
const inBlocks = documents
  .flatMap(blocksOf)
  .filter(({ language }) => language === 'sh')
  .flatMap(({ file, line, text }) =>
    text
      .split('\n')
      .flatMap((each, index) => commandsOf(each).map((command) => [`${file}:${line + index}`, command] as const)),
  );
const inTexts = documents.flatMap(({ file, text }) =>
  inlineCode(text)
    .filter(({ text: code }) => /^(?:npx |\/?countersign \S|npm run \S)/.test(code))
    .map(({ line, text: code }) => [`${file}:${line}`, code] as const),
);

describe('a command of a document can be typed', () => {
  test.each([...inBlocks, ...inTexts])('%s: %s', async (_where, command) => {
    expect(await problemOf(command)).toBeUndefined();
  });
});

/** The settings of `cdk deploy`, as the app declares them. */
const settings = [...(/z\.object\(\{\n(.*?)\n\}\);/s.exec(contextSettings)?.[1] ?? '').matchAll(/^ {2}(\w+):/gm)].map(
  ([, name = '']) => name,
);
const settingsIn = (text: string) => [...text.matchAll(/(?<![\w-])-c (\w+)=/g)].map(([, name = '']) => name);

test('every setting of cdk deploy is in the documents, and no other one', () => {
  const told = new Set(documents.flatMap(({ text }) => settingsIn(text)));
  // `accountsAllowed` is for an endpoint on loopback without IAM: local.md has it.
  const wanted = [...settings.filter((name) => name !== 'accountsAllowed'), 'stackName'];
  expect(settings.length).toBeGreaterThan(20);
  expect(wanted.filter((name) => !told.has(name))).toEqual([]);
  expect([...told].filter((name) => ![...settings, 'stackName'].includes(name))).toEqual([]);
});

/** The sub-commands that a help text lists, under whatever headings. */
const subCommandsOf = (help: string): readonly string[] =>
  help
    .split('\n\n')
    .filter((section) => /^(?!Arguments|Options).*:$/m.test(section.split('\n')[0] ?? ''))
    .flatMap((section) => [...section.matchAll(/^ {2}([a-z][a-z-]*)/gm)].map(([, name = '']) => name));

test('every command is in the documents, with each of its sub-commands', async () => {
  const text = documents.map((document) => document.text).join('\n');
  const missing: string[] = [];
  const names = subCommandsOf((await helpOf([])) ?? '');
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) {
    if (!text.includes(`countersign ${name}`)) missing.push(name);
    for (const inner of subCommandsOf((await helpOf([name])) ?? ''))
      if (!new RegExp(`countersign ${name}\\b[^\\n]*\\b${inner}\\b`).test(text)) missing.push(`${name} ${inner}`);
  }
  expect(missing).toEqual([]);
});

describe('a command that cannot be typed is found', () => {
  test.each([
    ['countersign stop --all', 'there is no command stop'],
    ['countersign grants forget x', 'there is no command grants forget'],
    ['npx countersign check --batches x', 'check has no option --batches'],
    ['countersign sessions set-mode plan --forever', 'sessions has no option --forever'],
    ['/countersign postpone', 'Slack knows no postpone'],
    ['npm run tests', 'there is no script tests'],
    ['npm audit', 'npm audit is not of this package'],
    ['npx cdk deploy -c slackApp=A1', 'there is no setting slackApp'],
    ['npx vitest run --project units', 'there is no project units'],
    ['npx node shared/cli/mains.ts', 'there is no file shared/cli/mains.ts'],
    ['rm -rf x', 'rm is no command that a document may name'],
  ])('%s', async (command, problem) => {
    expect(await problemOf(command)).toBe(problem);
  });

  test('a line is read command by command, without its comment', () => {
    expect(commandsOf(`npm ci && npm run demo -- --yes # it's 'one'`)).toEqual(['npm ci', 'npm run demo -- --yes']);
    expect(commandsOf(`npx countersign explain --input '{"command":"a; b | c"}'`)).toHaveLength(1);
  });
});
