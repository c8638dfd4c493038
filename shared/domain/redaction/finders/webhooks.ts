/** Finds the secret part of webhook addresses; the part that says where they lead stays. */
import { type SecretSpan, WEBHOOK_KIND } from '../text/marker.ts';
import { matchesOf } from '../text/matches.ts';

/** The parts before the last one name the owner of the address. */
const OWNED = [
  String.raw`discord(?:app)?\.com\/api\/(?:v\d{1,2}\/)?webhooks\/\d{6,24}\/`,
  String.raw`hooks\.slack\.com\/(?:triggers|workflows)\/[A-Z0-9]{6,16}\/(?:[A-Z0-9]{6,16}\/)?\d{6,24}\/`,
  String.raw`hooks\.slack\.com\/services\/[A-Z0-9]{6,16}\/[A-Z0-9]{6,16}\/`,
  String.raw`webhook\.office\.com\/webhookb2\/[A-Za-z0-9@-]{36,90}\/IncomingWebhook\/`,
  String.raw`hooks\.zapier\.com\/hooks\/(?:catch|standard)\/\d{4,12}\/`,
  String.raw`hooks\.airtable\.com\/workflows\/v1\/genericWebhook\/app[A-Za-z0-9]{4,20}\/wfl[A-Za-z0-9]{2,20}\/`,
  String.raw`api\.vercel\.com\/v1\/integrations\/deploy\/prj_[A-Za-z0-9]{8,40}\/`,
  String.raw`api\.render\.com\/deploy\/srv-[a-z0-9]{1,40}\?key=`,
];
/** Nothing but the secret names the owner: its first six characters stay, so that people can tell it from another. */
const NAMED_BY_SECRET = [
  String.raw`hook(?:\.[a-z0-9]{2,6})?\.(?:make|integromat)\.com\/`,
  String.raw`maker\.ifttt\.com\/trigger\/[^\/\s]{1,80}\/(?:json\/)?with\/key\/`,
  String.raw`[a-z0-9-]{1,40}\.(?:infura\.io\/v3|g\.alchemy\.com\/v2|quiknode\.pro)\/`,
  String.raw`api\.netlify\.com\/build_hooks\/`,
  String.raw`events\.pagerduty\.com\/integration\/`,
  String.raw`open\.(?:feishu\.cn|larksuite\.com)\/open-apis\/bot\/v2\/hook\/`,
  String.raw`qyapi\.weixin\.qq\.com\/cgi-bin\/webhook\/send\?key=`,
].map((address) => `${address}[A-Za-z0-9_-]{6}`);

/** Built once, from the two tables and from no input. */
const WEBHOOK = new RegExp(
  String.raw`(?<=:\/\/)(?:[a-z0-9-]{1,40}\.)?(?:${[...OWNED, ...NAMED_BY_SECRET].join('|')})([A-Za-z0-9_-]{5,})`,
  'g',
);

export const findWebhooks = (text: string): SecretSpan[] =>
  matchesOf(text, WEBHOOK).map(({ 0: all, 1: secret = '', index }) => {
    const end = index + all.length;
    return { start: end - secret.length, end, kind: WEBHOOK_KIND };
  });
