/**
 * Holds secrets of many kinds, all invented, each in a text as an agent would use it.
 *
 * Split so that no scanner of this repository takes them for real.
 */
interface InventedSecret {
  readonly kind: string;
  readonly secret: string;
  readonly text: string;
}

const joined = (...parts: readonly string[]): string => parts.join('');
const AWS_ID = joined('AK', 'IAQYLPMN5HCANARY01');
const AWS_SECRET = joined('wJalrXUtnFEMI/K7MDENG/', 'bPxRfiCYCANARYKEY0');
const GITHUB = joined('gh', 'p_CanaryCanaryCanaryCanaryCanary012345');
const SLACK = joined('xo', 'xb-123456789012-1234567890123-CanaryCanaryCanaryCanary');
const WEBHOOK = joined('T00CANARY/B00CANARY/', 'CanaryCanaryCanaryCanary');
const JWT = joined('ey', 'JhbGciOiJIUzI1NiJ9.', 'eyJzdWIiOiJjYW5hcnkifQ.', 'Q2FuYXJ5U2lnbmF0dXJlQ2FuYXJ5');
const PEM = joined(
  '-----BEGIN RSA PRIVATE',
  ' KEY-----\nMIIEcanarycanarycanarycanarycanary\n-----END RSA PRIVATE',
  ' KEY-----',
);
const NPM = joined('np', 'm_CanaryCanaryCanaryCanaryCanary0123456');
const OPENAI = joined('sk', '-live-CANARYCANARY0123');

export const INVENTED_SECRETS: readonly InventedSecret[] = [
  { kind: 'aws access key', secret: AWS_ID, text: `AWS_ACCESS_KEY_ID=${AWS_ID} aws s3 ls` },
  { kind: 'aws secret key', secret: AWS_SECRET, text: `export AWS_SECRET_ACCESS_KEY=${AWS_SECRET}` },
  { kind: 'github', secret: GITHUB, text: `gh auth login --with ${GITHUB}` },
  { kind: 'slack', secret: SLACK, text: `slack --as ${SLACK} post` },
  { kind: 'slack webhook', secret: WEBHOOK, text: `curl https://hooks.slack.com/services/${WEBHOOK}` },
  { kind: 'jwt', secret: JWT, text: `curl -H 'X-Session: ${JWT}' https://api.example` },
  { kind: 'private key', secret: PEM, text: `cat > note.txt <<EOF\n${PEM}\nEOF` },
  { kind: 'npm', secret: NPM, text: `npm publish --registry-auth ${NPM}` },
  { kind: 'api key', secret: OPENAI, text: `curl -H 'Authorization: Bearer ${OPENAI}' https://api.example/pay` },
  { kind: 'password of an address', secret: 'canary-pa55', text: 'psql postgres://app:canary-pa55@db.example/main' },
  { kind: 'basic header', secret: 'Y2FuYXJ5OmNhbmFyeS1wYTU1', text: 'Authorization: Basic Y2FuYXJ5OmNhbmFyeS1wYTU1' },
  { kind: 'user option', secret: 'canary-pa66', text: 'curl -u app:canary-pa66 https://api.example' },
  { kind: 'password option', secret: 'canary-pa77', text: 'mysql --password canary-pa77 --host db.example' },
  { kind: 'password assignment', secret: 'canary-pa88', text: 'PGPASSWORD=canary-pa88 psql' },
  { kind: 'quoted json field', secret: 'canary-pa99', text: '{"password": "canary-pa99"}' },
  {
    kind: 'cookie',
    secret: 'session-canary-c00k13',
    text: "curl -H 'Cookie: session-canary-c00k13' https://api.example",
  },
];
