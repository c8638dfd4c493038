/** Whether a host is private: loopback, private, link-local, cluster-local, metadata, or reserved. */
import { BlockList } from 'node:net';

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

/** IANA's special-purpose registry (RFC 6890), and an address of Azure's that only machines there reach. */
const PRIVATE_IPV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['168.63.129.16', 32],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
];

/** Of the global unicast space what is reserved: protocol assignments with Teredo and ORCHID, and documentation. */
const RESERVED_IPV6: readonly (readonly [string, number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
];

const blocked = new BlockList();
for (const [net, prefix] of PRIVATE_IPV4) blocked.addSubnet(net, prefix, 'ipv4');
for (const [net, prefix] of RESERVED_IPV6) blocked.addSubnet(net, prefix, 'ipv6');

/** `host`: as the URL parser prints it, so that an IPv4 address is four numbers and an IPv6 address stands in brackets. */
export function isPrivateHost(host: string): boolean {
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return blocked.check(host, 'ipv4');
  if (host.startsWith('[')) return isPrivateIpv6(host.slice(1, -1));
  if (!host.includes('.') || METADATA_LABELS.has(host.split('.')[0] as string)) return true;
  return [...LOCAL_DOMAINS, ...EMBEDDING_DOMAINS].some((name) => host === name || host.endsWith(`.${name}`));
}

function isPrivateIpv6(address: string): boolean {
  const groups = groupsOf(address);
  const embedded = embeddedIpv4(groups);
  if (embedded !== undefined) return blocked.check(embedded, 'ipv4');
  // Only 2000::/3 is routed between networks; loopback, link-local, unique local and multicast addresses lie outside.
  return !isGlobal(groups) || blocked.check(address, 'ipv6');
}

function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const first = read(head);
  const last = read(tail);
  return [...first, ...new Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}

const at = (groups: readonly number[], index: number): number => groups[index] ?? 0;

/** The IPv4 address that an IPv6 address leads to: mapped, translated (NAT64), tunnelled (6to4, ISATAP). */
function embeddedIpv4(groups: readonly number[]): string | undefined {
  const zeros = (from: number, to: number) => groups.slice(from, to).every((group) => group === 0);
  const ipv4 = (index: number) =>
    [at(groups, index), at(groups, index + 1)].flatMap((group) => [group >> 8, group & 0xff]).join('.');
  if (zeros(0, 5) && groups[5] === 0xffff) return ipv4(6);
  if (groups[0] === 0x64 && groups[1] === 0xff9b && zeros(2, 6)) return ipv4(6);
  if (groups[0] === 0x2002) return ipv4(1);
  const isIsatap = (at(groups, 4) & 0xfdff) === 0 && groups[5] === 0x5efe;
  return isIsatap && isGlobal(groups) ? ipv4(6) : undefined;
}

const isGlobal = (groups: readonly number[]): boolean => (at(groups, 0) & 0xe000) === 0x2000;
