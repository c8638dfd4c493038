/** Checks that a rule has to name a sub-command which prints a secret, whatever program has it. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';

/** The shortest rule that covers the command. */
const REVEALS: readonly (readonly [named: string, command: string])[] = [
  ['aws secretsmanager get-secret-value', 'aws secretsmanager get-secret-value --secret-id x'],
  ['aws secretsmanager batch-get-secret-value', 'aws secretsmanager batch-get-secret-value'],
  ['aws ssm get-parameter', 'aws ssm get-parameter --name x --with-decryption'],
  ['aws apigateway get-api-keys', 'aws apigateway get-api-keys --include-values'],
  ['aws appsync list-api-keys', 'aws appsync list-api-keys --api-id x'],
  ['aws glue get-connection', 'aws glue get-connection --name x'],
  ['aws sts get-session-token', 'aws sts get-session-token'],
  ['aws ecr get-login-password', 'aws ecr get-login-password'],
  ['aws ecr get-authorization-token', 'aws ecr get-authorization-token'],
  ['aws eks get-token', 'aws eks get-token --cluster-name x'],
  ['aws ec2 get-password-data', 'aws ec2 get-password-data --instance-id x'],
  ['aws redshift get-cluster-credentials', 'aws redshift get-cluster-credentials'],
  [
    'aws cognito-identity get-open-id-token-for-developer-identity',
    'aws cognito-identity get-open-id-token-for-developer-identity',
  ],
  ['gcloud secrets versions access', 'gcloud secrets versions access latest --secret x'],
  ['gcloud redis instances get-auth-string', 'gcloud redis instances get-auth-string x'],
  ['az keyvault secret show', 'az keyvault secret show --name x'],
  ['az account get-access-token', 'az account get-access-token'],
  ['az storage account keys list', 'az storage account keys list -n x'],
  ['az storage account show-connection-string', 'az storage account show-connection-string -n x'],
  ['az redis list-keys', 'az redis list-keys -n x'],
  ['az acr credential show', 'az acr credential show -n x'],
  ['az webapp config appsettings list', 'az webapp config appsettings list -n x'],
  ['az containerapp secret show', 'az containerapp secret show -n x'],
  ['az containerapp secret list', 'az containerapp secret list -n x --show-values'],
  ['kubectl get secret', 'kubectl get secret x -o yaml'],
  ['kubectl get secrets', 'kubectl get secrets -ojson'],
  ['kubectl get secrets', 'kubectl get secrets -o custom-columns=N:.metadata.name,D:.data'],
  ['kubectl get secrets', 'kubectl get secrets -o custom-columns=N:.metadata.annotations'],
  ['kubectl get secret', "kubectl get secret x -o jsonpath='{.metadata}'"],
  ['kubectl get secret', "kubectl get secret x -o jsonpath='{.metadata.name}{.data.k}'"],
  ['kubectl get secret', 'kubectl get secret x -o jsonpath="{.metadata.name}$X"'],
  ['kubectl get secret', 'kubectl get secret x -o custom-columns=$X:.metadata.name'],
  ['kubectl get secret/x', 'kubectl get secret/x -o jsonpath={.data}'],
  ['kubectl get pods,secrets', 'kubectl get pods,secrets -A --output=yaml'],
  ['kubectl get -o yaml secret', 'kubectl get -o yaml secret x'],
  ['kubectl get pods/a secret/b', 'kubectl get pods/a secret/b -o yaml'],
  ['kubectl get secret', 'kubectl get secret x -ogo-template={{.data}}'],
  ['tofu state show', 'tofu state show -show-sensitive x'],
  ['az search admin-key show', 'az search admin-key show -g g'],
  ['oc get secret', 'oc get secret x -Ao yaml'],
  ['vault kv get', 'vault kv get secret/x'],
  ['vault read', 'vault read secret/x'],
  ['heroku config:get', 'heroku config:get X'],
  ['terraform output', 'terraform output -raw x'],
  ['terraform output', 'terraform output -json'],
  ['terraform output', 'terraform output x'],
  ['tofu show', 'tofu show -json'],
  ['pulumi stack output', 'pulumi stack output --show-secrets'],
  ['sops decrypt', 'sops decrypt x.yaml'],
  ['pass show', 'pass show x'],
  ['pass x', 'pass x'],
  ['bws secret', 'bws secret get x'],
  ['bw get', 'bw get password x'],
  ['security find-generic-password', 'security find-generic-password -w -s x'],
  ['secret-tool lookup', 'secret-tool lookup a b'],
  ['cf oauth-token', 'cf oauth-token'],
];

describe('a rule has to name', () => {
  test.each(REVEALS)('%s: %s', (named, command) => {
    const words = named.split(' ');
    expect(commandVerdict(command, [['allow', `Bash(${words[0]}:*)`]])).toBe('ask');
    expect(commandVerdict(command, [['allow', `Bash(${words.slice(0, -1).join(' ')}:*)`]])).toBe('ask');
    expect(commandVerdict(command, [['allow', `Bash(${named}:*)`]])).toBe('allow');
  });
});

describe('a rule on the program covers what shows no value', () => {
  test.each([
    'aws secretsmanager list-secrets',
    'aws secretsmanager describe-secret --secret-id x',
    'aws ssm get-parameter --name x',
    'aws iam get-account-password-policy',
    'aws kms list-keys',
    'aws sts get-caller-identity',
    'gcloud auth list',
    'gcloud secrets list',
    'gcloud iam service-accounts keys list --iam-account x',
    'az keyvault secret list --vault-name x',
    'az keyvault key list --vault-name x',
    'az account show',
    'kubectl get secrets',
    'kubectl get secret x -o name',
    'kubectl get secret x -owide',
    'kubectl get secrets -o custom-columns=NAME:.metadata.name,TYPE:.type',
    "kubectl get secrets -n a -o jsonpath='{range .items[*]}{.metadata.name}{end}'",
    'kubectl get pods -o yaml',
    'kubectl get -n "$NS" pods -o yaml',
    'kubectl get pods -n secrets -o yaml',
    'kubectl get -n secret pods -o yaml',
    'kubectl get cm secret -o yaml',
    'kubectl describe secret x',
    'vault kv list secret',
    'terraform output',
    'terraform show',
    'terraform validate -json',
    'pulumi stack output',
    'pass',
  ])('%s', (command) => {
    expect(commandVerdict(command, [['allow', `Bash(${command.split(' ')[0]}:*)`]])).toBe('allow');
  });

  test('a kind that is not literal may be a secret', () => {
    expect(commandVerdict('kubectl get "$KIND" -o yaml', [['allow', 'Bash(kubectl:*)']])).toBe('ask');
    expect(commandVerdict('kubectl get -n secrets secret -o yaml', [['allow', 'Bash(kubectl:*)']])).toBe('ask');
  });
});
