/** Tells whether a host is private: loopback, link-local, cluster-local, metadata or reserved. */
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';

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
  'fd00:ec2::254',
  'fd20:ce::254',
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
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return !ipaddr.IPv4.isValid(host) || isPrivateIpv4(ipaddr.IPv4.parse(host));
  if (host.startsWith('[')) return isPrivateIpv6(ipaddr.IPv6.parse(host.slice(1, -1)));
  if (!host.includes('.') || METADATA_LABELS.has(host.split('.')[0] as string)) return true;
  return (domains ?? domainsOf(host)).some((domain) => PRIVATE_DOMAINS.has(domain));
}

/** Whether clouds answer with metadata and credentials under the host, which is private. `stated`: as for `isPrivateHost`. */
export function isMetadataHost(stated: string): boolean {
  const host = withoutLastDots(stated);
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return ipaddr.IPv4.isValid(host) && isMetadata(ipaddr.IPv4.parse(host));
  if (!host.startsWith('[')) return METADATA_LABELS.has(host.split('.')[0] as string);
  const address = ipaddr.IPv6.parse(host.slice(1, -1));
  return isMetadata(embeddedIpv4(address) ?? address);
}

/** Leads to this machine, and lets a server listen to all others, too. */
export const ALL_ADDRESSES = '0.0.0.0';
/** Usual names of this machine: programs reach the same services under each. */
export const THIS_MACHINE = ['localhost', '127.0.0.1', '[::1]', ALL_ADDRESSES] as const;

/** Whether the host, without last dots, is this machine under any name. `host`: as the URL parser prints it. */
export const isThisMachine = (host: string): boolean =>
  /^(?:localhost|0\.0\.0\.0|\[::1?\]|127\.[\d.]+)$/.test(ipv4Behind(host) ?? host);

/** The IPv4 address behind an IPv6 address in brackets, as `10.0.0.1` behind `[::ffff:a00:1]`; undefined for any other host. */
export const ipv4Behind = (host: string): string | undefined =>
  host.startsWith('[') ? embeddedIpv4(ipaddr.IPv6.parse(host.slice(1, -1)))?.toString() : undefined;

const isMetadata = (address: IPv4 | IPv6): boolean =>
  address.range() === 'linkLocal' || METADATA_ADDRESSES.has(address.toString());

const isPrivateIpv4 = (address: IPv4): boolean =>
  address.range() !== 'unicast' || address.toString() === AZURE_PLATFORM;

function isPrivateIpv6(address: IPv6): boolean {
  const embedded = embeddedIpv4(address);
  return embedded ? isPrivateIpv4(embedded) : !isGlobal(address) || address.range() !== 'unicast';
}

/** The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), tunnelled (6to4, ISATAP). */
function embeddedIpv4(address: IPv6): IPv4 | undefined {
  const { parts } = address;
  const ipv4 = (index: number) =>
    new ipaddr.IPv4(parts.slice(index, index + 2).flatMap((part) => [part >> 8, part & 0xff]));
  const range = address.range();
  // 64:ff9b:1::/48 is for networks of one's own, which choose where the IPv4 address stands.
  if (range === 'ipv4Mapped' || (range === 'rfc6052' && parts[2] === 0)) return ipv4(6);
  if (range === '6to4') return ipv4(1);
  const isIsatap = ((parts[4] ?? 0) & 0xfdff) === 0 && parts[5] === 0x5efe;
  return isIsatap && isGlobal(address) ? ipv4(6) : undefined;
}

/** Only 2000::/3 is routed between networks; loopback, link-local, unique local and multicast addresses lie outside. */
const isGlobal = ({ parts }: IPv6): boolean => ((parts[0] ?? 0) & 0xe000) === 0x2000;
