/** Reads the alarms that the gate of the tests would have in production, with math and composites. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { CountersignStack } from '../../../cdk/countersign-stack.ts';
import { alarmPrefix } from '../../../shared/config/alarm-names.ts';
import { all, plain, type TemplateJson, target } from '../../cdk/support/template.ts';
import type { E2eGate } from '../gate.ts';
import type { AlarmOf } from './evaluate-alarm.ts';

export interface ProductionAlarms {
  /** By name without the deployment. */
  readonly byName: ReadonlyMap<string, AlarmOf>;
  /** The page that a cause raises, else the alarm's own name. */
  tells(name: string): string;
  /** The body of the dashboard; a reference to a resource is its logical id without the CDK's hash. */
  readonly dashboard: string;
  /** By logical id without the hash. */
  readonly names: Readonly<Record<string, string>>;
}

export function productionAlarms({ outputs, policyFile, appId }: E2eGate): ProductionAlarms {
  const { Deployment } = outputs;
  const outdir = mkdtempSync(join(tmpdir(), 'countersign-game-day-'));
  try {
    const app = new App({ outdir });
    const stack = new CountersignStack(app, Deployment, { policyFile, slackAppId: appId });
    const template = app.synth().getStackByName(stack.stackName).template as TemplateJson;
    const nameOf = ({ AlarmName }: { readonly AlarmName: string }) => AlarmName.slice(alarmPrefix(Deployment).length);
    const alarms = all<AlarmOf>(template, 'AWS::CloudWatch::Alarm');
    const pages = all<{ readonly AlarmName: string; readonly AlarmRule: unknown }>(
      template,
      'AWS::CloudWatch::CompositeAlarm',
    );
    const pageOf = new Map(
      pages.flatMap(({ properties: page }) =>
        alarms
          .filter(({ id }) => JSON.stringify(page.AlarmRule).includes(`"${id}"`))
          .map(({ properties }) => [nameOf(properties), nameOf(page)] as const),
      ),
    );
    const [dashboard] = all<{ readonly DashboardBody: unknown }>(template, 'AWS::CloudWatch::Dashboard');
    return {
      byName: new Map(alarms.map(({ properties }) => [nameOf(properties), properties])),
      tells: (name) => pageOf.get(name) ?? name,
      dashboard: joined(dashboard?.properties.DashboardBody),
      names: Object.fromEntries([...alarms, ...pages].map(({ id, properties }) => [plain(id), nameOf(properties)])),
    };
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
}

/** The text of a join, with names in the places of resources. */
function joined(body: unknown): string {
  const [between = '', parts = []] = (body as { readonly 'Fn::Join'?: [string, unknown[]] })['Fn::Join'] ?? [];
  return parts.map((part) => (typeof part === 'string' ? part : plain(target(part)))).join(between);
}
