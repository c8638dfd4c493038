/** Lists commands that do what another command does: a deny or ask rule on that one hears them. */
/** A command that does what a better known one does. */
export interface Equivalent {
  /** As a deny rule would name the command; options stand anywhere in it, under any of their names. */
  readonly form: string;
  /** The first words of the command that people know, and that their rules name. */
  readonly usual: string;
}

/** Deletes of Azure by the address of what is deleted. */
const azureDeletes = (kind: string): string =>
  ['--method delete', '--method DELETE', '-m delete', '-m DELETE']
    .map((method) => `az rest ${method} *${kind}*`)
    .join('|');

/** Other words of the same program that certainly do the same: forms by the usual command, parted by `|`. */
const EXACT: Readonly<Record<string, string>> = {
  'git push': 'git subtree push|git send-pack|git http-push|git lfs push|git svn dcommit|git p4 submit',
  'git commit': 'git citool|git gui citool',
  'git reset --hard': 'git read-tree --reset -u|git checkout -f|git switch -f|git switch --discard-changes',
  'gh auth token': 'gh auth status --show-token',
  'npm publish': 'npm stage publish',
  'npm install': 'npm install-test',
  'yarn add': 'yarn global add',
  'npm ci': 'npm install-ci-test',
  'npm install --global': 'npm install --location global',
  'docker push':
    'docker build --push|docker buildx build --push|docker builder build --push|docker buildx bake --push|docker compose push|' +
    'docker compose build --push|docker manifest push|docker build --output *type=registry*|docker buildx build --output *type=registry*|' +
    'docker build --output *push=true*|docker buildx build --output *push=true*|docker buildx imagetools create --tag|docker buildx imagetools create -t|docker build -o *push=true*|docker buildx build -o *push=true*|' +
    'docker build -o *type=registry*|docker buildx build -o *type=registry*',
  'vercel --prod': 'vercel --target production',
  'kubectl delete': 'kubectl replace --force|kubectl apply --prune',
  'systemctl poweroff': 'systemctl halt',
  'git branch -d': 'git branch -D',
  'rsync --delete':
    'rsync --delete-before|rsync --delete-during|rsync --delete-after|rsync --delete-delay|rsync --delete-excluded',
  'apt-get remove': 'apt-get purge|apt-get autoremove|apt-get autopurge',
  'dotnet add package': 'dotnet add * package|dotnet package add',
  'dotnet remove package': 'dotnet remove * package|dotnet package remove',
  'dotnet list package': 'dotnet list * package|dotnet package list',
};

/** Programs that run scripts of a package, too. */
const SCRIPT_RUNNERS = 'deno task|npm-run-all|run-s|run-p|turbo run|turbo|lerna run';

/**
 * Another program that does much the same, or a command that does more or less. A team may allow it on purpose: a person decides where no rule does.
 * The `*` at the end of a usual command is one more word that the rule has to name.
 */
const NEAR: Readonly<Record<string, string>> = {
  'git push': 'gh repo create --push',
  'git checkout': 'git switch',
  'git stash drop': 'git stash clear',
  'git clean --force': 'git -c clean.requireForce=* clean',
  'git rebase': 'git pull --rebase',
  'git branch -D': 'git update-ref -d',
  'git commit --no-verify': 'git -c core.hooksPath=* commit',
  // With data curl posts where it is not told otherwise, and gh with fields.
  'curl --request POST': 'curl --data|curl --json|curl --form|curl --form-string|curl --data-urlencode',
  'gh api --method POST': 'gh api --field|gh api --raw-field|gh api --input',
  'cargo publish': 'cargo workspaces publish|cargo ws publish|cargo release|cargo smart-release',
  'cdk deploy': 'cdk watch',
  'sam deploy': 'sam sync',
  'fly deploy': 'fly launch',
  'mix ecto.drop': 'mix ecto.reset',
  // In front of a script stands the container or the runner in which the interpreter runs.
  'php artisan *': 'artisan|sail artisan|sail art|ddev artisan|lando artisan',
  'python manage.py *': 'manage.py|django-admin|django-admin.py|python -m django|coverage run manage.py',
  'node *': 'tsx|ts-node|deno run|vite-node|babel-node|electron',
  node: 'nodemon|tsx|ts-node',
  'twine upload': 'uv publish|poetry publish|flit publish|hatch publish|pdm publish|rye publish',
  'kubectl exec': 'kubectl debug|kubectl attach|oc rsh|oc debug',
  'gsutil rm': 'gcloud storage rm',
  'gcloud storage rm': 'gsutil rm',
  'vault kv get': 'vault read',
  'vault read': 'vault kv get',
  'vault delete': 'vault kv delete|vault kv destroy|vault kv metadata delete',
  'vault kv delete': 'vault delete',
  'vault write': 'vault kv put|vault kv patch',
  'vault kv put': 'vault write',
  'rails db:drop': 'rails db:drop:all|rails db:reset|rails db:migrate:reset',
  'helm upgrade': 'helmfile apply|helmfile sync',
  'helm uninstall': 'helmfile destroy|helmfile delete',
  'crontab -r': 'crontab /dev/null',
  env: 'printenv|export -p|declare -p|declare -x|typeset -p|typeset -x|* /proc/*/environ*',
  printenv: 'export -p|declare -p|declare -x|typeset -p|typeset -x|* /proc/*/environ*',
  history: 'fc',
  'npm publish':
    'pnpm publish|yarn publish|yarn npm publish|bun publish|lerna publish|changeset publish|nx release publish|np',
  'pnpm publish': 'npm publish|yarn publish|yarn npm publish|bun publish',
  'yarn publish': 'npm publish|pnpm publish|bun publish',
  'npm run *': `yarn run|yarn|pnpm run|pnpm|bun run|bun|node --run|${SCRIPT_RUNNERS}`,
  'yarn run *': `npm run|yarn|pnpm run|pnpm|bun run|bun|node --run|${SCRIPT_RUNNERS}`,
  'yarn *': `npm run|yarn run|pnpm run|pnpm|bun run|bun|node --run|${SCRIPT_RUNNERS}`,
  'pnpm run *': `npm run|pnpm|yarn run|yarn|bun run|bun|node --run|${SCRIPT_RUNNERS}`,
  'pnpm *': `npm run|pnpm run|yarn run|yarn|bun run|bun|node --run|${SCRIPT_RUNNERS}`,
  'bun run *': `npm run|bun|yarn run|yarn|pnpm run|pnpm|node --run|${SCRIPT_RUNNERS}`,
  'docker push':
    'buildah push|skopeo copy * docker://*|skopeo sync --dest docker|skopeo sync -d docker|crane push|crane copy|oras push',
  'docker exec': 'docker compose exec',
  'docker compose exec': 'docker compose run',
  'docker volume rm': 'docker volume prune|docker system prune --volumes|docker compose down --volumes',
  'docker run': 'docker compose run|docker create',
  'docker rm': 'docker compose rm|docker compose down|docker container prune|docker system prune',
  'docker stop': 'docker compose stop|docker compose down|docker kill|docker compose kill',
  'terraform destroy':
    'terragrunt destroy|terragrunt run-all destroy|terragrunt run --all destroy|terragrunt run --all -- destroy',
  'terraform apply': 'terragrunt apply|terragrunt run-all apply|terragrunt run --all apply',
  'aws s3 rm':
    'aws s3api delete-object|aws s3api delete-objects|aws s3 rb --force|aws s3 sync --delete|aws s3 mv|s3cmd del|s3cmd rm|s3cmd sync --delete-removed|' +
    's5cmd rm|s5cmd sync --delete|s4cmd del|mc rm|rclone delete|rclone deletefile|rclone purge',
  'aws s3 cp': 'aws s3api put-object|aws s3 sync|aws s3 mv',
  'aws s3 rb': 'aws s3api delete-bucket|s3cmd rb|s5cmd rb|mc rb|rclone rmdir|rclone purge',
  'az vm delete': `${azureDeletes('virtualMachines')}|${azureDeletes('virtualmachines')}`,
  'az group delete': `${azureDeletes('resourceGroups/')}|${azureDeletes('resourcegroups/')}`,
  'gh pr merge': 'gh api *pulls/*/merge*|gh api graphql *mergePullRequest*',
  'gh pr create': 'gh api *repos/*/pulls --method POST|gh api *repos/*/pulls --field|gh api *repos/*/pulls --raw-field',
  'gh release create':
    'gh api *repos/*/releases --method POST|gh api *repos/*/releases --field|gh api *repos/*/releases --raw-field',
  'gh repo delete': 'gh api --method DELETE *repos/*|gh api --method delete *repos/*|gh api graphql *deleteRepository*',
  'gh workflow run': 'gh api *actions/workflows/*/dispatches*',
  'systemctl stop': 'service * stop|systemctl kill|systemctl disable --now|systemctl mask --now',
  'systemctl restart': 'service * restart|systemctl try-restart|systemctl reload-or-restart',
  'systemctl start': 'service * start|systemctl enable --now',
  shutdown:
    'poweroff|reboot|halt|init 0|init 6|telinit 0|telinit 6|systemctl poweroff|systemctl halt|systemctl reboot|systemctl kexec',
  reboot: 'shutdown -r|init 6|telinit 6|systemctl reboot|systemctl kexec|systemctl soft-reboot',
  poweroff: 'shutdown|halt|init 0|telinit 0|systemctl poweroff|systemctl halt',
  kill: 'pkill|killall|killall5|skill|fuser -k',
  pkill: 'killall|killall5|skill',
  killall: 'pkill|killall5|skill',
  // Both are one command in PowerShell on Windows.
  'Remove-Item': 'rm|del|erase|rd|rmdir',
  'Copy-Item': 'cp|copy',
  'Move-Item': 'mv|move',
  'Stop-Process': 'kill|taskkill',
  'Start-Process': 'start',
  'Invoke-WebRequest': 'curl|wget|Invoke-RestMethod',
  rm: 'Remove-Item|del|erase|rd|unlink|shred -u|find -delete|git clean -f|srm|gio remove|gio trash|trash|trash-put|rip',
  useradd: 'adduser|newusers',
  adduser: 'useradd|newusers',
  userdel: 'deluser',
  deluser: 'userdel',
  passwd: 'chpasswd|usermod -p',
  'apt-get install': 'aptitude install|nala install',
  'apt-get remove': 'aptitude remove|aptitude purge|nala remove|nala purge|dpkg --remove|dpkg --purge',
};

/** Programs that take the words of another one, and do the same to the same clusters, images, environments and scripts. */
const SPEAKS_LIKE =
  'podman docker|nerdctl docker|docker podman|oc kubectl|kubectl oc|kubecolor kubectl|tofu terraform|terraform tofu|' +
  'usql psql|pgcli psql|mycli mysql|litecli sqlite3|rake rails|rails rake|mamba conda|micromamba conda|conda mamba|' +
  // Scripts of a shell are run by another one, or by the one that is there.
  'sh bash|dash bash|zsh bash|source bash|. bash|bash sh|dash sh|zsh sh|source sh|. sh|source zsh|. zsh';

const parted = (table: Readonly<Record<string, string>>): readonly Equivalent[] =>
  Object.entries(table).flatMap(([usual, forms]) => forms.split('|').map((form) => ({ form, usual })));

const byProgram = (equivalents: readonly Equivalent[]): ReadonlyMap<string, readonly Equivalent[]> =>
  Map.groupBy(equivalents, ({ form }) => (form.split(' ')[0] as string).toLowerCase());

const EXACT_BY_PROGRAM = byProgram(parted(EXACT));
const NEAR_BY_PROGRAM = byProgram([
  ...parted(NEAR),
  ...SPEAKS_LIKE.split('|').map((names) => {
    const [form, usual] = names.split(' ') as [string, string];
    return { form, usual: `${usual} *` };
  }),
]);

/** Commands of the program that certainly do what another one of its own does. */
export const exactEquivalents = (program: string): readonly Equivalent[] => EXACT_BY_PROGRAM.get(program) ?? [];

/** Commands of the program, and of any program, that do much the same as a better known one. */
export const nearEquivalents = (program: string): readonly Equivalent[] => [
  ...(NEAR_BY_PROGRAM.get(program) ?? []),
  ...(NEAR_BY_PROGRAM.get('*') ?? []),
];
