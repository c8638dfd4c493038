/** Checks that each alarm says what is lost, and that docs/runbook.md has its section and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, test } from 'vitest';
import { ROOT } from './support/run-app.ts';
import { all, type TemplateJson } from './support/template.ts';

interface Alarm {
  readonly AlarmName: string;
  readonly AlarmDescription: string;
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

const alarmsOf = (name: 'production' | 'development') =>
  all<Alarm>(JSON.parse(inject(name)) as TemplateJson, 'AWS::CloudWatch::Alarm').map(({ properties }) => properties);
const sections = [...readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').matchAll(/^## (.+)$/gm)].map(
  ([, title = '']) => title.toLowerCase().replaceAll(' ', '-'),
);
const sectionOf = ({ AlarmDescription }: Alarm) => /docs\/runbook\.md#([a-z-]+)$/.exec(AlarmDescription)?.[1];

describe.each(['production', 'development'] as const)('the alarms of %s', (name) => {
  test.each(alarmsOf(name))('$AlarmName: loss, first step, section', (alarm) => {
    expect(alarm.AlarmName).toMatch(/^Gate-Test\/(page|ticket)\//);
    expect(alarm.AlarmDescription).toMatch(/^Gate-Test: .{20,}\. First: .+\. Then: docs\/runbook\.md#[a-z-]+$/);
    expect(alarm.AlarmDescription.length).toBeLessThan(1_000);
    expect(sections).toContain(sectionOf(alarm));
  });
});

test('CloudWatch takes each alarm on metric math: ten metrics at most', () => {
  const counts = alarmsOf('production').map(
    ({ Metrics = [] }) => Metrics.filter(({ MetricStat }) => MetricStat).length,
  );
  expect(Math.max(...counts)).toBeLessThanOrEqual(10);
});

test('no section of the runbook is about an alarm that is not there', () => {
  // An alarm on an agent's own queue comes with its grant, which the app of this test does not give.
  const used = new Set([...alarmsOf('production').map(sectionOf), 'replies-lost']);
  expect(sections.filter((section) => !used.has(section))).toEqual([]);
});
