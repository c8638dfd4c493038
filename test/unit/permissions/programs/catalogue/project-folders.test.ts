/** Checks options that lead to another folder of the project, and everyday commands that name them. */
import { expect, test } from 'vitest';
import { commandVerdict, judge } from '../../support.ts';
import { describeFamily } from './family.ts';

describeFamily({
  covered: [
    ['make:*', ['make -C sub all', 'make --directory=sub']],
    ['mvn:*', ['mvn -f backend/pom.xml test', 'mvn --file backend test', 'mvn test -f backend/pom.xml']],
    ['gradle:*', ['gradle -p backend test', 'gradle test --project-dir backend']],
    ['bun:*', ['bun --cwd packages/a test', 'bun run --cwd packages/a build']],
    ['sbt:*', ['sbt "testOnly a.B"', 'sbt "project core" test', 'sbt "core/testOnly a.B c.*"']],
    ['npm:*', ['npm config get registry', 'npm config list']],
    ['pnpm:*', ['pnpm config get registry']],
    ['aws:*', ['aws configure list', 'aws configure get region', 'aws configure list-profiles']],
    ['terraform:*', ['terraform state list', 'terraform workspace list', 'terraform workspace show']],
    ['jq:*', ['jq --arg v "$V" \'.version = $v\' a.json', "jq --argjson n 1 '. + $n' a.json"]],
    ['arch:*', ['arch']],
    ['npm:*', ['npm --prefix packages/a run build', 'npm run build --prefix packages/a']],
    ['npm run build:*', ['npm --prefix packages/a run build']],
    ['pnpm:*', ['pnpm -C packages/a test', 'pnpm --dir packages/a build']],
    ['yarn:*', ['yarn --cwd packages/a test']],
    ['cargo:*', ['cargo test --manifest-path crates/a/Cargo.toml', 'cargo +nightly fmt', 'cargo +1.80 build']],
    ['go:*', ['go -C sub test ./...', 'go tool cover -func=cover.out']],
    ['go generate:*', ['go generate ./...']],
    ['uv:*', ['uv --directory packages/a sync', 'uv sync --project packages/a']],
    ['uv python install:*', ['uv python install 3.12']],
    ['uv run pytest:*', ['uv --directory packages/a run pytest']],
    ['poetry:*', ['poetry -C packages/a install']],
    ['pip install:*', ['pip install -e .', 'pip install -e ".[dev]"', 'pip install --editable ./sub']],
    ['ninja:*', ['ninja -C build']],
    ['bazel:*', ['bazel test //a:b --test_output=errors']],
    ['terraform plan:*', ['terraform plan -var-file=dev.tfvars']],
    ['terraform apply:*', ['terraform apply -auto-approve', 'terraform apply -target x -auto-approve']],
    ['dotnet:*', ['dotnet test --logger trx']],
    ['dotnet run:*', ['dotnet run --project src/App']],
    ['kubectl apply:*', ['kubectl apply -k overlays/dev']],
    ['kubectl:*', ['kubectl diff -f k8s/', 'kubectl version --client']],
    ['kubectl port-forward:*', ['kubectl port-forward svc/x 8080:80']],
    ['docker:*', ['docker stats --no-stream']],
    ['mise install:*', ['mise install']],
    ['nix build:*', ['nix build .#x']],
    ['git:*', ['git commit -F msg.txt', 'git sparse-checkout set src', 'git lfs pull']],
    ['az:*', ['az vm list -o table', 'az account show --query id --output tsv']],
    ['gcloud:*', ['gcloud config list', 'gcloud config get-value project']],
    [
      'aws:*',
      ['aws ssm get-parameter --name x', "aws dynamodb query --table-name t --key-condition-expression 'a = :b'"],
    ],
    ['gh pr create:*', ['gh pr create --title x --base main --head a --draft', 'gh pr create -t ".env" -F body.md']],
    ['gh pr review:*', ['gh pr review 12 --approve']],
    ['foo:*', ['foo --approve', 'foo --append x']],
  ],
  notCovered: [
    ['make:*', ['make -C ../evil', 'make --directory=/tmp/evil', 'make -C $X', 'make -j$(cat x)', 'make -f evil.mk']],
    ['npm:*', ['npm --prefix /tmp/evil run build', 'npm run build --prefix ../evil', 'npm --prefix "$X" test']],
    ['pnpm:*', ['pnpm -C ~/x test', 'pnpm --dir ../x test']],
    ['yarn:*', ['yarn --cwd /tmp/x test']],
    ['cargo:*', ['cargo test --manifest-path ../x/Cargo.toml', 'cargo +/tmp/evil fmt', 'cargo +$X fmt']],
    ['go:*', ['go -C ../x test', 'go tool pprof x', 'go test -coverprofile=src/x', 'go generate ./...']],
    ['uv:*', ['uv --directory /tmp/x sync', 'uv sync --project ../x']],
    ['uv run pytest:*', ['uv --directory /tmp/x run pytest']],
    ['pip install:*', ['pip install -e ../x', 'pip install -e git+https://x.test/y', 'pip install -e x']],
    ['ninja:*', ['ninja -C /tmp/x']],
    ['terraform plan:*', ['terraform plan -var-file=../x', 'terraform plan -out=tfplan']],
    ['terraform:*', ['terraform apply -auto-approve']],
    ['dotnet:*', ['dotnet test --logger:/tmp/x.dll', 'dotnet test -l "trx;LogFileName=x"', 'dotnet run']],
    ['dotnet run:*', ['dotnet run --project ../x']],
    ['kubectl apply:*', ['kubectl apply -k github.com/x/y', 'kubectl apply -k /tmp/x']],
    ['kubectl:*', ['kubectl diff -f /tmp/x', 'kubectl get pods --client-key=x']],
    ['kubectl port-forward:*', ['kubectl port-forward --address 0.0.0.0 svc/x 80']],
    ['nix build:*', ['nix build --expr x', 'nix run x']],
    [
      'git:*',
      ['git commit -F ../x', 'git commit --file=/etc/passwd', 'git -c color.ui=never log', 'git rebase -i HEAD~2'],
    ],
    ['az:*', ['az vm list -o ../x']],
    ['gcloud:*', ['gcloud config set project x']],
    ['aws:*', ['aws ssm start-session --target x', 'aws ssm put-parameter --name x']],
    ['gh pr create:*', ['gh pr create -F ../x', 'gh pr create --body-file .env', 'gh pr create --editor']],
    ['foo:*', ['foo --app x', 'foo --my-app x', 'foo --application x']],
  ],
  denied: [
    ['npm run deploy:*', ['npm --prefix a run deploy', 'npm run deploy --prefix a']],
    ['make deploy:*', ['make -C a deploy', 'make --directory a deploy']],
    ['cargo publish:*', ['cargo +nightly publish', 'cargo --manifest-path a/Cargo.toml publish']],
  ],
});

test('a file that an option names is an edit', () => {
  const rules = [
    ['allow', 'Bash'],
    ['allow', 'Bash(terraform plan:*)'],
    ['allow', 'Edit(./**)'],
  ] as const;
  for (const command of ['terraform plan -out=tfplan', 'go test -coverprofile=cover.out ./...'])
    expect([command, commandVerdict(command, rules)]).toEqual([command, 'allow']);
  expect(commandVerdict('go test -coverprofile=.git/hooks/pre-commit', rules)).toBe('deny');
  expect(commandVerdict('gh pr create --body-file .env', [], { mode: 'bypass' })).toBe('deny');
});

test('the reason is that of the rule that says most', () => {
  const rules = [
    ['allow', 'Bash(gh:*)'],
    ['allow', 'Bash(gh pr create:*)'],
  ] as const;
  expect(judge('Bash', { command: 'gh pr create --editor' }, rules).message).toContain('the option --editor');
});

test('a number behind the letter of an option is no other option', () => {
  const rules = [
    ['allow', 'Bash(make:*)'],
    ['allow', 'Bash(nproc:*)'],
  ] as const;
  expect(commandVerdict('make -j$(nproc) all', rules)).toBe('allow');
});
