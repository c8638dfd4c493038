/** Checks operands that are files, because an option has given the pattern that else stands first. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, type Rule } from '../support.ts';

const RULES: readonly Rule[] = [
  ['allow', 'Bash'],
  ['deny', 'Read(secrets/**)'],
];

const FILES = [
  // A long option may be abbreviated.
  'grep --rege=x .env',
  'grep --reg=. secrets/key',
  'grep --fil=x secrets/key',
  'sed --expr=p .env',
  'awk --fil=x .env',
  'gawk -e1 .env',
  'gawk --source=1 .env',
  'gawk --sour=1 secrets/key',
  'ack --match=x .env',
  'yq --expression=. .env',
  // yq takes a file where there is one of that name.
  'yq .env',
  'yq -p props .env',
  'yq secrets/key',
  "yq 'server (1).key'",
  "yq 'a|b/../.env'",
  "yq '\"/../.env'",
  "curl -w '%output{.env}' https://a.test",
  "curl -sw '%output{>>secrets/key}' https://a.test",
  'kubectl get -f .env',
  'kubectl get pods --kubeconfig=secrets/key',
  "gh release upload v1 '.env#label'",
  'hostname -F .env',
  'journalctl --file=secrets/key',
  "find . -regex '.*\\.env.*'",
] as const;

const PATTERNS = [
  'grep -rn "\\.env" src',
  'grep --recursive "\\.env" src',
  'grep --files-with-matches .env src',
  'grep --regexp=.env src',
  "sed --expression='s/.env/x/' src/a",
  'rg --files-with-matches .env src',
  'ack .env src',
  'yq .env.NODE_ENV a.yml',
  'cat a.yml | yq .services',
  "yq -r 'to_entries[] | .key' a.yml",
  "yq 'to_entries[0].key' a.yml",
  "yq 'explode(.) | .env' a.yml",
  "cat a.yml | yq '.. | .key'",
  "cat a.yml | yq '.env | .'",
  "cat a.yml | yq 'map(.key)'",
  "cat a.yml | yq '.spec.tls[0].key'",
  'jq -r .env.NODE_ENV a.json',
  'kubectl get secrets/key',
  "curl -w '%{http_code}' https://a.test",
  'hostname -f',
  "find . -not -regex '.*\\.git.*'",
  "find . ! -iregex '.*\\.env' -name '*.ts'",
] as const;

describe('is a file', () => {
  test.each(FILES)('%s', (command) => {
    expect(commandVerdict(command, RULES)).toBe('deny');
    expect(commandVerdict(command, RULES, { mode: 'bypass' })).toBe('deny');
  });
});

describe('is none', () => {
  test.each(PATTERNS)('%s', (command) => expect(commandVerdict(command, RULES)).toBe('allow'));
});
