/** Tells whether a host is private: loopback, link-local, cluster-local, metadata or reserved. */
import {
  embeddedIpv4,
  type IpAddress,
  isLinkLocal,
  isSpecialIpv4,
  isSpecialIpv6,
  readIpv4,
  readIpv6,
} from './ip-address.ts';

/** Names, and all names below them, that no public name server answers. */
const LOCAL_DOMAINS = [
  'localhost',
  'local',
  'internal',
  'localdomain',
  'home.arpa',
  'lan',
  'intranet',
  'corp',
  'home',
  'private',
  // Kubernetes: `service.namespace`, `service.namespace.svc`, `….svc.cluster.local`
  'default',
  'kube-system',
  'svc',
  'pod',
  'cluster',
  'consul',
  'docker',
  'internal.cloudapp.net',
] as const;

/** Public services that answer with the address in the name, or with one that changes. */
const EMBEDDING_DOMAINS = [
  'nip.io',
  'sslip.io',
  'xip.io',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'traefik.me',
  'rbndr.us',
  '1u.ms',
] as const;

const PRIVATE_DOMAINS: ReadonlySet<string> = new Set([...LOCAL_DOMAINS, ...EMBEDDING_DOMAINS]);

/** First labels under which clouds answer with metadata and credentials. */
const METADATA_LABELS: ReadonlySet<string> = new Set(['metadata', 'instance-data']);

/** An address of Azure's that only machines there reach, and that no registry lists. */
const AZURE_PLATFORM = '168.63.129.16';
/** Addresses of metadata services that are not link-local: Azure, Alibaba, Oracle, AWS, Google. */
const METADATA_ADDRESSES: ReadonlySet<string> = new Set([
  AZURE_PLATFORM,
  '100.100.100.200',
  '192.0.0.192',
  '[fd00:ec2::254]',
  '[fd20:ce::254]',
]);

/** `a.b.c`, `b.c`, `c`: the host and each domain that it stands in. */
export function domainsOf(host: string): string[] {
  const domains = [host];
  for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1)) domains.push(host.slice(dot + 1));
  return domains;
}

/** `example.com.` is `example.com`, and no resolver knows more dots than one: whoever drops them all reads the same name. */
export function withoutLastDots(host: string): string {
  let end = host.length;
  while (host[end - 1] === '.') end--;
  return host.slice(0, end);
}

/**
 * `stated`: as the URL parser prints it, so that an IPv4 address is four numbers and an IPv6 address stands in brackets.
 * `domains`: of that host.
 */
export function isPrivateHost(stated: string, domains?: readonly string[]): boolean {
  const host = withoutLastDots(stated);
  // Under a scheme that it does not know, the URL parser lets numbers pass that are no address: such a host is nobody's.
  if (FOUR_NUMBERS.test(host)) return isPrivateIpv4(readIpv4(host));
  if (host.startsWith('[')) return isPrivateIpv6(readIpv6(host));
  if (!host.includes('.') || METADATA_LABELS.has(host.split('.')[0] as string)) return true;
  return (domains ?? domainsOf(host)).some((domain) => PRIVATE_DOMAINS.has(domain));
}

/** Whether clouds answer with metadata and credentials under the host, which is private. `stated`: as for `isPrivateHost`. */
export function isMetadataHost(stated: string): boolean {
  const host = withoutLastDots(stated);
  if (FOUR_NUMBERS.test(host)) return isMetadata(readIpv4(host));
  if (!host.startsWith('[')) return METADATA_LABELS.has(host.split('.')[0] as string);
  const address = readIpv6(host);
  return METADATA_ADDRESSES.has(host) || isMetadata(embeddedIpv4(address) ?? address);
}

const FOUR_NUMBERS = /^\d+\.\d+\.\d+\.\d+$/;

/** Leads to this machine, and lets a server listen to all others, too. */
export const ALL_ADDRESSES = '0.0.0.0';
/** Usual names of this machine: programs reach the same services under each. */
export const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]', ALL_ADDRESSES] as const;

/** Whether the host, without last dots, is this machine under any name. `host`: as the URL parser prints it. */
export const isThisMachine = (host: string): boolean =>
  /^(?:localhost(?:[46]|\.localdomain)?|ip6-lo\w+|0\.0\.0\.0|\[::1?\]|127\.[\d.]+)$/.test(ipv4Behind(host) ?? host);

/** The IPv4 address behind an IPv6 address in brackets, as `10.0.0.1` behind `[::ffff:a00:1]`; undefined for any other host. */
export const ipv4Behind = (host: string): string | undefined =>
  host.startsWith('[') ? embeddedIpv4(readIpv6(host))?.join('.') : undefined;

const isMetadata = (address: IpAddress | undefined): boolean =>
  address !== undefined && (isLinkLocal(address) || METADATA_ADDRESSES.has(address.join('.')));

const isPrivateIpv4 = (address: IpAddress | undefined): boolean =>
  address === undefined || isSpecialIpv4(address) || address.join('.') === AZURE_PLATFORM;

function isPrivateIpv6(address: IpAddress): boolean {
  const embedded = embeddedIpv4(address);
  return embedded === undefined ? isSpecialIpv6(address) : isPrivateIpv4(embedded);
}
