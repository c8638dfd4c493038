/**
 * Checks that only a rule for the operation covers its output file, or a change in a cloud.
 *
 * An output file is one that a program writes for an operand.
 */
import { describe, expect, test } from 'vitest';
import { judge, type Rule } from '../../support.ts';

const allows = (...patterns: readonly string[]): Rule[] => patterns.map((pattern) => ['allow', pattern]);
const verdictOf = (command: string, ...patterns: readonly string[]) =>
  judge('Bash', { command }, allows(...patterns)).verdict;

/** A rule, and commands of it that write the file `src/out`. */
const WRITES: readonly (readonly [rule: string, commands: readonly string[]])[] = [
  [
    'aws s3api:*',
    [
      'aws s3api get-object --bucket b --key k src/out',
      'aws s3api get-object src/out --bucket b --key k',
      'aws --region eu-central-1 s3api get-object-torrent --bucket b --key k src/out',
    ],
  ],
  ['aws lambda invoke:*', ['aws lambda invoke --function-name f src/out', 'aws lambda invoke --payload x src/out']],
  ['aws polly synthesize-speech:*', ['aws polly synthesize-speech --text x --voice-id v src/out']],
  ['aws sagemaker-runtime invoke-endpoint:*', ['aws sagemaker-runtime invoke-endpoint --endpoint-name e src/out']],
  ['aws:*', ['aws apigateway get-sdk --rest-api-id a --stage-name s src/out', 'aws glacier get-job-output src/out']],
  ['aws s3 cp:*', ['aws s3 cp s3://b/k src/out', 'aws s3 cp --recursive s3://b/k src/out']],
  ['aws s3 sync:*', ['aws s3 sync s3://b/k src/out']],
  ['gcloud storage cp:*', ['gcloud storage cp gs://b/k src/out']],
  ['gcloud storage rsync:*', ['gcloud storage rsync gs://b src/out']],
  ['gcloud iam service-accounts keys create:*', ['gcloud iam service-accounts keys create src/out --iam-account a']],
  ['gsutil cp:*', ['gsutil cp gs://b/k src/out']],
  ['rclone copyto:*', ['rclone copyto r:k src/out']],
  ['s3cmd get:*', ['s3cmd get s3://b/k src/out']],
  ['crane pull:*', ['crane pull image src/out']],
  ['docker cp:*', ['docker cp c:/x src/out', 'docker cp -a c:/x src/out']],
  ['docker container cp:*', ['docker container cp c:/x src/out']],
  ['gh release download:*', ['gh release download v1 -D src/out', 'gh release download v1 --output src/out']],
  ['gh run download:*', ['gh run download 1 --dir src/out']],
  ['scp:*', ['scp host:x src/out', 'scp -r host:x src/out', 'scp a src/out']],
  ['rsync:*', ['rsync -a host:x/ src/out', 'rsync -a a src/out']],
  ['zip:*', ['zip src/out a b', 'zip -r src/out a', 'zip -n .png src/out a', 'zip -x a src/out b']],
  ['7z:*', ['7z a src/out b', '7z u src/out b']],
  ['ffmpeg:*', ['ffmpeg -i a src/out', 'ffmpeg -i a -y src/out', 'ffmpeg -y -i a -c copy -an src/out']],
  ['convert:*', ['convert a.png src/out', 'convert a.png -resize 50% src/out']],
  ['magick:*', ['magick a.png src/out']],
  ['mogrify:*', ['mogrify src/out']],
  ['pdftotext:*', ['pdftotext a.pdf src/out', 'pdftotext -layout a.pdf src/out']],
  ['pdftk:*', ['pdftk a.pdf b.pdf cat output src/out']],
  ['qpdf:*', ['qpdf a.pdf src/out']],
  ['optipng:*', ['optipng src/out']],
  ['flac:*', ['flac src/out']],
  ['ar:*', ['ar rcs src/out a.o']],
  ['strip:*', ['strip src/out', 'strip -g src/out']],
  ['objcopy:*', ['objcopy a src/out']],
  ['patch:*', ['patch src/out x.patch', 'patch -p1 src/out x.patch']],
  [
    'terraform providers mirror:*',
    ['terraform providers mirror src/out', 'terraform providers mirror -platform=x src/out'],
  ],
  ['tofu providers mirror:*', ['tofu providers mirror src/out']],
  ['pulumi stack graph:*', ['pulumi stack graph src/out']],
  ['docker compose cp:*', ['docker compose cp s:/x src/out']],
  ['docker context export:*', ['docker context export c src/out']],
  ['oc rsync:*', ['oc rsync pod:/x src/out']],
  ['git pack-objects:*', ['git pack-objects src/out']],
  ['rclone copyurl:*', ['rclone copyurl https://a.test/x src/out']],
  ['azcopy copy:*', ['azcopy copy https://a.test/x src/out']],
  ['skopeo copy:*', ['skopeo copy docker://a dir:src/out', 'skopeo copy docker://a oci-archive:src/out:tag']],
  ['skopeo sync:*', ['skopeo sync a src/out']],
  ['oras pull:*', ['oras pull a.test/x -o src/out', 'oras pull a.test/x --output src/out']],
  ['etcdctl:*', ['etcdctl snapshot save src/out']],
  ['consul snapshot:*', ['consul snapshot save src/out']],
  ['sass:*', ['sass a.scss src/out', 'sass --no-source-map a.scss src/out']],
  ['sphinx-build:*', ['sphinx-build docs src/out']],
  ['wkhtmltopdf:*', ['wkhtmltopdf a.html src/out']],
  ['jar:*', ['jar cf src/out a', 'jar uvf src/out a']],
];
const written = WRITES.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const));

describe('a file that an operand names needs a rule of its own', () => {
  test.each(written)('%s: %s', (rule, command) => {
    expect(verdictOf(command, `Bash(${rule})`)).toBe('ask');
    expect(verdictOf(command, `Bash(${rule})`, 'Edit(src/**)')).toBe('allow');
    expect(verdictOf(command, `Bash(${rule})`, 'Edit(lib/**)')).toBe('ask');
  });
});

describe('a deny on the file holds for the program that writes it', () => {
  test.each(written)('%s: %s', (rule, command) => {
    const rules: Rule[] = [...allows(`Bash(${rule})`, 'Edit'), ['deny', 'Edit(src/out)']];
    expect(judge('Bash', { command }, rules).verdict).toBe('deny');
  });
});

/** Names of files that no word states, and programs that no rule lets load or write by an option. */
const ASKS: readonly (readonly [rule: string, commands: readonly string[]])[] = [
  ['gh release download:*', ['gh release download v1']],
  ['csplit:*', ['csplit a 10']],
  ['patch:*', ['patch', 'patch -p1']],
  ['7z:*', ['7z x a.7z', '7z e a.7z']],
  ['yt-dlp:*', ['yt-dlp https://x.test/v', 'yt-dlp --exec id https://x.test/v']],
  ['aws eks update-kubeconfig:*', ['aws eks update-kubeconfig --name c']],
  ['gcloud container clusters get-credentials:*', ['gcloud container clusters get-credentials c']],
  ['az aks get-credentials:*', ['az aks get-credentials -n c -g g']],
  ['az storage blob download:*', ['az storage blob download -c c -n n -f src/out', 'az storage blob download -d src']],
  [
    'pandoc:*',
    [
      'pandoc -o src/out a.md',
      'pandoc --filter ./e a.md',
      'pandoc -F ./e a.md',
      'pandoc --lua-filter=e.lua a.md',
      'pandoc -d defaults a.md',
      'pandoc --pdf-engine=./e a.md',
      'pandoc --extract-media=src a.md',
    ],
  ],
  ['ffmpeg:*', ['ffmpeg -i a -vf movie=.x b', 'ffmpeg -report -i a']],
  ['convert:*', ['convert msl:x.msl a', 'convert label:@x a', 'convert @x a', 'convert a -write b c']],
  ['ssh-keygen:*', ['ssh-keygen -f src/out', 'ssh-keygen -D ./lib.so', 'ssh-keygen']],
  ['openssl:*', ['openssl x509 -req -in a -CA b -CAcreateserial', 'openssl enc -d -in a -out b']],
  ['pg_dump:*', ['pg_dump -f src/out db', 'pg_dump --file=src/out db']],
  ['mysqldump:*', ['mysqldump -r src/out db', 'mysqldump -T src db']],
  ['mongodump:*', ['mongodump', 'mongodump --out src']],
  ['jar:*', ['jar xf a.jar', 'jar -xf a.jar']],
  ['git bundle create:*', ['git bundle create ../x HEAD']],
  ['oras pull:*', ['oras pull a.test/x']],
  ['oras copy:*', ['oras copy a.test/x b.test/x --to-oci-layout']],
  ['oc extract:*', ['oc extract secret/x --to=src']],
  ['podman kube generate:*', ['podman kube generate c -f src/out']],
  ['podman generate:*', ['podman generate kube c -f src/out']],
  ['az storage copy:*', ['az storage copy -s x -d src']],
  ['gsutil cp:*', ['gsutil cp -L src/log a gs://b']],
  ['git fast-export:*', ['git fast-export --export-marks=src/out HEAD']],
  ['yarn pack:*', ['yarn pack --filename src/out']],
  ['gem unpack:*', ['gem unpack x --target src']],
  ['jsdoc:*', ['jsdoc -d src a.js', 'jsdoc --destination=src a.js']],
  ['skopeo copy:*', ['skopeo copy docker://a dir:src', 'skopeo copy docker://a ostree:x@src/repo']],
  ['google-chrome:*', ['google-chrome --headless --print-to-pdf=src/out https://a.test']],
];

describe('no prefix covers a file that no word names, or an option that loads or writes', () => {
  test.each(ASKS.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const)))(
    '%s: %s',
    (rule, command) => {
      expect(verdictOf(command, `Bash(${rule})`)).toBe('ask');
    },
  );
});

/** Commands that write nothing, or no place that a word names, and rules that name the group of a sub-command. */
const QUIET: readonly (readonly [rule: string, command: string])[] = [
  ['git:*', 'git clone --depth 1 https://a.test/x vendor/x'],
  ['git:*', 'git clone --shallow-since 2020-01-01 git@a.test:x'],
  ['hg:*', 'hg clone -r 1.0 https://a.test/x'],
  ['svn:*', 'svn checkout --username me https://a.test/x sub'],
  ['gh repo clone:*', 'gh repo clone -u up https://github.com/a/b'],
  ['hugo:*', 'hugo server -b http://localhost:1313'],
  ['jekyll:*', 'jekyll build --baseurl https://a.test'],
  ['sass:*', 'sass a.scss'],
  ['lessc:*', 'lessc a.less'],
  ['consul:*', 'consul snapshot inspect x'],
  ['etcdctl:*', 'etcdctl snapshot status x'],
  ['git bundle:*', 'git bundle verify x'],
  ['git bundle:*', 'git bundle create x HEAD'],
  ['glab repo:*', 'glab repo view'],
  ['podman kube:*', 'podman kube play x.yaml'],
  ['terraform providers:*', 'terraform providers lock'],
  ['pulumi stack:*', 'pulumi stack select dev'],
  ['pulumi:*', 'pulumi stack -s dev --show-urns'],
  ['npm token:*', 'npm token revoke x'],
  ['deno:*', 'deno check https://a.test/x.ts'],
];

test.each(QUIET)('%s covers %s', (rule, command) => expect(verdictOf(command, `Bash(${rule})`)).toBe('allow'));

/** A rule on the folder of the source is none on that of the output. */
test.each([
  ['sphinx-build:*', 'sphinx-build -b html docs lib/out', 'lib'],
  ['sass:*', 'sass docs:lib/out', 'lib'],
])('%s: %s writes %s', (rule, command, folder) => {
  expect(verdictOf(command, `Bash(${rule})`, 'Edit(docs/**)')).toBe('ask');
  expect(verdictOf(command, `Bash(${rule})`, `Edit(${folder}/**)`)).toBe('allow');
});

/** A rule, the start of a command that makes a folder, and further words: only inside of the project. */
const FOLDERS: readonly (readonly [rule: string, start: string])[] = [
  ['git:*', 'git clone https://a.test/x'],
  ['git:*', 'git init'],
  ['git bundle create:*', 'git bundle create'],
  ['hg:*', 'hg clone https://a.test/x'],
  ['svn:*', 'svn checkout https://a.test/x'],
  ['gh repo clone:*', 'gh repo clone a/b'],
  ['glab repo clone:*', 'glab repo clone a/b'],
  ['cargo:*', 'cargo new'],
  ['cargo:*', 'cargo vendor'],
  ['cargo:*', 'cargo vendor --manifest-path'],
  ['uv:*', 'uv venv'],
  ['uv:*', 'uv init'],
  ['poetry:*', 'poetry new'],
  ['python3 -m venv:*', 'python3 -m venv'],
  ['virtualenv:*', 'virtualenv'],
  ['pnpm:*', 'pnpm deploy'],
  ['composer:*', 'composer create-project a/b'],
  ['helm create:*', 'helm create'],
  ['terraform:*', 'terraform fmt'],
  ['hugo:*', 'hugo new site'],
];

describe('a rule covers a command that makes or fills a folder inside of the project only', () => {
  test.each(FOLDERS)('%s: %s', (rule, start) => {
    const verdicts = ['sub', '/tmp/x', '../x', '~/x'].map((folder) => verdictOf(`${start} ${folder}`, `Bash(${rule})`));
    expect(verdicts).toEqual(['allow', 'ask', 'ask', 'ask']);
  });
});

/** Operations that a rule on the whole program covers. */
const READS: readonly (readonly [rule: string, commands: readonly string[]])[] = [
  [
    'aws:*',
    [
      'aws ec2 describe-instances',
      'aws --region us-east-1 ec2 describe-instances --filters a',
      'aws iam list-users',
      'aws lambda get-function --function-name f',
      'aws dynamodb batch-get-item --request-items x',
      'aws dynamodb query --table-name t',
      'aws logs filter-log-events --log-group-name g',
      'aws s3api head-object --bucket b --key k',
      'aws ec2 wait instance-running --instance-ids i',
    ],
  ],
  [
    'gcloud:*',
    [
      'gcloud compute instances list',
      'gcloud run services list',
      'gcloud run services describe x --region r',
      'gcloud beta run services list',
      'gcloud projects get-iam-policy p',
      'gcloud logging read x',
      'gcloud info',
    ],
  ],
  ['az:*', ['az vm list', 'az group show -n g', 'az account show', 'az storage account check-name -n x']],
  ['gsutil:*', ['gsutil ls gs://b', 'gsutil du gs://b']],
  ['rclone:*', ['rclone ls r:', 'rclone size r:']],
  ['docker cp:*', ['docker cp src/a c:/x', 'docker cp c:/x -']],
  ['aws s3 cp:*', ['aws s3 cp src/a s3://b/k', 'aws s3 cp s3://b/k s3://c/k', 'aws s3 cp s3://b/k -']],
  ['scp:*', ['scp src/a host:x']],
  ['rsync:*', ['rsync -a src/ host:x', 'rsync -an a b']],
  ['7z:*', ['7z l a.7z', '7z t a.7z']],
  ['pandoc:*', ['pandoc -s -t html a.md']],
  ['ssh-keygen:*', ['ssh-keygen -lf src/key.pub', 'ssh-keygen -F host']],
  ['pg_dump:*', ['pg_dump -h localhost -U me db']],
];

describe('a rule on the program covers what only reads, or sends what its words name', () => {
  test.each(READS.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const)))(
    '%s: %s',
    (rule, command) => {
      expect(verdictOf(command, `Bash(${rule})`)).toBe('allow');
    },
  );
});

/** An operation that changes something, with the shortest rule that covers it. */
const CHANGES: readonly (readonly [program: string, named: string, command: string])[] = [
  ['aws', 'aws iam create-user', 'aws iam create-user --user-name x'],
  ['aws', 'aws ec2 terminate-instances', 'aws ec2 terminate-instances --instance-ids i'],
  ['aws', 'aws s3 rm', 'aws s3 rm s3://b/k'],
  ['aws', 'aws sqs receive-message', 'aws sqs receive-message --queue-url q'],
  ['aws', 'aws apigateway test-invoke-method', 'aws apigateway test-invoke-method --rest-api-id a'],
  ['gcloud', 'gcloud compute instances delete', 'gcloud compute instances delete i'],
  ['gcloud', 'gcloud run deploy', 'gcloud run deploy x --image i'],
  ['gcloud', 'gcloud run deploy', 'gcloud run deploy list --image i'],
  ['gcloud', 'gcloud secrets versions access', 'gcloud secrets versions access latest --secret s'],
  ['gcloud', 'gcloud projects set-iam-policy', 'gcloud projects set-iam-policy list x'],
  ['gcloud', 'gcloud projects add-iam-policy-binding', 'gcloud projects add-iam-policy-binding list'],
  ['az', 'az group delete', 'az group delete -n g'],
  ['az', 'az vm create', 'az vm create -n list'],
  ['gsutil', 'gsutil rm', 'gsutil rm gs://b/k'],
  ['rclone', 'rclone delete', 'rclone delete r:k'],
  ['heroku', 'heroku config:set', 'heroku config:set A=1'],
  ['vault', 'vault write', 'vault write a b=c'],
  ['eksctl', 'eksctl create', 'eksctl create cluster'],
];

describe('an operation that changes something has to be named in full', () => {
  test.each(CHANGES)('%s: %s: %s', (program, named, command) => {
    expect(verdictOf(command, `Bash(${program}:*)`)).toBe('ask');
    expect(verdictOf(command, `Bash(${named.split(' ').slice(0, -1).join(' ')}:*)`)).toBe('ask');
    expect(verdictOf(command, `Bash(${named}:*)`)).toBe('allow');
  });
});

describe('no rule on a cloud covers what runs a program, here or there', () => {
  test.each([
    'aws ecs execute-command --cluster c --command id',
    'aws emr ssh --cluster-id c',
    'aws emr put --src a',
    'aws ec2-instance-connect ssh --instance-id i',
    'aws codeartifact login --tool npm',
    'gcloud compute config-ssh',
    'gcloud beta compute copy-files a h:b',
    'gcloud alpha compute ssh h',
    'az network bastion ssh -n b',
    'az aks command invoke -g g -n c -c id',
    'aws ec2 describe-instances --filters file://filters.json',
    'aws lambda get-function --function-name fileb://x',
    'aws gamelift get-game-session-log --save-as src/out',
    'aws ec2 get-password-data --priv-launch-key k',
  ])('%s', (command) => {
    expect(verdictOf(command, `Bash(${command.split(' ')[0]}:*)`)).toBe('ask');
  });
});

describe('a command that find or xargs runs is denied like any other', () => {
  const deny: Rule[] = [
    ...allows('Bash(find:*)', 'Bash(fd:*)', 'Bash(cat:*)', 'Bash(echo:*)'),
    ['deny', 'Bash(frob:*)'],
  ];
  test.each([
    'find x -exec frob {}',
    'find x -exec frob {} +',
    "find x -exec frob {} ';'",
    "find x -execdir ./frob {} ';'",
    "find x -ok /opt/bin/frob {} ';'",
    "find x -name '*.c' -exec frob {} + -o -exec ls {} +",
    'find x -exec env frob {} +',
    "find x -exec sh -c 'frob {}' ';'",
    'find x -exec xargs frob +',
    'fd -x frob',
    'fd . x -X frob {}',
    'fd -Hx frob',
    'xargs frob',
    'xargs -a words frob',
    'xargs --arg-file=words frob',
    'xargs -awords -n 1 frob',
    'echo a | xargs -I% frob %',
    'cat words | xargs -n 1 timeout 5 frob',
    'find x | xargs frob',
    'find x -exec nice -n 5 frob {} +',
  ])('%s', (command) => {
    expect(judge('Bash', { command }, deny).verdict).toBe('deny');
  });
});

describe('a file that gives xargs its words is read, and its words may be any', () => {
  test.each([
    ['xargs -a words ls', ['Bash(ls:*)'], 'ask'],
    ['xargs --arg-file=words ls', ['Bash(ls:*)'], 'ask'],
    ['xargs -a words ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'allow'],
    ['xargs -a words git', ['Bash(git:*)', 'Bash(cat:*)'], 'ask'],
    ['xargs -a words git log', ['Bash(git:*)', 'Bash(cat:*)'], 'ask'],
    ['xargs -a words npm run', ['Bash(npm:*)', 'Bash(cat:*)'], 'ask'],
    ['xargs -a words wc -l', ['Bash(wc:*)', 'Bash(cat:*)'], 'ask'],
    ['xargs -a words wc -l --', ['Bash(wc:*)', 'Bash(cat:*)'], 'allow'],
    ['xargs -a words', ['Bash(cat:*)'], 'ask'],
    ['xargs -a .env ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'deny'],
    ['xargs -a.env ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'deny'],
    ['xargs -a words -a .env ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'deny'],
    ['xargs -a "$x" ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'ask'],
    ['xargs -a *.txt ls', ['Bash(ls:*)', 'Bash(cat:*)'], 'ask'],
  ] as const)('%s with %s: %s', (command, patterns, verdict) => {
    expect(verdictOf(command, ...patterns)).toBe(verdict);
  });
});
