/** The host of a URL and whether it is private (rules.md, "WebFetch"). The WHATWG parser decides what the host is. */

export interface WebAddress {
  readonly protocol: string;
  /** Lower case, Punycode, one trailing dot removed. */
  readonly host: string;
  readonly web: boolean;
  readonly privateHost: boolean;
}

const PRIVATE_NAMES: readonly string[] = [
  'localhost',
  'local',
  'internal',
  'localdomain',
  'home.arpa',
  'lan',
  'intranet',
  'corp',
];
const METADATA_NAMES: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'instance-data',
  'metadata.azure.com',
]);

function ipv4(host: string): number[] | undefined {
  // The URL parser has written every spelling of an address as four numbers.
  const parts = host.split('.').map(Number);
  return parts.length === 4 && !parts.some(Number.isNaN) ? parts : undefined;
}

function isPrivateIpv4([a = 0, b = 0]: readonly number[]): boolean {
  return (
    a === 0 ||
    a === 10 ||
    a === 127 ||
    (a === 100 && b >= 64 && b <= 127) ||
    (a === 169 && b === 254) ||
    (a === 172 && b >= 16 && b <= 31) ||
    (a === 192 && (b === 168 || b === 0)) ||
    (a === 198 && (b === 18 || b === 19)) ||
    a >= 224
  );
}

/** The eight groups of an IPv6 literal as the URL parser prints it. */
function ipv6(host: string): number[] | undefined {
  if (!host.startsWith('[')) return undefined;
  const [head = '', tail = ''] = host.slice(1, -1).split('::');
  const read = (text: string) => (text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16)));
  const first = read(head);
  const last = read(tail);
  return [...first, ...new Array<number>(Math.max(0, 8 - first.length - last.length)).fill(0), ...last];
}

function isPrivateIpv6(groups: readonly number[]): boolean {
  const [first = 0, second = 0, , , , , seventh = 0] = groups;
  const embedded = [seventh >> 8, seventh & 0xff];
  const leading = groups.slice(0, 5).every((group) => group === 0);
  if (leading && (groups[5] === 0xffff || groups[5] === 0)) {
    // `::`, `::1`, and IPv4 addresses written as IPv6.
    return groups[5] === 0xffff ? isPrivateIpv4(embedded) : true;
  }
  if (first === 0x64 && second === 0xff9b) return isPrivateIpv4(embedded);
  // 6to4 holds an IPv4 address, too.
  if (first === 0x2002) return isPrivateIpv4([second >> 8, second & 0xff]);
  return (
    (first & 0xfe00) === 0xfc00 ||
    (first & 0xffc0) === 0xfe80 ||
    (first & 0xffc0) === 0xfec0 ||
    (first & 0xff00) === 0xff00
  );
}

function isPrivate(host: string): boolean {
  const four = ipv4(host);
  if (four !== undefined) return isPrivateIpv4(four);
  const six = ipv6(host);
  if (six !== undefined) return isPrivateIpv6(six);
  if (METADATA_NAMES.has(host) || !host.includes('.')) return true;
  return PRIVATE_NAMES.some((name) => host === name || host.endsWith(`.${name}`)) || isEmbeddedAddress(host);
}

/** Names of public services that answer with the address in the name. */
function isEmbeddedAddress(host: string): boolean {
  return ['nip.io', 'sslip.io', 'xip.io', 'localtest.me', 'lvh.me', 'vcap.me'].some(
    (name) => host === name || host.endsWith(`.${name}`),
  );
}

/** `undefined` when it is no URL. */
export function webAddress(url: string): WebAddress | undefined {
  let parsed: URL;
  try {
    parsed = new URL(url);
  } catch {
    return undefined;
  }
  const host = parsed.hostname.toLowerCase();
  const plain = host.endsWith('.') ? host.slice(0, -1) : host;
  return {
    protocol: parsed.protocol,
    host: plain,
    web: parsed.protocol === 'http:' || parsed.protocol === 'https:',
    privateHost: isPrivate(plain),
  };
}

/** `*.x` is one or more labels before `x`; a `*` elsewhere stays within a label; `*` alone is every host. */
export function hostMatches(pattern: string, host: string): boolean {
  if (pattern === '*') return true;
  if (pattern.startsWith('*.')) {
    const labels = host.split('.');
    const rest = pattern.slice(2).split('.');
    return labels.length > rest.length && labelsMatch(rest, labels.slice(labels.length - rest.length));
  }
  return labelsMatch(pattern.split('.'), host.split('.'));
}

function labelsMatch(pattern: readonly string[], labels: readonly string[]): boolean {
  return (
    pattern.length === labels.length && pattern.every((each, index) => labelMatches(each, labels[index] as string))
  );
}

function labelMatches(pattern: string, label: string): boolean {
  const [head = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return head === label;
  if (!label.startsWith(head)) return false;
  let at = head.length;
  for (const part of rest.slice(0, -1)) {
    const found = label.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  const tail = rest.at(-1) as string;
  return label.length - tail.length >= at && label.endsWith(tail);
}
