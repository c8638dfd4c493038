/** Allows a bare account id as a sender only by the setting, and on an endpoint of this machine. */

const LOCAL_HOSTS = new Set(['127.0.0.1', 'localhost', '[::1]', 'localhost.localstack.cloud']);

/** `setting` is the construct's `accountsAllowed`; on AWS there is no endpoint URL, and so never an account. */
export function accountsAllowed(setting: 'loopback' | undefined, endpoint = process.env['AWS_ENDPOINT_URL']): boolean {
  if (setting !== 'loopback' || !endpoint || !URL.canParse(endpoint)) return false;
  return LOCAL_HOSTS.has(new URL(endpoint).hostname);
}
