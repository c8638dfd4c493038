/** Checks the names of calls, wherever people read of them. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nameOfApproval, nameOfCall } from '../../../shared/domain/proposal/call-name.ts';
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
    ['the tool and as much of them as a list has room for', 'T', { a: 'x'.repeat(70), b: 1 }, `T a ${'x'.repeat(57)}…`],
    ['the tool alone, where nothing says what it is about', 'Deploy', { count: { of: 3 } }, 'Deploy'],
    ['the tool alone, without an input', 'Deploy', undefined, 'Deploy'],
  ])('is %s', (_, toolName, input, name) => expect(named(toolName, input)).toBe(name));

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
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.jsonValue(), fc.string(), (tool, input, title) => {
        const name = named(tool || 't', input, { [tool]: { title } });
        expect([...name].length).toBeLessThanOrEqual(Math.max(302, [...tool].length));
      }),
    );
  });
});

it('several calls are counted, and the first is named', () => {
  const calls = [1, 2, 3].map((n) => ({ id: `c${n}`, toolName: 'Bash', input: { command: `echo ${n}` } }));
  const { approval, proposal } = sourceOf(calls);
  expect(nameOfApproval(approval, proposal)).toBe('3 calls: echo 1, …');
});
