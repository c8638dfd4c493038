/** Describes containers and clusters, and sandboxes and devices that run programs. */
import { insideOnly, isElsewhere, operandsInside } from '../record/elsewhere.ts';
import { type OptionSpec, optionSpec } from '../record/options.ts';
import { localTarget, secondOperand } from '../record/outputs.ts';
import {
  type CommandRecord,
  EXECUTES,
  GROUP,
  NAMED,
  NEVER,
  named,
  netOptions,
  type ProgramRecord,
  program,
  programs,
  RUNS,
  runner,
  set,
  subcommands,
} from '../record/record.ts';
import { secretKinds } from './containers/kube-secrets.ts';
import { chosenTargets, targetSpellings } from './containers/kube-targets.ts';
import { mountSpellings } from './containers/mounts.ts';

const DOCKER_HARMFUL =
  '--host --context --config --tlscacert --tlscert --tlskey --output --env-file --volume --mount --privileged --build-context --secret --ssh --iidfile --cidfile --metadata-file --add-host --security-opt --device --cap-add --pid --allow --builder';

const DOCKER = optionSpec({
  // Without the number behind `-n`: podman's has none.
  flags: 'aqnfs',
  long: '--all --quiet --no-trunc --size --latest --timestamps --details --digests --follow --version --no-stream',
  longValues: '--filter --format --tail --since --until --last --type',
  harmful: `${DOCKER_HARMFUL} --file`,
});

const SHOWS: CommandRecord = { reads: true, options: DOCKER, paths: { text: true } };
const BUILD_FILES = set('-f --file');

/** Builds what the project's own file says; a rule has to name it. */
const BUILDS: CommandRecord = named(`${DOCKER_HARMFUL} -o --network --cache-to --cache-from`, {
  operands: (operands, options) =>
    operands.some(isElsewhere) ||
    options.some(({ name, value }) => BUILD_FILES.has(name) && value !== undefined && isElsewhere(value))
      ? 'a build of something outside of the project'
      : undefined,
  values: 'tf',
  flags: 'q',
  longValues: '--tag --file --target --build-arg --platform --progress --label',
  long: '--no-cache --pull --quiet --load',
});

const EVERY_NAMESPACE = {
  option: /^(?:-[a-zA-Z]*A|--all-namespaces(?:=true)?)$/,
  valued: /^\*?(?:-n|--namespace$|--namespace=)/,
};

const COPY: CommandRecord = { grant: 'subcommand', options: netOptions('', { flags: 'aLq' }), writes: localTarget };
/** The `-f` of podman names the file that it writes. */
const KUBE: CommandRecord = named(`${DOCKER_HARMFUL} -f --filename`);

const COMPOSE: CommandRecord = {
  subcommands: subcommands(
    [
      [
        'ps logs images ls top config port version',
        {
          ...SHOWS,
          options: optionSpec({
            flags: 'aqftn',
            values: 'n',
            long: '--all --quiet --follow --timestamps --no-color --services --format',
            longValues: '--tail --since --filter',
          }),
        },
      ],
      ['build', BUILDS],
      [
        'up down start stop restart pull rm kill pause unpause create watch wait',
        named(DOCKER_HARMFUL, {
          flags: 'dvtfs',
          long: '--detach --build --force-recreate --remove-orphans --volumes --wait --no-deps --quiet-pull',
          longValues: '--scale --timeout --profile',
        }),
      ],
      ['run exec', EXECUTES],
      ['cp', COPY],
    ],
    {
      values: '-f --file -p --project-name --profile --env-file --project-directory --ansi --progress --parallel',
      harmless: '-p --project-name --profile --ansi --progress --parallel -f --file',
      inside: '-f --file',
      others: NAMED,
    },
  ),
};

const KUBECTL = optionSpec({
  flags: 'AwRfp',
  values: 'nolLc',
  long: '--client --all-namespaces --watch --show-labels --no-headers --previous --timestamps --all-containers --show-kind --recursive --server-print --ignore-not-found --follow --prefix',
  longValues:
    '--namespace --output --selector --field-selector --sort-by --container --tail --since --api-version --chunk-size --timeout',
  harmful:
    '--kubeconfig --context --server --token --as --filename --kustomize --template --exec --user --cluster --certificate-authority --client-key --client-certificate --raw',
  value: (_name, value) => (value.text.includes('file=') ? 'an output that reads a file' : undefined),
});
/** Runs a command in a new container, which may hold folders of this machine. */
const STARTS: CommandRecord = { ...EXECUTES, spellings: mountSpellings };

const KUBECTL_READS: CommandRecord = {
  reads: true,
  options: KUBECTL,
  paths: { text: true, files: set('-f --filename -k --kustomize --kubeconfig') },
};
/** Here `-f` is `--filename`. */
const KUBECTL_LISTS: CommandRecord = { ...KUBECTL_READS, options: { ...KUBECTL, flags: 'AwR' } };
/** Compares with files of the project. */
const KUBECTL_DIFF: CommandRecord = {
  reads: true,
  options: {
    ...KUBECTL,
    flags: 'R',
    values: 'nlfk',
    longValues: set('--namespace --selector --filename --kustomize'),
    harmful: new Set([...KUBECTL.harmful].filter((name) => name !== '--filename' && name !== '--kustomize')),
    value: insideOnly('-f', '--filename', '-k', '--kustomize'),
  },
};
/** A folder of the project; `github.com/x/y` is an address. */
const KUSTOMIZE = set('-k --kustomize');
const KUBECTL_CHANGES: CommandRecord = {
  each: true,
  ...named(
    '--kubeconfig --context --server --token --as --template --user --cluster --certificate-authority --client-key --client-certificate --raw',
    {
      value: (name, value) =>
        ((name === '-f' || name === '--filename') && value.text.includes('://')) ||
        (KUSTOMIZE.has(name) && (isElsewhere(value) || /^[^./]+\./.test(value.text)))
          ? 'a file from elsewhere'
          : undefined,
      values: 'nflcoRk',
      longValues: '--namespace --filename --kustomize --selector --timeout --replicas --dry-run --output',
      long: '--all --force --wait --record --recursive',
    },
  ),
};

/** `create job … -- CMD` runs CMD in the cluster. */
const KUBECTL_CREATE: CommandRecord = {
  ...KUBECTL_CHANGES,
  options: {
    ...(KUBECTL_CHANGES.options as OptionSpec),
    operands: ([first]) =>
      first?.text === 'job' || first?.text === 'cronjob' ? 'a job, which runs a command' : undefined,
  },
  runner: runner('options', { anywhere: true }),
};

const HELM_ELSEWHERE = '--post-renderer --kubeconfig --kube-context --repo --set-file --ca-file';
const HELM_VALUES = { values: 'fn', longValues: '--values --set --namespace --version' } as const;

export const CONTAINERS: readonly ProgramRecord[] = [
  ...programs('docker podman nerdctl', {
    commandOptions: set('--runtime --conmon'),
    subcommands: subcommands(
      [
        ['ps images logs inspect version info top port stats diff history events search', SHOWS],
        [
          'container image',
          {
            also: 'docker',
            subcommands: subcommands(
              [
                ['ls list ps logs inspect top stats diff history port', SHOWS],
                ['build', BUILDS],
                ['cp', COPY],
                ['run create', STARTS],
                ['exec', EXECUTES],
                ['update', RUNS],
              ],
              { others: NAMED },
            ),
          },
        ],
        [
          'network volume system context',
          {
            subcommands: subcommands(
              [
                ['ls list inspect df info show', SHOWS],
                ['export', { ...NAMED, writes: secondOperand }],
              ],
              { others: NAMED },
            ),
          },
        ],
        ['generate', KUBE],
        ['kube', { subcommands: subcommands([], { others: { ...KUBE, ...GROUP } }) }],
        [
          'service',
          {
            subcommands: subcommands(
              [
                ['ls ps inspect', SHOWS],
                ['create update', RUNS],
              ],
              { others: NAMED },
            ),
          },
        ],
        [
          'machine',
          {
            subcommands: subcommands(
              [
                ['ls list info inspect', SHOWS],
                ['ssh', RUNS],
              ],
              { others: NAMED },
            ),
          },
        ],
        ['build', BUILDS],
        [
          'buildx',
          {
            subcommands: subcommands(
              [
                ['build', BUILDS],
                ['ls du version inspect', SHOWS],
                ['bake', NAMED],
              ],
              { others: NEVER },
            ),
          },
        ],
        ['compose', COMPOSE],
        ['run create', STARTS],
        ['exec', EXECUTES],
        ['unshare', RUNS],
        [
          'start stop restart rm rmi pull push tag kill rename wait pause unpause login logout',
          named(DOCKER_HARMFUL, { flags: 'fvqait', values: 't' }),
        ],
        ['cp', COPY],
        ['plugin swarm config secret', NEVER],
      ],
      {
        values:
          '-H --host -c --context --config -l --log-level --tlscacert --tlscert --tlskey --url --connection --root --runroot',
        harmless: '-D --debug -l --log-level',
        others: NAMED,
      },
    ),
  }),
  program('docker-compose', { ...COMPOSE, also: 'docker compose' }),
  program('podman-compose', { ...COMPOSE, also: 'podman compose' }),
  ...programs('kubectl oc k3s-kubectl', {
    spellings: targetSpellings,
    every: EVERY_NAMESPACE,
    subcommands: subcommands(
      [
        ['get', { ...KUBECTL_LISTS, reveals: secretKinds }],
        ['describe explain top api-resources api-versions cluster-info version events', KUBECTL_LISTS],
        ['diff', KUBECTL_DIFF],
        ['logs', KUBECTL_READS],
        ['auth', { subcommands: subcommands([['can-i whoami', KUBECTL_LISTS]], { others: NAMED }) }],
        [
          'config',
          {
            subcommands: subcommands(
              [
                ['current-context get-contexts get-clusters', KUBECTL_LISTS],
                ['view', { ...NAMED, implied: (words) => (words.includes('--raw') ? ['~/.kube/config'] : []) }],
                ['set set-credentials set-cluster', { ...NAMED, implied: () => ['~/.kube/config'] }],
              ],
              { others: NAMED },
            ),
          },
        ],
        ['rollout', { subcommands: subcommands([['status history', KUBECTL_LISTS]], { others: KUBECTL_CHANGES }) }],
        ['create', KUBECTL_CREATE],
        ['apply scale label annotate patch set expose cordon uncordon drain taint wait replace', KUBECTL_CHANGES],
        ['delete', { ...KUBECTL_CHANGES, reaches: chosenTargets }],
        // Behind `--`: other words may be its own.
        ['exec', { runner: runner('named', { anywhere: true, operands: 2, flags: '-i -t -it -ti --stdin --tty' }) }],
        ['run debug attach cp rsh', RUNS],
        // Sub-commands of oc.
        ['rsync', COPY],
        ['extract', named('--to')],
        ['port-forward', named('--address --kubeconfig --context --server')],
        ['proxy edit plugin krew', NEVER],
      ],
      {
        values: '-n --namespace --context --cluster --user --kubeconfig -s --server --token --as -v',
        harmless: '-n --namespace',
        others: NAMED,
      },
    ),
  }),
  program('helm', {
    every: EVERY_NAMESPACE,
    subcommands: subcommands(
      [
        [
          'list ls status get history show search version',
          {
            reads: true,
            // `-o` is a format here.
            options: netOptions('--post-renderer --kubeconfig --kube-context', {
              values: 'onl',
              longValues: '--output --namespace --selector --filter --revision --max --version',
            }),
          },
        ],
        [
          'template lint',
          {
            options: netOptions('--post-renderer --output-dir --kubeconfig --kube-context', {
              values: 'fn',
              longValues: '--values --set --namespace',
            }),
          },
        ],
        // Here `-d` names the folder that it writes to.
        ['pull fetch package', named(`${HELM_ELSEWHERE} -d`, HELM_VALUES)],
        ['create', named(HELM_ELSEWHERE, { ...HELM_VALUES, operands: operandsInside })],
        ['plugin', RUNS],
      ],
      {
        values: '-n --namespace --kube-context --kubeconfig --kube-apiserver --kube-token --repository-config',
        harmless: '-n --namespace',
        others: named(HELM_ELSEWHERE, HELM_VALUES),
      },
    ),
    commandOptions: set('--post-renderer'),
  }),
  program('kustomize', {
    options: netOptions(
      '--enable-exec --helm-command --enable-helm --enable-alpha-plugins -o --output --load-restrictor',
      {
        operands: (operands) =>
          operands.some(({ text }) => text.includes('://') || text.includes('?ref=') || text === 'fn')
            ? 'a remote base or a function'
            : undefined,
      },
    ),
    commandOptions: set('--helm-command'),
  }),
  ...programs('minikube kind k3d', {
    subcommands: subcommands(
      [
        ['status version get', { reads: true }],
        ['ssh', RUNS],
        ['kubectl', { ...RUNS, also: 'kubectl' }],
      ],
      { others: NAMED },
    ),
  }),
  ...programs('lxc incus', {
    subcommands: subcommands(
      [
        ['exec shell', RUNS],
        ['list info', { reads: true }],
      ],
      { others: {} },
    ),
  }),
  ...programs('flatpak snap', {
    subcommands: subcommands(
      [
        ['run', RUNS],
        ['list info search', { reads: true }],
      ],
      { others: {} },
    ),
  }),
  program('adb', {
    subcommands: subcommands(
      [
        ['shell exec-out', RUNS],
        ['devices version', { reads: true }],
      ],
      { values: '-s -t -H -P', others: {} },
    ),
  }),
  program('wsl', RUNS),
];
