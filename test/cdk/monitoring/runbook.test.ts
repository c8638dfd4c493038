/** Checks that each alarm says what is lost, and that docs/runbook.md has its section and no other. */
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, inject, test } from 'vitest';
import { OBJECTIVE_TEXTS } from '../../../cdk/constructs/monitoring/objective-texts.ts';
import { run } from '../../../shared/cli/program.ts';
import { OBJECTIVES, type ObjectiveName } from '../../../shared/config/objectives.ts';
import { ROOT } from '../support/run-app.ts';
import { all, type TemplateJson } from '../support/template.ts';

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

const alarmsOf = (name: 'production' | 'development') =>
  ['AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Alarm'].flatMap((type) =>
    all<Alarm>(JSON.parse(inject(name)) as TemplateJson, type).map(({ properties }) => properties),
  );
const sections = [...readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').matchAll(/^## (.+)$/gm)].map(
  ([, title = '']) => title.toLowerCase().replaceAll(' ', '-'),
);
const sectionOf = ({ AlarmDescription }: Alarm) => /docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription)?.[1];

describe.each(['production', 'development'] as const)('the alarms of %s', (name) => {
  test.each(alarmsOf(name))('$AlarmName: loss, first step, section', (alarm) => {
    expect(alarm.AlarmName).toMatch(/^Gate-Test\/(page|ticket|cause)\//);
    expect(alarm.AlarmDescription).toMatch(/^Gate-Test: .{20,}\. First: .+\. Then: docs\/runbook\.md#[a-z-]+$/);
    expect(alarm.AlarmDescription.length).toBeLessThan(1_000);
    expect(sections).toContain(sectionOf(alarm));
  });
});

test.each(alarmsOf('production').filter(({ AlarmName }) => AlarmName.includes('/Queues/')))(
  '$AlarmName says whom it concerns before it names the queue',
  ({ AlarmDescription }) => {
    expect(AlarmDescription).toMatch(/^Gate-Test: [A-Z][^:]{20,}: (a message|the oldest message) of [A-Z][a-z]+ /);
  },
);

/** Up to what the sentence says of the command. */
const COMMAND = /countersign ((?:'[^']*'|[^,.'])+)/g;
const commands = new Set(
  [...alarmsOf('production'), ...alarmsOf('development')].flatMap(({ AlarmDescription }) =>
    [...AlarmDescription.matchAll(COMMAND)].map(([, command = '']) => command.trim()),
  ),
);

test.each([...commands])('an alarm names a command that may be pasted: countersign %s', async (command) => {
  const argv = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare = '']) => quoted ?? bare);
  let told = '';
  const take = (text: string) => {
    told += text;
  };
  const io = { out: take, err: take, stdin: () => Readable.from(['']), env: {}, cwd: tmpdir(), managedSettings: '' };
  await run(argv, { ...io, columns: 100, color: false, now: Date.now });
  // The environment has to say which gate is meant, and nothing else is missing.
  expect(told).not.toMatch(/required option|missing required|unknown|too many arguments|give one of/);
});

test('CloudWatch takes each alarm on metric math: ten metrics at most', () => {
  const counts = alarmsOf('production').map(
    ({ Metrics = [] }) => Metrics.filter(({ MetricStat }) => MetricStat).length,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(10);
});

test('no section of the runbook is about an alarm that is not there', () => {
  // Alarms on an agent's own queue, and on the copy of the archive, come with what the app of this test does not have.
  const used = new Set([...alarmsOf('production').map(sectionOf), 'replies-lost', 'record-is-not-copied']);
  expect(sections.filter((section) => !used.has(section))).toEqual([]);
});

describe('objectives', () => {
  const named = (part: string) => alarmsOf('production').filter(({ AlarmName }) => AlarmName.includes(part));

  test('each is a row of docs/operate.md, with its bound and its share', () => {
    const text = readFileSync(join(ROOT, 'docs/operate.md'), 'utf8');
    const rows = Object.entries(OBJECTIVES).map(
      ([name, { share }]) =>
        `| \`${name}\` | ${OBJECTIVE_TEXTS[name as ObjectiveName].good} | ${Number((share * 100).toFixed(3))} % |`,
    );
    expect(rows.filter((row) => !text.includes(row))).toEqual([]);
    expect(text.split('\n').filter((line) => / \d[\d.]* % \|$/.test(line))).toEqual(rows);
  });

  test('each has a ticket for a slow burn, and those that people feel at once a page for a fast one', () => {
    const fast = Object.entries(OBJECTIVES).flatMap(([name, objective]) => ('raises' in objective ? [name] : []));
    expect(
      named('SlowBurn')
        .map(({ AlarmName }) => AlarmName)
        .toSorted(),
    ).toEqual(
      Object.keys(OBJECTIVES)
        .map((name) => `Gate-Test/ticket/Objectives/${name}SlowBurnAlarm`)
        .toSorted(),
    );
    expect(
      named('FastBurn')
        .map(({ AlarmName }) => AlarmName)
        .toSorted(),
    ).toEqual(fast.map((name) => `Gate-Test/cause/Objectives/${name}FastBurnAlarm`).toSorted());
  });

  test('a budget burns by the share of its objective, and with few samples not at all', () => {
    const [alarm] = named('decisionsFastBurn') as unknown as {
      readonly Threshold: number;
      readonly Metrics: { Expression?: string }[];
    }[];
    expect(alarm?.Threshold).toBe(14.4);
    expect(alarm?.Metrics.find(({ Expression }) => Expression)?.Expression).toBe(
      'IF(FILL(samples, 0) >= 10, (1 - FILL(good, 1)) / 0.001, 0)',
    );
  });
});
