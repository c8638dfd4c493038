/** Words the error of a library or a service as one line, with the next step where its kind tells one. */
import { fieldOf } from '../../domain/issue-words.ts';

export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { issues: [issue] = [], errors: [inner] = [] } = error as {
    readonly issues?: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[];
    readonly errors?: readonly Error[];
  };
  if (issue) return `a row is not as this version writes it: ${fieldOf(issue.path)}: ${issue.message}`;
  const reason = (error.message || inner?.message || error.name).replaceAll(/\s*\n\s*/g, ' ');
  const step = nextStep(error);
  return step === undefined ? reason : `${reason}; ${step}`;
}

/** Names what to do about an error; undefined where its kind tells nothing. */
export function nextStep(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [inner = error] = (error as { readonly errors?: readonly Error[] }).errors ?? [];
  const { code = '' } = inner as NodeJS.ErrnoException;
  return NEXT_STEPS.find(([kind]) => kind.test(error.name) || kind.test(code))?.[1];
}

/** By the name that AWS gives to a refusal, or Node to a connection that fails. Services spell the same refusal in several ways. */
const NEXT_STEPS: readonly (readonly [kind: RegExp, step: string])[] = [
  [
    /^AccessDenied/,
    "take the role that may: an operator's (OperatorRole…Arn, grantOperate) changes something and sees the state, the auditor's (AuditorRoleArn, " +
      'grantAudit) reads the record. aws sts get-caller-identity names yours; a name that is no output of the stack is refused, too',
  ],
  [
    /^(?:ExpiredToken|UnrecognizedClient|InvalidClientTokenId|InvalidSignature|SignatureDoesNotMatch|CredentialsProviderError)/,
    "give the role's credentials, by the environment or AWS_PROFILE",
  ],
  [/^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/, 'is AWS_REGION right, and AWS_ENDPOINT_URL, if it is set?'],
];
