/** Whether a host is private: loopback, private, link-local, cluster-local, metadata, or reserved. */
import { ipv4In, ipv6In, isGlobalIpv6, isSpecialIpv4, isSpecialIpv6 } from './special-addresses.ts';

/** Names, and all names below them, that no public name server answers. */
const LOCAL_DOMAINS: readonly string[] = [
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
];

/** Public services that answer with the address in the name, or with one that changes. */
const EMBEDDING_DOMAINS: readonly string[] = [
  'nip.io',
  'sslip.io',
  'xip.io',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'traefik.me',
  'rbndr.us',
  '1u.ms',
];

/** First labels under which clouds answer with metadata and credentials. */
const METADATA_LABELS: ReadonlySet<string> = new Set(['metadata', 'instance-data']);

/** An address of Azure's that only machines there reach, and that no registry lists. */
const AZURE_PLATFORM = '168.63.129.16';

/** `host`: as the URL parser prints it, so that an IPv4 address is four numbers and an IPv6 address stands in brackets. */
export function isPrivateHost(host: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return isPrivateIpv4(ipv4In(host));
  if (host.startsWith('[')) return isPrivateIpv6(ipv6In(host.slice(1, -1)));
  if (!host.includes('.') || METADATA_LABELS.has(host.split('.')[0] as string)) return true;
  return [...LOCAL_DOMAINS, ...EMBEDDING_DOMAINS].some((name) => host === name || host.endsWith(`.${name}`));
}

/** An address that cannot be read is nobody's. */
const isPrivateIpv4 = (bytes: readonly number[] | undefined): boolean =>
  bytes === undefined || isSpecialIpv4(bytes) || bytes.join('.') === AZURE_PLATFORM;

function isPrivateIpv6(groups: readonly number[] | undefined): boolean {
  if (groups === undefined) return true;
  const embedded = embeddedIpv4(groups);
  return embedded ? isPrivateIpv4(embedded) : isSpecialIpv6(groups);
}

/** The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), tunnelled (6to4, ISATAP). */
function embeddedIpv4(groups: readonly number[]): readonly number[] | undefined {
  const ipv4 = (index: number) => groups.slice(index, index + 2).flatMap((group) => [group >> 8, group & 0xff]);
  const begins = (...start: readonly number[]) => start.every((group, index) => group === groups[index]);
  // 64:ff9b:1::/48 is for networks of one's own, which choose where the IPv4 address stands.
  if (begins(0, 0, 0, 0, 0, 0xffff) || begins(0x64, 0xff9b, 0, 0, 0, 0)) return ipv4(6);
  if (begins(0x2002)) return ipv4(1);
  const isIsatap = ((groups[4] ?? 0) & 0xfdff) === 0 && groups[5] === 0x5efe;
  return isIsatap && isGlobalIpv6(groups) ? ipv4(6) : undefined;
}
