/** Checks addresses: what is private in any spelling, and what a domain rule speaks of. */
import { describe, expect, test } from 'vitest';
import { hostMatches, webAddress } from '../../../../shared/permissions/text/web-address.ts';
import { judge } from '../support.ts';

const isPrivate = (host: string) => webAddress(`http://${host}/`)?.privateHost;

describe('private', () => {
  test.each(['foo://808010.0.0.1', 'foo://1.2.3.256/x'])('%s, which is no address at all', (url) => {
    expect(webAddress(url)?.privateHost).toBe(true);
  });

  test.each([
    ...['0.0.0.0', '0.255.255.255', '10.0.0.0', '10.255.255.255', '127.0.0.1', '127.255.255.255', '100.64.0.0'],
    ...['100.127.255.255', '169.254.0.0', '169.254.169.254', '172.16.0.0', '172.31.255.255', '192.168.0.0'],
    ...['192.168.255.255', '192.0.0.1', '198.18.0.0', '198.19.255.255', '224.0.0.1', '255.255.255.255'],
    ...['127.1', '2130706433', '0x7f.1', '0177.0.0.1', '[::]', '[::1]', '[::ffff:10.0.0.1]', '[::ffff:7f00:1]'],
    ...[
      '[64:ff9b::10.0.0.1]',
      '[2002:a00:1::1]',
      '[2002:7f00:1::]',
      '[fc00::1]',
      '[fdff::1]',
      '[fe80::1]',
      '[febf::1]',
    ],
    ...['[fec0::1]', '[feff::1]', '[ff00::1]', '[ffff::1]', '[::10.0.0.1]', '[0:0:0:0:0:ffff:a00:1]'],
    ...['localhost..', '169.254.169.254..', 'metadata.google.internal..', 'printer.'],
    ...['localhost', 'LOCALHOST', 'a.localhost', 'localhost.', 'printer', 'a.local', 'a.internal', 'a.localdomain'],
    ...['router.home.arpa', 'home.arpa', 'a.lan', 'a.intranet', 'a.corp', 'metadata', 'metadata.google.internal'],
    ...['instance-data', 'metadata.azure.com', '10.0.0.1.nip.io', 'nip.io', 'a.sslip.io', 'x.xip.io', 'localtest.me'],
    ...['a.lvh.me', 'vcap.me', '1.2.3.lan', 'a.b.c.lan', '[::ffff:172.16.8.8]', '[::ffff:10.0.8.8]', '[::8.8.8.8]'],
    ...['[2002:ac10:1::1]', '[64:ff9b::172.16.8.8]'],
    // Documentation, benchmarks, reserved: nothing public answers there.
    ...['192.0.2.1', '192.88.99.1', '198.51.100.1', '203.0.113.1', '240.0.0.1', '168.63.129.16', '[2001:db8::1]'],
    ...['[3fff::1]', '[3fff:fff::1]', '[2001:10::1]', '[65:ff9b::10.0.0.1]', '[64:ff9a::10.0.0.1]', '[64:ff9b:1::1]'],
    ...['[fbff::1]', '[fe00::1]', '[fe7f::1]', '[1:2:3:4:5:6:7:8]', '[1::ffff:10.0.0.1]', '[0:0:0:0:1:ffff:a00:1]'],
    // Public in the registry, but of services that no agent has to reach: reverse names of private addresses (AS112), AMT relays.
    ...[
      '192.175.48.1',
      '192.31.196.1',
      '192.52.193.1',
      '[2620:4f:8000::1]',
      '[::ffff:192.175.48.1]',
      '[64:ff9b::c034:c101]',
    ],
    // Teredo, ISATAP.
    ...['[2001:0:4136:e378:8000:63bf:3fff:fdd2]', '[2a00:1::5efe:10.0.0.1]', '[2a00:1::200:5efe:a9fe:a9fe]'],
    // Clusters, containers, clouds.
    ...['kubernetes.default', 'kubernetes.default.svc', 'a.b.svc.cluster.local', 'db.kube-system', 'x.default.pod'],
    ...['host.docker.internal', 'gateway.docker.internal', 'a.service.consul', 'vm.internal.cloudapp.net', 'nas.home'],
    ...['metadata.tencentyun.com', 'metadata.example.com', 'instance-data.ec2.internal', 'x.traefik.me', 'a.rbndr.us'],
  ])('%s is', (host) => expect(isPrivate(host)).toBe(true));

  test.each([
    ...['1.0.0.0', '9.255.255.255', '11.0.0.0', '126.255.255.255', '128.0.0.0', '100.63.255.255', '100.128.0.0'],
    ...['169.253.255.255', '169.255.0.0', '168.254.1.1', '172.15.255.255', '172.32.0.0', '173.16.0.1', '192.167.1.1'],
    ...['192.169.0.0', '192.1.0.1', '191.168.0.1', '198.17.255.255', '198.20.0.0', '197.18.0.1', '223.255.255.255'],
    ...['192.0.1.0', '192.0.3.0', '192.88.98.1', '198.51.99.1', '203.0.112.1', '168.63.129.15', '168.63.129.17'],
    ...['[::ffff:8.8.8.8]', '[64:ff9b::8.8.8.8]', '[2002:808:808::1]', '[2003:a00:1::1]', '[2000::1]', '[3ffe::1]'],
    ...[
      '[2a00:1::5efe:8.8.8.8]',
      '[2a00:1::5eff:10.0.0.1]',
      '[2606:4700::6810:84e5]',
      '[3fff:1000::1]',
      '[2001:200::1]',
    ],
    ...['192.175.47.255', '192.175.49.0', '192.31.195.255', '192.52.194.0', '[2620:4f:8001::1]'],
    ...['example.com', 'localhost.example.com', 'mylocal.example.org', 'xnip.io', 'a.localx', 'nip.io.example.com'],
    ...['a.metadata.example.com', 'metadata-x.example.com', 'svc.example.com', 'home.example.com', 'mysvc.example'],
  ])('%s is not', (host) => expect(isPrivate(host)).toBe(false));
});

describe('an address', () => {
  test.each<[string, string, string, boolean]>([
    ['https://EXAMPLE.com./x', 'https:', 'example.com', true],
    ['http://u:p@example.com:80/', 'http:', 'example.com', true],
    ['http://b\u00fccher.example/', 'http:', 'xn--bcher-kva.example', true],
    ['ftp://example.com/', 'ftp:', 'example.com', false],
    ['file:///etc/passwd', 'file:', '', false],
    ['javascript:alert(1)', 'javascript:', '', false],
  ])('%s', (url, protocol, host, web) => expect(webAddress(url)).toMatchObject({ protocol, host, web }));

  test.each(['', 'example.com', 'http://', 'http://[::1', '//example.com'])('%j is none', (url) => {
    expect(webAddress(url)).toBeUndefined();
  });
});

/** Addresses that programs read in different ways: curl and wget reach the one behind the `@`, the WHATWG parser reads `a.test`. */
const DOUBTFUL: readonly (readonly [string, string])[] = [
  ['http://a.test\\@169.254.169.254/latest/meta-data/', 'a backslash'],
  ['http://a.test\\.evil.test/', 'a backslash'],
  ['https:\\\\a.test/', 'a backslash'],
  ['http://a.test/a\\b', 'a backslash'],
  ['http://a.test/a b', 'a blank'],
  [' http://a.test/', 'a blank'],
  ['http://a.test/ ', 'a blank'],
  ['http://a.\ttest/', 'a blank'],
  ['ht\ntp://a.test/', 'a blank'],
  ['http://a.test/\r\nHost: b', 'a blank'],
  ['http://a.test/\u007f', 'a blank'],
  ['http://a.test/\u00a0', 'a blank'],
  ['http://a.te\u00adst/', 'an unseen character'],
  ['http://a.test/\u202e', 'an unseen character'],
  ['http:/a.test/', 'two slashes'],
  ['http:a.test/', 'two slashes'],
  ['http:///a.test/', 'two slashes'],
  ['http:a.test/://b.test', 'two slashes'],
  ['http://a.test#@b.test/', 'an @ follows its host'],
  ['http://a.test?@b.test/', 'an @ follows its host'],
  ['http://u@a.test#@b.test/', 'an @ follows its host'],
  ['http://a.test@b.test@c.test/', 'more than one @'],
  ['http://a.test@b.test/', 'a name like a host'],
  ['http://a.test:80@b.test/', 'a name like a host'],
  ['http://a%2etest/', 'a percent-escape'],
  ['http://u@a%2etest/', 'a percent-escape'],
  ['http://fa\u00df.test/', 'spelt in two ways'],
  ['http://\u03b1\u03c2.test/', 'spelt in two ways'],
  ['http://010.8.8.8/', 'a leading zero'],
  ['http://8.8.010.8/', 'a leading zero'],
  ['http://a.test../', 'an empty label'],
  ['http://a..test/', 'an empty label'],
];

describe('an address that not every program reads alike', () => {
  test.each(DOUBTFUL)('%j', (url, why) => {
    expect(webAddress(url)?.ambiguity).toContain(why);
    expect(judge('WebFetch', { url }, [['allow', 'WebFetch(domain:*)']]).verdict).toBe('ask');
    expect(judge('WebFetch', { url }, [['allow', 'WebFetch']]).message).toContain(why);
    expect(judge('WebFetch', { url }, [], { mode: 'bypass' }).verdict).toBe('ask');
  });

  test.each(DOUBTFUL)('nor does a rule for curl or wget cover %j', (url) => {
    for (const program of ['curl', 'wget -O -'])
      expect(judge('Bash', { command: `${program} '${url}'` }, [['allow', 'Bash']]).verdict).toBe('ask');
  });

  test.each([
    'https://example.com/a?b=c@d#e',
    'https://user:pw@example.com/',
    'https://example.com/~a/%20b?c=%40',
    'https://example.com/?next=http://a.b/@c',
    'http://b\u00fccher.example/',
    'http://10.0.0.1/',
    'http://example.com:8080',
    'HTTPS://EXAMPLE.com./',
    'http://0.example.com/',
  ])('%s is read alike', (url) => expect(webAddress(url)?.ambiguity).toBeUndefined());

  test('of another protocol nothing more is to be told', () => {
    expect(webAddress('file:///a b')?.ambiguity).toBeUndefined();
  });
});

describe('a domain', () => {
  test.each<[string, string, boolean]>([
    ['*', 'a.b', true],
    ['a.b', 'a.b', true],
    ['a.b', 'x.a.b', false],
    ['*.a.b', 'x.a.b', true],
    ['*.a.b', 'x.y.a.b', true],
    ['*.a.b', 'a.b', false],
    ['*.a.b', 'xa.b', false],
    ['*.a.b', 'x.c.b', false],
    ['*.a.*', 'x.a.b', true],
    ['a.*', 'a.b', true],
    ['a.*', 'a.b.c', false],
    ['a*.b', 'ax.b', true],
    ['a*.b', 'a.b', true],
    ['a*.b', 'x.b', false],
    ['a*c.b', 'abc.b', true],
    ['a*c.b', 'ac.b', true],
    ['a*c.b', 'abd.b', false],
    ['aa*aa.b', 'aaa.b', false],
    ['a*x*c.b', 'axc.b', true],
    ['a*x*c.b', 'a1x2c.b', true],
    ['a*x*c.b', 'abc.b', false],
    ['a*x*x.b', 'ax.b', false],
    ['*x*.b', 'xa.b', true],
  ])('%s and %s: %s', (pattern, host, matches) => expect(hostMatches(pattern, host)).toBe(matches));

  const allowed = (pattern: string, url: string) => judge('WebFetch', { url }, [['allow', pattern]]).verdict;
  test('a deny speaks of its domain whatever dots end it', () => {
    for (const host of ['evil.test.', 'evil.test..'])
      expect(denied('WebFetch(domain:evil.test)', `https://${host}/`)).toBe('deny');
  });

  const denied = (pattern: string, url: string) => judge('WebFetch', { url }, [['deny', pattern], ['allow', 'WebFetch']]).verdict; // biome-ignore format: one line
  test('a private address needs an allow that names it', () => {
    for (const pattern of [
      'WebFetch',
      'WebFetch(domain:*)',
      'WebFetch(domain:*.internal)',
      'WebFetch(domain:127.0.0.*)',
    ])
      for (const host of ['127.0.0.1', '[::1]', 'db.internal', '169.254.169.254'])
        expect([pattern, host, allowed(pattern, `http://${host}/`)]).toEqual([pattern, host, 'ask']);
    expect(allowed('WebFetch(domain:127.0.0.1)', 'http://127.1/')).toBe('allow');
    expect(allowed('WebFetch(domain:db.internal)', 'http://db.internal./')).toBe('allow');
    expect(allowed('WebFetch(domain:[::1])', 'http://[::1]/')).toBe('allow');
  });

  test('an allow of the web is one of nothing else', () => {
    expect([allowed('WebFetch', 'https://example.com/'), allowed('WebFetch', 'ftp://example.com/')]).toEqual([
      'allow',
      'ask',
    ]);
    expect([allowed('WebFetch', 'file:///workspace/app/a'), allowed('WebFetch', 'nonsense')]).toEqual(['ask', 'ask']);
    expect(allowed('WebFetch(domain:example.com)', 'https://example.com@evil.test/')).toBe('ask');
    expect(allowed('WebFetch(domain:example.com)', 'https://example.com.evil.test/')).toBe('ask');
    expect(allowed('WebFetch', 'file:///workspace/app/.env')).toBe('deny');
  });

  test('a deny is heard in every spelling', () => {
    for (const url of [
      'https://EXAMPLE.com/',
      'https://example.com./',
      'http://u@example.com:8080/x',
      'https:\\\\example.com',
      'https://ex\u00adample.com/',
    ])
      expect(denied('WebFetch(domain:example.com)', url)).toBe('deny');
    expect(denied('WebFetch(domain:Example.COM.)', 'https://example.com/')).toBe('deny');
    expect(denied('WebFetch(domain:b\u00fccher.example)', 'https://xn--bcher-kva.example/')).toBe('deny');
    expect(denied('WebFetch(domain:*.example.com)', 'https://example.com/')).toBe('allow');
    expect(denied('WebFetch(domain:e*e.com)', 'https://example.com/')).toBe('deny');
    expect(denied('WebFetch(domain:127.0.0.1)', 'http://2130706433/')).toBe('deny');
    for (const host of ['[::ffff:93.184.216.34]', '[64:ff9b::5db8:d822]', '[2002:5db8:d822::1]']) {
      expect(denied('WebFetch(domain:93.184.216.34)', `https://${host}/`)).toBe('deny');
      expect(denied('WebFetch(domain:93.184.216.35)', `https://${host}/`)).toBe('allow');
      expect(denied(`WebFetch(domain:${host})`, `https://${host}/`)).toBe('deny');
      expect(allowed('WebFetch(domain:93.184.216.34)', `https://${host}/`)).toBe('ask');
    }
    expect(denied('WebFetch(domain:*)', 'https://example.com/')).toBe('deny');
  });
});
