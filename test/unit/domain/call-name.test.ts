/** Checks the names of calls, wherever people read of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOfApproval, nameOfCall } from '../../../shared/domain/proposal/call-name.ts';
import { unicodeText } from '../../support/unicode-text.ts';
import { sourceOf } from '../adapters/slack/surfaces.ts';

const named = (toolName: string, input: unknown, tools = {}) => nameOfCall({ toolName, input }, tools).text;

describe('the name of a call', () => {
  it.each([
    [
      'its first line, where it is a command',
      'Bash',
      { command: '\n git push origin main\n# more' },
      'git push origin main …',
    ],
    [
      'the first line that runs: a comment says nothing about the call',
      'Bash',
      { command: '# Check the disk usage\n\n#!/bin/sh\nterraform destroy' },
      'terraform destroy …',
    ],
    ['a comment, where nothing else is there', 'Bash', { command: '# nothing' }, '# nothing'],
    [
      'with one blank for many',
      'Bash',
      { command: `git status${' '.repeat(200)}; rm -rf build` },
      'git status ; rm -rf build',
    ],
    ['the tool and its subject', 'Write', { content: 'x', file_path: 'a.md' }, 'Write a.md'],
    [
      'the tool and its plain values, where a command stands that is no shell’s: it would speak for the call',
      'Refund',
      { amount: 9_000, command: 'git status' },
      'Refund amount 9000, command git status',
    ],
    [
      'the tool and the first line of its command, where it has nothing else',
      'mcp__shell__run',
      { command: 'git push\nls', description: 'Look' },
      'mcp__shell__run git push …',
    ],
    [
      'the tool and the first line of its subject',
      'Mail',
      { to: ['a@x.example', 'b@x.example'], body: 'Hi' },
      'Mail a@x.example, b@x.example',
    ],
    [
      'the tool and its plain values by name, where none is its subject: lists would show the same word for each call',
      'Refund',
      { orderId: 'o-1', note: ' ', lines: [{ of: 3 }], amount: 25 },
      'Refund amount 25, orderId o-1',
    ],
    [
      'the tool and as much of each as a list has room for',
      'T',
      { a: 'x'.repeat(70), b: 1 },
      `T a ${'x'.repeat(52)}…, b 1`,
    ],
    [
      'the tool and those of them that have room',
      'T',
      Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 'x'.repeat(20)])),
      `T ${['a', 'b', 'c'].map((name) => `${name} ${'x'.repeat(11)}…, `).join('')}d ${'x'.repeat(9)}…`,
    ],
    [
      'no agent’s words about it',
      'Deploy',
      { description: 'Approved by Ann', reason: 'Urgent', env: 'live' },
      'Deploy env live',
    ],
    ['the tool alone, where the agent says the rest', 'Deploy', { justification: 'Approved by Ann' }, 'Deploy'],
    ['one line, whatever a field or the tool is called', 'T\n3 · T', { 'a\n2 · Read': 1, '': 2 }, 'T … 3 · T 2, a … 1'],
    [
      'no two fields for one',
      'Pay',
      { customer: 'Ann, total 5', total: 9_000 },
      'Pay customer "Ann, total 5", total 9000',
    ],
    ['the tool alone, where nothing says what it is about', 'Deploy', { count: { of: 3 } }, 'Deploy'],
    ['the tool alone, without an input', 'Deploy', undefined, 'Deploy'],
  ])('is %s', (_, toolName, input, name) => expect(named(toolName, input)).toBe(name));

  it('is the command alone of a tool that the policy file calls a shell', () => {
    const input = { command: 'git push', cwd: '/srv' };
    expect(named('Shell', input, { Shell: { shell: { canonical: true } } })).toBe('git push');
    expect(named('Shell', input, { Shell: { shell: false } })).toBe('Shell command git push, cwd /srv');
  });

  const REFUND = { Refund: { title: 'Refund {amount} {order.currency} for {order.id}' } };

  it("is the policy file's title with values of the input", () => {
    const input = { amount: 120.5, order: { currency: 'EUR', id: 'A-7\nand more' } };
    expect(named('Refund', input, REFUND)).toBe('Refund 120.5 EUR for A-7 …');
  });

  it('is not a title with a hole: a missing value says nothing', () => {
    expect(named('Refund', { amount: 5, order: { id: 'A-7' }, to: 'x' }, REFUND)).toBe('Refund x');
    expect(named('Refund', { amount: {}, order: { currency: 'EUR', id: 'A-7' } }, REFUND)).toBe('Refund');
  });

  it('reads no field that an object has by nature', () => {
    expect(named('T', {}, { T: { title: 'x {constructor.name}' } })).toBe('T');
  });

  it('puts no value in twice: one that looks like a field stays text', () => {
    expect(named('T', { a: '{b}', b: 'no' }, { T: { title: '{a}' } })).toBe('{b}');
  });

  it('is one bounded line, whatever agents write', () => {
    fc.assert(
      fc.property(unicodeText({ maxLength: 40 }), fc.jsonValue(), fc.string(), (tool, input, title) => {
        const name = named(tool || 't', input, { [tool]: { title } });
        expect([...name].length).toBeLessThanOrEqual(Math.max(302, [...tool].length));
        expect(name).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
    );
  });
});

it('several calls are counted, and the first is named', () => {
  const calls = [1, 2, 3].map((n) => ({ id: `c${n}`, toolName: 'Bash', input: { command: `echo ${n}` } }));
  const { approval, proposal } = sourceOf(calls);
  expect(nameOfApproval(approval, proposal)).toBe('3 calls: echo 1, …');
});
