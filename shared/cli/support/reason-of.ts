/** Words the error of a library or a service as one line, with the next step where its kind tells one. */
import { fieldOf } from '../../domain/issue-messages.ts';

/** Prints the outputs of the stack under its default name. */
export const OUTPUTS = "aws cloudformation describe-stacks --stack-name Countersign --query 'Stacks[0].Outputs'";

export function reasonOf(error: unknown): string {
  const step = nextStep(error);
  return step === undefined ? refusalOf(error) : `${refusalOf(error).replace(/\.$/, '')}; ${step}`;
}

/** The same without the next step. */
export function refusalOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { issues: [issue] = [], errors: [inner] = [] } = error as {
    readonly issues?: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    readonly errors?: readonly Error[];
  };
  if (issue) return `a row is not as this version writes it: ${fieldOf(issue.path)}: ${issue.message}`;
  return (error.message || inner?.message || error.name).replaceAll(/\s*\n\s*/g, ' ');
}

/** The name that AWS gives to a refusal, or Node to a connection that fails: without the text, which may name a person. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return 'Error';
  const [inner = error] = (error as { readonly errors?: readonly Error[] }).errors ?? [];
  const { code = '' } = inner as NodeJS.ErrnoException;
  return /^E[A-Z_]+$/.test(code) ? code : error.name;
}

/** Names what to do about an error; undefined where its kind tells nothing. */
export function nextStep(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  if (OTHER_REGION.test(error.message)) return ELSEWHERE;
  if (OF_KEY.test(error.message)) return KEY;
  const step = stepAfter(error.name) ?? stepAfter(kindOf(error));
  return step !== undefined && OF_NO_ROLE.test(error.message) ? ADMINISTRATOR : step;
}

/** Histories hold task tokens. */
const OF_NO_ROLE = /not authorized to perform: states:GetExecutionHistory/;
const ADMINISTRATOR = 'no role of the gate has this right: leave --history away, or take that of an administrator';

/** Services that meet a key which is off, or refused, often say so in the text alone. */
const OF_KEY = /\bKMS\b|\bkms:(?:Decrypt|GenerateDataKey|Sign)\b/;
const KEY =
  'is the KMS key enabled, and does its policy let your role and the gate use it? docs/operate.md tells what a key that is off does';

/** A queue's address leads to its region, whatever region signs: AWS then speaks of the signature. */
const OTHER_REGION = /scoped to (?:a valid|the correct) region/;

/** The same of a kind alone. */
export const stepAfter = (kind: string): string | undefined => NEXT_STEPS.find(([one]) => one.test(kind))?.[1];

/** A line for each part of an answer that could not be read; the steps follow once each, for one missing right takes away several. */
export const unreadLines = (sentences: readonly string[], steps: readonly (string | undefined)[]): string =>
  [...new Set([...sentences, ...steps.filter((step) => step !== undefined)])].join('\n');

const ELSEWHERE = `names (COUNTERSIGN_… and options) are outputs of the stack, in the region of AWS_REGION: ${OUTPUTS}`;

/** Services spell the same refusal in several ways. */
const NEXT_STEPS: readonly (readonly [kind: RegExp, step: string])[] = [
  [
    /^AccessDenied/,
    "take the role that may: an operator's (OperatorRole…Arn, grantOperate) changes something and sees the state, the auditor's (AuditorRoleArn, " +
      'grantAudit) reads the record. aws sts get-caller-identity names yours. Names that are no outputs of the stack are refused, too, and those of another region than AWS_REGION',
  ],
  [
    /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|CredentialsProviderError)/,
    "give the role's credentials, by the environment or AWS_PROFILE; aws sts get-caller-identity tells what is wrong with them",
  ],
  [
    /^(?:ResourceNotFound|NotFoundException|QueueDoesNotExist|AWS\.SimpleQueueService\.NonExistentQueue|NoSuchBucket|StateMachineDoesNotExist)/,
    ELSEWHERE,
  ],
  [/^K[Mm][Ss]|^DisabledException/, KEY],
  [/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/, 'is AWS_REGION right, and AWS_ENDPOINT_URL, if it is set?'],
];
