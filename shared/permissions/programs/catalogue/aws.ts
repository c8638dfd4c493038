/** Describes the command line of AWS, whose operations are told apart by their names. */
import { literalField } from '../../shell/syntax/fields.ts';
import { type OptionSpec, optionSpec, type SpecText } from '../record/options.ts';
import { everyOperand, localTarget } from '../record/outputs.ts';
import {
  type CommandRecord,
  NAMED,
  NEVER,
  type ProgramRecord,
  program,
  RUNS,
  reveals,
  set,
  subcommands,
} from '../record/record.ts';
import { readsByName, revealsByName } from './names/verbs.ts';

const HARMFUL =
  '--no-verify-ssl --endpoint-url --cli-input-json --cli-input-yaml --ca-bundle --profile-file --save-as --priv-launch-key --private-key';

const spec = (more: SpecText = {}): OptionSpec =>
  optionSpec({
    others: 'net',
    harmful: HARMFUL,
    longValues:
      '--query --filters --filter --output --region --profile --color --stack-name --table-name --key --bucket --prefix --function-name --log-group-name --max-items --cli-read-timeout --cli-connect-timeout --cli-binary-format --name --path --payload --invocation-type --log-type --qualifier --client-context --range --version-id --if-match --if-none-match --model-id --body --content-type --accept --vault-name --account-id --job-id --rest-api-id --stage-name --export-type --sdk-type --parameters --voice-id --text --output-format --text-type --engine --language-code --sample-rate --endpoint-name --key-condition-expression --expression-attribute-values --expression-attribute-names --filter-expression --projection-expression --filter-pattern --query-string',
    long: '--recursive --human-readable --summarize --no-cli-pager --dryrun --no-paginate',
    ...more,
  });

const OPTIONS = spec();

/** Operations that read. A value `file://x` is the text of a file: a rule that names the operation covers it, and a rule on all of aws does not. */
const READING: CommandRecord = {
  reads: true,
  reveals: reveals(/^--(?:with-d|include-v)/),
  options: spec({
    whole: (words) =>
      words.some(({ text }) => /file(b)?:\/\//.test(text)) ? 'the file that a value names' : undefined,
  }),
};

/**
 * Operations whose answer is a stream, which they write to the file that their only operand names. A value of an option that is not
 * listed looks like an operand, so that all of them count.
 */
const STREAMS = set(
  'create-hosted-configuration-version delete-thing-shadow describe-input-device-thumbnail execute-gremlin-explain-query ' +
    'execute-gremlin-profile-query execute-open-cypher-explain-query execute-query export-api get-clip get-code-binding-source ' +
    'get-configuration get-connection-function get-export get-function get-glyphs get-hosted-configuration-version get-image-frame ' +
    'get-image-set-metadata get-introspection-schema get-job-output get-latest-configuration get-lineage-event get-map-glyphs ' +
    'get-map-sprites get-map-style-descriptor get-map-tile get-media get-media-for-fragment-list get-object get-object-torrent ' +
    'get-package-version-asset get-position-estimate get-profile get-raw-message-content get-read-set get-reference ' +
    'get-resource-position get-sdk get-snapshot-block get-sol-function-package-content get-sol-function-package-descriptor ' +
    'get-sol-network-package-content get-sol-network-package-descriptor get-sprites get-static-map get-style-descriptor ' +
    'get-thing-shadow get-tile get-work-unit-results invoke invoke-agent-runtime invoke-endpoint invoke-model post-content ' +
    'put-session recognize-utterance synthesize-speech update-thing-shadow',
);

const CHANGING: CommandRecord = { options: OPTIONS, grant: 'subcommand', each: true };

/** A rule on `aws` covers operations that read and print no secret; any other has to be named, and the file that one writes is judged as a file. */
function operation(name: string): CommandRecord {
  const record = readsByName(name) && !revealsByName(name) ? READING : CHANGING;
  return STREAMS.has(name) ? { ...record, reads: false, writes: everyOperand } : record;
}

const KUBECONFIG = [literalField('~/.kube/config')];
const GLOBALS = {
  values:
    '--profile --region --endpoint-url --output --query --color --ca-bundle --cli-read-timeout --cli-connect-timeout --cli-binary-format',
  harmless: '--profile --region --output --query --color --no-cli-pager --no-paginate --debug',
};

/** The operations of one service: those of the list, and any other by its name. */
const service = (of: Parameters<typeof subcommands>[0] = []): CommandRecord => ({
  subcommands: subcommands(of, { ...GLOBALS, others: operation }),
});

const CREDENTIALS = ['~/.aws/credentials'];
const WRITES_THEM = ['set', 'import', 'export-credentials'];

/** `aws configure get` prints a key of the file; a verb in front of which an option hides the true one changes it. */
const credentials = (words: readonly string[]): readonly string[] =>
  words.some((word) => WRITES_THEM.includes(word) || /secret|token|access_key/.test(word)) ? CREDENTIALS : [];

/** Without a verb, and with `set`, it asks for the keys and writes them. */
const configured = (name: string): CommandRecord => ({
  ...NEVER,
  implied: (words) => (WRITES_THEM.includes(name) ? CREDENTIALS : credentials(words)),
});

export const AWS: ProgramRecord = program('aws', {
  subcommands: subcommands(
    [
      ['ec2-instance-connect', RUNS],
      ['ssm', service([['start-session send-command start-automation-execution', RUNS]])],
      ['s3', service([['cp mv sync', { options: OPTIONS, grant: 'subcommand', writes: localTarget }]])],
      // The name of a key is the key, and a connection has its password.
      ['appsync', service([['list-api-keys', CHANGING]])],
      ['glue', service([['get-connection get-connections', CHANGING]])],
      ['ecs', service([['execute-command', RUNS]])],
      ['emr', service([['ssh socks get put', RUNS]])],
      ['codeartifact', service([['login', RUNS]])],
      ['eks', service([['update-kubeconfig', { ...CHANGING, writes: () => KUBECONFIG }]])],
      [
        'configure',
        {
          ...configured('set'),
          subcommands: subcommands([['list list-profiles get', { implied: credentials, options: OPTIONS }]], {
            ...GLOBALS,
            others: configured,
          }),
        },
      ],
      ['sso', NEVER],
      ['login logout history', NAMED],
    ],
    { ...GLOBALS, others: service() },
  ),
  commandOptions: set('--parameters'),
});
