/**
 * Checks the reason why a call is asked about (D42).
 *
 * A reason names the rule that was not enough and the rule to write, and that rule covers the call.
 */
import { describe, expect, test } from 'vitest';
import { judgeBenign, loadBenignPolicy, readBenign } from '../../../conformance/benign.ts';
import { judge, type Rule } from '../support.ts';

const messageOf = (command: string, rules: readonly Rule[] = [], mode = 'default') =>
  judge('Bash', { command }, rules, { mode }).message;

describe('no rule has the words of the command', () => {
  test.each([
    ['cd src && npm test', 'No rule covers npm test; Bash(npm test:*) would cover it.'],
    ['make build', 'No rule covers make; Bash(make:*) would cover it.'],
    ['npx jest src', 'No rule covers npx jest; Bash(npx jest:*) would cover it.'],
    ['npx playwright install', 'No rule covers npx playwright install; Bash(npx playwright install:*) would cover it.'],
    ['docker compose down -v', 'No rule covers docker compose down; Bash(docker compose down:*) would cover it.'],
    ['python3 -m pytest', 'No rule covers python3 -m pytest; Bash(python3 -m pytest:*) would cover it.'],
    ['./tools/fix a', 'No rule covers ./tools/fix; Bash(./tools/fix:*) would cover it.'],
    ['docker run ubuntu', 'No rule covers docker run: docker run may run or change anything.'],
    ['bash -c ls', 'No rule covers bash: bash runs code that is given as an argument.'],
    ['cd /tmp && npm test', 'No rule covers cd out of the project, or to an unknown directory.'],
    ['curl http://10.0.0.1/', 'No rule covers curl: a prefix does not cover a private or metadata address'],
  ])('%s: %s', (command, message) => {
    expect(messageOf(command)).toContain(message);
  });
});

describe('a rule has the words, and is not enough', () => {
  test.each<[string, readonly string[], string]>([
    [
      'find . -name a -delete',
      ['Bash(find:*)'],
      'The rule Bash(find:*) is not enough: find with the option -delete may run,',
    ],
    ['go run ./x', ['Bash(go:*)'], 'is not enough: a rule has to name go run; Bash(go run:*) would cover it.'],
    ['awk "BEGIN{system(1)}"', ['Bash(awk:*)'], 'a prefix does not cover a script of awk that may do more'],
    ['sed -i s/a/b/ a.md', ['Bash(sed:*)'], 'is not enough: sed writes a.md; Edit(a.md) would cover it.'],
    ['cd src && sed -i s/a/b/ a.md', ['Bash(sed:*)'], 'sed writes a.md; Edit(src/a.md) would cover it.'],
    ['ls > /opt/a[1]', ['Bash(ls:*)'], 'No rule covers the redirection to /opt/a[1].'],
    ['ls > /opt/a', ['Bash(ls:*)'], 'No rule covers the redirection to /opt/a; Edit(//opt/a) would cover it.'],
    [
      'ls > "[a]*"',
      ['Bash(ls:*)'],
      'No rule covers the redirection to [a]*; Edit(//workspace/app/\\[a\\]\\*) would cover it.',
    ],
    ['node -e 1', ['Bash(node:*)'], 'node runs code that is given as an argument.'],
  ])('%s under %j: %s', (command, allows, message) => {
    const rules = allows.map((rule): Rule => ['allow', rule]);
    expect(messageOf(command, rules)).toContain(message);
  });

  test('a session that asks nobody gives the same reason', () => {
    expect(messageOf('make build', [], 'dontAsk')).toBe(
      'No rule covers make; Bash(make:*) would cover it. This session asks nobody.',
    );
  });
});

test('whatever a reason tells people to write covers what it speaks of', async () => {
  const rows = readBenign();
  const { settings } = loadBenignPolicy();
  const rules = (['deny', 'ask', 'allow'] as const).flatMap((effect) =>
    settings.rules[effect].map((rule): Rule => [effect, typeof rule === 'string' ? rule : (rule.rule ?? '')]),
  );
  let suggested = 0;
  for (const { row, message } of await judgeBenign(rows)) {
    const [, rule] = / (?:; )?(\S[^;]*\)) would cover it\./.exec(message) ?? [];
    if (rule === undefined) continue;
    suggested += 1;
    const place = { mode: row.mode, cwd: row.cwd ?? '/workspace/app' };
    const before = judge('Bash', { command: row.command }, rules, place);
    const after = judge('Bash', { command: row.command }, [...rules, ['allow', rule]], place);
    const [one, other] = [before.message, after.message];
    expect({ command: row.command, rule, isCovered: after.verdict === 'allow' || one !== other, other }).toMatchObject({
      isCovered: true,
    });
    expect(other).not.toContain(`; ${rule} would cover it`);
  }
  expect(suggested).toBeGreaterThan(80);
});
