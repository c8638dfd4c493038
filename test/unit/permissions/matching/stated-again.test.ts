/** Checks that a rule which states a value covers no command that states another for the same option. */
import { describe, expect, test } from 'vitest';
import { commandVerdict, judge } from '../support.ts';

const underRule = (rule: string, command: string) => commandVerdict(command, [['allow', `Bash(${rule})`]]);

describe('a rule does not cover another value of an option that it states', () => {
  test.each([
    ['kubectl -n dev delete:*', 'kubectl -n dev delete pod x -n prod'],
    ['kubectl -n dev delete:*', 'kubectl -n dev delete pod x -nprod'],
    ['kubectl -n dev delete:*', 'kubectl -n dev delete pod x --namespace=prod'],
    ['kubectl -n dev delete:*', 'timeout 5 kubectl -n dev delete pod x -n prod'],
    ['kubectl -n dev delete:*', 'N=prod; kubectl -n dev delete pod x -n $N'],
    ['kubectl delete -n dev:*', 'kubectl delete -n dev pods --all -A'],
    ['kubectl delete --namespace dev:*', 'kubectl delete --namespace dev pods --all --all-namespaces'],
    ['kubectl --namespace dev get *', 'kubectl --namespace dev get pods -n prod'],
    ['kubectl -n dev get * -o json', 'kubectl -n dev get pods -n prod -o json'],
    ['kubectl -n dev-* get:*', 'kubectl -n dev-1 get pods -n prod'],
    ['aws --profile dev s3 rm:*', 'aws --profile dev s3 rm s3://x --profile prod'],
    ['aws --profile dev s3 rm:*', 'aws --profile dev s3 rm s3://x --prof prod'],
    ['az vm delete -g dev:*', 'az vm delete -g dev -n x --resource-group prod'],
    ['curl -X GET https://a.example/*', 'curl -X GET https://a.example/x -X DELETE'],
    ['curl -X GET https://a.example/*', 'curl -X GET https://a.example/x -sXDELETE'],
    ['curl -X GET:*', 'curl -X GET https://a.example/x --request DELETE'],
    ['gh pr merge -R a/b:*', 'gh pr merge -R a/b 1 --repo c/d'],
    ['terraform apply -var-file=dev.tfvars:*', 'terraform apply -var-file=dev.tfvars -var-file=prod.tfvars'],
    ['twine upload -r testpypi:*', 'twine upload -r testpypi dist/x --repository pypi'],
    ['helm upgrade --set a=b:*', 'helm upgrade --set a=b x y --set a=c'],
    ['pg_dump -h localhost:*', 'pg_dump -h localhost --host prod.example db'],
    ['make deploy ENV=dev:*', 'make deploy ENV=dev ENV=prod'],
    ['make deploy ENV=dev:*', 'make deploy ENV=dev -- ENV=prod'],
    ['./deploy.sh --env dev:*', './deploy.sh --env dev --env=prod'],
    ['./deploy.sh --env dev:*', './deploy.sh --env dev --en prod'],
    ['python3 deploy.py --env dev:*', 'python3 deploy.py --env dev --env=prod'],
    ['python -m deploy --env dev:*', 'python -m deploy --env dev --env prod'],
    ['bash deploy.sh --env dev:*', 'bash deploy.sh --env dev --env prod'],
    ['npm run deploy -- --env dev:*', 'npm run deploy -- --env dev --env prod'],
    ['npx serverless deploy --stage dev:*', 'npx serverless deploy --stage dev -s prod'],
    ['uv run kubectl -n dev get:*', 'uv run kubectl -n dev get pods -A'],
    ['poetry run python x.py --env dev:*', 'poetry run python x.py --env dev --env prod'],
    ["curl -H 'X-Env: dev':*", "curl -H 'X-Env: dev' -H 'X-Env: prod' https://a.example/"],
    ['docker build --build-arg ENV=dev:*', 'docker build --build-arg ENV=dev --build-arg ENV=prod .'],
    ['npm publish --tag beta:*', 'npm publish --tag beta --tag latest'],
  ])('%s: %s', (rule, command) => {
    expect(underRule(rule, command)).toBe('ask');
  });
});

describe('a rule covers what leaves its own values as they are', () => {
  test.each([
    ['kubectl -n dev get:*', 'kubectl -n dev get pods -o wide'],
    ['kubectl -n dev get:*', 'kubectl -n dev get pods -n dev'],
    ['kubectl -n dev-* get:*', 'kubectl -n dev-1 get pods -l app=x'],
    ['kubectl logs -n dev -f:*', 'kubectl logs -n dev -f web'],
    ['kubectl get -n dev pods:*', 'kubectl get -n dev pods -o yaml'],
    ['gsutil -m cp:*', 'gsutil -m cp a gs://b'],
    ['helm upgrade --set a=b:*', 'helm upgrade --set a=b x y --set c=d'],
    ["curl -H 'A: b':*", "curl -H 'A: b' https://a.example/ -H 'C: d'"],
    ['curl -s -X GET:*', 'curl -s -X GET https://a.example/x -m 5'],
    ['docker compose up -d web:*', 'docker compose up -d web --build'],
    ['go test -v ./...:*', 'go test -v ./... -run X -count=1'],
    ['pytest -x tests:*', 'pytest -x tests -k foo -q'],
    ['npm test -w a:*', 'npm test -w a -- -w b'],
    ['make deploy ENV=dev:*', 'make deploy ENV=dev VERBOSE=1'],
    ['grep -e a:*', 'grep -e a -e b f'],
    ['find src -name x:*', 'find src -name x -o -name y'],
    ['git log -n 5:*', 'git log -n 5 -n 50'],
    ['kubectl get:*', 'kubectl get pods -n dev -n prod'],
    ['./deploy.sh --env dev:*', './deploy.sh --env dev --verbose'],
    ['./run.sh --exclude a:*', './run.sh --exclude a --exclude b'],
    ['./run.sh -vvv a:*', './run.sh -vvv a -v'],
    ['npm run deploy -- --env dev:*', 'npm run deploy -- --env dev --dry-run'],
    ['python deploy.py --env dev:*', 'python deploy.py --env dev --verbose'],
    ['docker build -t app:*', 'docker build -t app -t app:latest .'],
    ['curl -d a:*', 'curl -d a -d b https://a.example/'],
    ['curl -H A:b:*', 'curl -H A:b -H C:d https://a.example/'],
    ['pytest -k unit:*', 'pytest -k unit -k other'],
    ['python -m pytest -p no:x:*', 'python -m pytest -p no:x -p no:y'],
    ['uv run pytest --ignore a:*', 'uv run pytest --ignore a --ignore b'],
    ['npx vitest run --project unit:*', 'npx vitest run --project unit --project web'],
    ['gcc -I include:*', 'gcc -I include -I src -c a.c'],
    ['pip install -r a.txt:*', 'pip install -r a.txt -r b.txt'],
    ['gradle build -x test:*', 'gradle build -x test -x lint'],
    ['npm run test -w a:*', 'npm run test -w a -w b'],
    ['pnpm --filter a:*', 'pnpm --filter a --filter b run build'],
    ['cargo clippy -- -D warnings:*', 'cargo clippy -- -D warnings -D unused'],
    ['cargo test -p a:*', 'cargo test -p a -- -p b'],
    ["gh api x -f 'labels[]=a':*", "gh api x -f 'labels[]=a' -f 'labels[]=b'"],
    ['gh pr list --label a:*', 'gh pr list --label a --label b'],
    ['kubectl logs --tail=100:*', 'kubectl logs --tail=100 web --tail=5'],
    ['terraform plan -target=a:*', 'terraform plan -target=a -target=b'],
    ['journalctl -u a:*', 'journalctl -u a -u b'],
    ['pg_dump -t a:*', 'pg_dump -t a -t b db'],
  ])('%s: %s', (rule, command) => {
    expect(underRule(rule, command)).toBe('allow');
  });
});

test.each([
  ['kubectl -n dev delete:*', 'kubectl -n dev delete pod x -n prod', '-n'],
  ['aws --profile dev s3 rm:*', 'aws --profile dev s3 rm s3://x --profile prod', '--profile'],
  ['make deploy ENV=dev:*', 'make deploy ENV=dev ENV=prod', 'ENV'],
])('the message names what is stated again: %s', (rule, command, name) => {
  const { message } = judge('Bash', { command }, [['allow', `Bash(${rule})`]]);
  expect(message).toContain(`the rule states another value of ${name}.`);
});
