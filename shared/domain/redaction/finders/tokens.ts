/**
 * Finds tokens that are known by their shape, beside those that the detector knows.
 * Each pattern starts only where a run of its characters does.
 */
import { holdsAwsId, isAwsSecret } from '../readers/aws-pair.ts';
import type { SecretSpan } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';
import { findWebhooks } from './webhooks.ts';

/** Tokens with a prefix of their own; at least 16 characters follow it. */
const PREFIXED: readonly (readonly [kind: string, pattern: RegExp])[] = [
  ['api key', /(?<![A-Za-z0-9_-])(?:sk|rk)[-_][A-Za-z0-9_-]{16,}/g],
  ['aws access key', /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g],
  ['github', /(?<![A-Za-z0-9_])(?:gh[pousr]_|github_pat_)[A-Za-z0-9_]{16,}/g],
  ['gitlab', /(?<![A-Za-z0-9_-])gl(?:pat|ptt|rt|rtr|dt|cbt|soat|oas|ft|fft|ffct|agent|imt|wt)-[A-Za-z0-9_-]{16,}/g],
  ['slack', /(?<![A-Za-z0-9_-])xox[a-z]{1,2}-[A-Za-z0-9-]{10,}|(?<![A-Za-z0-9_-])xapp-[A-Za-z0-9-]{10,}/g],
  ['google', /(?<![A-Za-z0-9_-])(?:AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{16,}|GOCSPX-[A-Za-z0-9_-]{16,})/g],
  ['npm', /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{16,}/g],
  ['sendgrid', /(?<![A-Za-z0-9_-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g],
  [
    'jwt',
    /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.(?:[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){0,3}|(?:\.[A-Za-z0-9_-]{8,}){3})/g,
  ],
  ['vault', /(?<![A-Za-z0-9_-])hv[sbr]\.[A-Za-z0-9_-]{16,}/g],
  ['digitalocean', /(?<![A-Za-z0-9_])do[opr]_v1_[A-Za-z0-9]{16,}/g],
  ['pypi', /(?<![A-Za-z0-9_-])pypi-[A-Za-z0-9_-]{16,}/g],
  // Not the end of a UUID in decimal digits, with another id behind its colon.
  [
    'telegram',
    /(?<!\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9]{12}:)(?<=(?<![A-Za-z0-9])(?:bot)?[0-9]{6,12}:)[A-Za-z0-9_-]{30,50}(?![A-Za-z0-9_-])/gi,
  ],
  ['discord', /(?<![A-Za-z0-9_-])[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}/g],
  ['age secret key', /(?<![A-Za-z0-9-])AGE-SECRET-KEY-1[A-Za-z0-9]{16,}/g],
  ['aws session', /(?<![A-Za-z0-9+/])(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9+/=]{60,}/g],
  ['bedrock', /(?<![A-Za-z0-9+/_-])(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/=]{60,}/g],
  // The secret of an application; its fourth character is a digit.
  ['azure', /(?<![A-Za-z0-9_~.-])[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}(?![A-Za-z0-9_~.-])/g],
  ['terraform', /(?<![A-Za-z0-9])[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{40,}/g],
  ['braintree', /access_token\$[a-z]{4,16}\$[a-z0-9]{8,32}\$[a-f0-9]{16,}/g],
  ['google refresh', /(?<![A-Za-z0-9_/-])1\/\/0[A-Za-z0-9_-]{40,}/g],
  ['facebook', /(?<![A-Za-z0-9])EAA[A-Za-z0-9]{90,}/g],
  ['square', /(?<![A-Za-z0-9])EAAA[A-Za-z0-9_-]{60}(?![A-Za-z0-9_-])/g],
  ['new relic', /(?<![A-Za-z0-9])[a-f0-9]{32,36}(?:FFFF)?NRAL(?![A-Za-z0-9])/g],
  ['nuget', /(?<![A-Za-z0-9])oy2[a-z0-9]{43}(?![A-Za-z0-9])/g],
  ['app key', /(?<![A-Za-z0-9])base64:[A-Za-z0-9+/]{43}=/g],
  ['dropbox', /(?<![A-Za-z0-9_.-])sl\.(?:u\.)?[A-Za-z0-9_-]{100,}/g],
  [
    '1password',
    /(?<![A-Za-z0-9_-])(?:ops_eyJ[A-Za-z0-9_-]{40,}|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3})/g,
  ],
  ['airtable', /(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[a-f0-9]{64}/g],
  ['mailgun', /(?<![A-Za-z0-9_-])key-[a-f0-9]{32}(?![A-Za-z0-9])/g],
  ['mailgun', /(?<![A-Za-z0-9-])[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}(?![A-Za-z0-9-])/g],
  ['salesforce', /(?<![A-Za-z0-9])00D[A-Za-z0-9]{12,15}![A-Za-z0-9_.]{60,}/g],
  ['azure', /(?<![A-Za-z0-9])[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![A-Za-z0-9])/g],
  ['azure key', /(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{76}\+?(?:AStA|ACDb|ARm)[A-Za-z0-9+/]{4,10}={0,2}/g],
  ['asana', /(?<![A-Za-z0-9])[12]\/[0-9]{13,19}\/[0-9]{13,19}:[a-f0-9]{32}(?![A-Za-z0-9])/g],
  ['extended private key', /(?<![A-Za-z0-9])[xyzt]prv[A-Za-z0-9]{100,}/g],
  ['launchdarkly', /(?<![A-Za-z0-9-])(?:sdk|api)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![A-Za-z0-9-])/g],
  ['clickup', /(?<![A-Za-z0-9_])pk_[0-9]{6,10}_[A-Z0-9]{32}(?![A-Za-z0-9])/g],
  // The body of a key in PKCS#8 or PKCS#1, or of an elliptic curve.
  [
    'key body',
    /(?<![A-Za-z0-9+/])(?:MII[A-Za-z0-9+/]{3}IBADANBgkqhkiG9w0BAQEFAASC|MIG[A-Za-z0-9+/]AgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg|MIG[A-Za-z0-9+/]AgEAMBMGByqGSM49AgEGCCqGSM49AwEHBHkwdwIBAQQg)[A-Za-z0-9+/=]{16,}/g,
  ],
  ['password hash', /(?<![A-Za-z0-9$])\$(?:2[aby]\$[0-9]{2}|apr1|[156]|y|argon2id?)\$[A-Za-z0-9./+$,=]{16,}/g],
  ['mailchimp', /(?<![A-Za-z0-9])[a-f0-9]{32}-us[0-9]{1,2}(?![A-Za-z0-9])/g],
  ['twilio', /(?<![A-Za-z0-9])SK[a-f0-9]{32}(?![A-Za-z0-9])/g],
  ['notion', /(?<![A-Za-z0-9_])secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])/g],
  ['openssh key', /(?<![A-Za-z0-9+/])b3BlbnNzaC1rZXktdjE[A-Za-z0-9+/=]{16,}/g],
  [
    'access token',
    /(?<![A-Za-z0-9_-])(?:hf_|GR1348941|cal_live_|tgp_v1_|hexpm_|packagist_[uo][ru]t_|CLOJARS_|xkeysib-|xsmtpsib-|mlsn\.|rnd_|vcp_|cfut_|cfat_|akab-|NRII-|NRJS-|hca[il][kc]_|dt0[cs]\d{2}\.|tfp_|wandb_v1_|e2b_|csk-|jina_|rpa_|mdb_sa_sk_|CCDB1_|xau_|sq[pua]_|snyk_uat\.|fw_(?=[A-Za-z0-9]{20,})|re_(?=[A-Za-z0-9]{8}_)|fc-(?=[a-f0-9]{32})|pat-[a-z]{2,3}[0-9]-|amzn\.mws\.|da2-(?=[a-z0-9]{26})|AKCp(?=[A-Za-z0-9]{60})|cmVmdGtuOj|IGQ[VW](?=[A-Za-z0-9]{100})|AQV[A-Za-z](?=[A-Za-z0-9_-]{100})|t1\.(?=[A-Za-z0-9_-]{20,}\.)|y0__?(?=[A-Za-z0-9_-]{50})|AQVN(?=[A-Za-z0-9_-]{35})|ATTA(?=[a-f0-9]{60})|access-(?:production|development|sandbox)-(?=[0-9a-f]{8}-)|shp(?:at|ca|pa|ss)_|lin_(?:api|oauth)_|xai-|ntn_|glsa_|glc_|sntry[su]_|sbp_|sb_secret_|napi_|nfp_|vercel_blob_rw_|dckr_oat_|bk(?:ua|ct|pt)_|fm[12][ar]?_|fo1_|ATBB|ATCTT3|cio(?=[A-Za-z0-9]{32}(?![A-Za-z0-9]))|cflt(?=[A-Za-z0-9+/]{60})|lsv2_(?:pt|sk)_|pcsk_|tvly-|sgp_|phx_|AQ\.Ab8|figd_|rubygems_|dckr_pat_|gsk_|r8_|whsec_|pscale_(?:tkn|pw)_|sq0(?:csp|atp)-|PMAK-|NRAK-|HRKU-|CFPAT-|CCIPAT_|pul-|pplx-|nvapi-|tskey-[a-z]{2,12}-|ATATT3|dp\.(?:pt|st|ct|sa|scim|audit)\.|dapi(?=[0-9a-f]{32}))[A-Za-z0-9_=.-]{16,}/g,
  ],
  // In the middle of a name, or emphasized in Markdown: of their own length, since names are written like this.
  [
    'token',
    /(?<=[_-])(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}|npm_[A-Za-z0-9]{36}|hf_[A-Za-z0-9]{34}|[sr]k_(?:live|test)_[A-Za-z0-9]{24,}|sk-(?:ant|proj)-[A-Za-z0-9_-]{40,}|glpat-[A-Za-z0-9_-]{20}|xox[abeoprs]-[0-9]{8,}-[A-Za-z0-9-]{16,}|AIza[A-Za-z0-9_-]{35})/g,
  ],
];

/** The signature of an address: whoever has it may use the address. */
const SIGNATURE =
  /(?<=[?&;](?:sig|signature|x-(?:amz|goog|oss|ms)-(?:signature|security-token))=)[A-Za-z0-9%+/=_.~-]{16,262144}/gi;
/** A value of an address that no word is: letters of both cases and digits. */
const QUERY_KEY =
  /(?<=[?&;](?:key|code)=)(?=[^&\s]{0,200}[a-z])(?=[^&\s]{0,200}[A-Z])(?=[^&\s]{0,200}[0-9])[A-Za-z0-9%+/=_.~-]{20,262144}/g;
/** `user:password@tcp(host)`, as Go writes addresses of MySQL. */
const GO_ADDRESS = /(?<=(?<![A-Za-z0-9_.-])[A-Za-z0-9_.-]{1,64}:)[^\s:@'"]{3,262144}(?=@(?:tcp|unix)\()/g;
/** The second half of a pair, 40 characters without a shape of their own. */
const AWS_SECRET = /(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{40}(?![A-Za-z0-9+/=])/g;

export function findTokens(text: string): SecretSpan[] {
  const found = PREFIXED.flatMap(([kind, pattern]) => spansOf(text, pattern, kind));
  found.push(...findWebhooks(text), ...spansOf(text, SIGNATURE, 'signature'));
  found.push(...spansOf(text, QUERY_KEY, 'key'), ...spansOf(text, GO_ADDRESS, 'password'));
  if (holdsAwsId(text)) {
    for (const span of spansOf(text, AWS_SECRET, 'aws secret key'))
      if (isAwsSecret(text.slice(span.start, span.end))) found.push(span);
  }
  return found;
}

const spansOf = (text: string, pattern: RegExp, kind: string): SecretSpan[] =>
  matchesOf(text, pattern).map(({ 0: all, index }) => ({ start: index, end: index + all.length, kind }));
