/** Turns the tables of one family of programs into tests of allow and deny rules. */
import { describe, expect, test } from 'vitest';
import { commandVerdict } from '../../support.ts';

/** A rule's words within `Bash(…)`, and commands to judge under it. */
export type RuleRows = readonly (readonly [rule: string, commands: readonly string[]])[];

interface FamilyRows {
  /** Commands that an allow rule covers. */
  readonly covered?: RuleRows;
  /** Commands that an allow rule does not cover. */
  readonly notCovered?: RuleRows;
  /** Commands that a deny rule sees through other programs and past leading options, in bypass mode. */
  readonly denied?: RuleRows;
}

const oneByOne = (rows: RuleRows) =>
  rows.flatMap(([rule, commands]) => commands.map((command) => [rule, command] as const));

/** Declares the tests of a family: one for each command. */
export function describeFamily({ covered, notCovered, denied }: FamilyRows): void {
  if (covered !== undefined)
    describe('a prefix rule covers', () => {
      test.each(oneByOne(covered))('%s: %s', (rule, command) => {
        expect(commandVerdict(command, [['allow', `Bash(${rule})`]])).toBe('allow');
      });
    });
  if (notCovered !== undefined)
    describe('a prefix rule does not cover', () => {
      test.each(oneByOne(notCovered))('%s: %s', (rule, command) => {
        expect(commandVerdict(command, [['allow', `Bash(${rule})`]])).not.toBe('allow');
      });
    });
  if (denied !== undefined)
    describe('a deny rule hears', () => {
      test.each(oneByOne(denied))('%s: %s', (rule, command) => {
        expect(commandVerdict(command, [['deny', `Bash(${rule})`]], { mode: 'bypass' })).toBe('deny');
      });
    });
}
