/**
 * Checks the section `webhooks`, and addresses to which nothing is sent.
 *
 * Addresses of hooks and of webhooks follow the same rules.
 */
import { describe, expect, test } from 'vitest';
import { loadPolicy } from '../../../shared/config/load.ts';

const load = (text: string) => loadPolicy(`agents: {}\n${text}\n`, 'test.yaml').policy;
const webhook = (more: string) => load(`webhooks: { siem: { ${more} } }`);

describe('a webhook', () => {
  test('has an address, a secret by its name, and the events that it is sent', () => {
    expect(webhook('url: "https://siem.example.com/in", secret: key, events: [ApprovalOpened]').webhooks).toEqual({
      siem: { url: 'https://siem.example.com/in', secret: 'key', events: ['ApprovalOpened'] },
    });
  });

  test.each([
    ['url: "https://x.example.com"', 'webhooks.siem.secret'],
    ['secret: key', 'webhooks.siem.url'],
    ['url: "https://x.example.com", secret: key, events: []', 'webhooks.siem.events'],
    ['url: "https://x.example.com", secret: key, events: [ApprovalOpen]', 'webhooks.siem.events[0]'],
    ['url: "https://x.example.com", secret: key, event: [ApprovalOpened]', 'unknown key event'],
  ])('%s is refused: %s', (text, problem) => {
    expect(() => webhook(text)).toThrow(problem);
  });

  test('there are ten at most', () => {
    const many = (count: number) =>
      load(
        `webhooks:\n${Array.from({ length: count }, (_, n) => `  w${n}: { url: "https://x.example.com", secret: k }`).join('\n')}`,
      );
    expect(Object.keys(many(10).webhooks)).toHaveLength(10);
    expect(() => many(11)).toThrow('holds more than 10 webhooks');
  });
});

describe.each(['webhooks', 'hooks'])('an address of %s', (section) => {
  const to = (url: string) => load(`${section}: { one: { url: ${JSON.stringify(url)}, secret: key } }`);

  test.each(['https://siem.example.com/in?x=1', 'https://8.8.8.8/', 'http://127.0.0.1:8080/', 'http://localhost/x'])(
    '%s may be one',
    (url) => {
      expect(() => to(url)).not.toThrow();
    },
  );

  test.each([
    'http://siem.example.com/',
    'ftp://siem.example.com/',
    'file:///etc/passwd',
    'siem.example.com',
    'https://10.0.0.7/',
    'https://192.168.1.1/',
    'https://169.254.169.254/latest/meta-data/',
    'http://169.254.169.254/',
    'https://0xa9fea9fe/',
    'https://2852039166/',
    'https://[fd00:ec2::254]/',
    'https://[::ffff:10.0.0.1]/',
    'https://metadata.google.internal/',
    'https://10.0.0.7.nip.io/',
    'https://vault.service.consul/',
    'https://name:word@siem.example.com/',
  ])('%s is refused', (url) => {
    expect(() => to(url)).toThrow(`${section}.one.url`);
  });
});
