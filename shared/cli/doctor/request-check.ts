/** Checks by a request that nobody signed that the endpoint has secrets to verify those of Slack. */
import { SLACK_REQUEST_URL } from '../../domain/aws/stack-settings.ts';
import type { Io } from '../support/io.ts';
import { kindOf, OUTPUTS } from '../support/reason-of.ts';
import { type DoctorFinding, ok, skipped, warning, wrong } from './finding.ts';

const CHECK = 'requests';
/** A cold start and a slow secret. */
const TIMEOUT_MS = 15_000;
const SECTION = 'docs/runbook.md#slack-is-not-answered';

/** The endpoint reads its secrets before it looks at a signature, and takes nobody's word without one. */
export async function checkRequests({ env }: Io): Promise<DoctorFinding[]> {
  const { variable, output } = SLACK_REQUEST_URL;
  const url = env[variable];
  if (!url) return [skipped(CHECK, `${variable} is not set (output ${output})`, OUTPUTS)];
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? '')) return [wrong(CHECK, `${variable} is no URL`, OUTPUTS)];
  try {
    const { status } = await fetch(url, {
      method: 'POST',
      body: '',
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return [findingOf(status)];
  } catch (error) {
    const { cause } = error as { readonly cause?: unknown };
    return [wrong(CHECK, `the endpoint of Slack's requests does not answer: ${kindOf(cause ?? error)}`, SECTION)];
  }
}

function findingOf(status: number): DoctorFinding {
  switch (status) {
    case 401:
      return ok(CHECK, "the endpoint has a signing secret for Slack's requests; a click tells whether it is Slack's");
    case 500:
      return wrong(
        CHECK,
        'no request of Slack can be verified, so that no click counts: the secret of output SlackSigningSecretArn or of SlackSecretArn is missing, empty or cannot be read',
        'aws secretsmanager put-secret-value --secret-id … --secret-string \'{"signingSecret":"…"}\'',
      );
    case 429:
      return warning(CHECK, "the endpoint of Slack's requests is busy", SECTION);
    case 403:
    case 404:
      return wrong(
        CHECK,
        `nobody is at the address of Slack's requests (HTTP ${status}): it changes with -c shift`,
        OUTPUTS,
      );
    default:
      return wrong(CHECK, `the endpoint of Slack's requests answers HTTP ${status}`, SECTION);
  }
}
