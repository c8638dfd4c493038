/**
 * Changes a template of the user's app for the local endpoint, and finds the gate in it.
 *
 * The local Slack stands for Slack's own. The endpoint's account may assume the roles of agents, operators and auditors.
 */
import { type Actor, actorsIn, trustingAccount } from './actor-roles.ts';
import { ofType, type Resource, referredIn, type Template, without } from './template.ts';

/** The gate of a template, with the outputs that tell of it. */
export interface FoundGate {
  readonly deployment: string;
  readonly slackAppId: string;
  readonly policyVersion: string;
}

interface LocalTemplate {
  readonly template: Template;
  readonly gate: FoundGate | undefined;
  readonly actors: readonly Actor[];
  /** Resources that the endpoint does not have: how many of each type. */
  readonly leftOut: readonly string[];
}

/** The outputs that are added to the stack of a gate. */
export const ADDED = {
  settings: 'CountersignDevSettings',
  functions: 'CountersignDevFunctions',
  slackSecret: 'CountersignDevSlackSecret',
  slackSigningSecret: 'CountersignDevSlackSigningSecret',
  slackUrl: 'CountersignDevSlackUrl',
} as const;

/** Resources that MiniStack does not have. Alarms on metric math are alarms with `Metrics`. */
const isMissing = (_: string, { Type, Properties = {} }: Resource): boolean =>
  Type === 'AWS::CloudWatch::CompositeAlarm' ||
  (Type === 'AWS::CloudWatch::Alarm' && 'Metrics' in Properties) ||
  /^AWS::(?:CodeDeploy|CloudTrail)::|^AWS::Logs::QueryDefinition$/.test(Type);

/** @param slackApiUrl of the local Slack */
export function localTemplate(original: Template, slackApiUrl: string): LocalTemplate {
  const template = without(original, isMissing);
  const gate = gateIn(template);
  const actors = actorsIn(template);
  const trusted = new Set(actors.map(({ role }) => role));
  const outputs = actors.map(({ output, role }) => [output, { Value: { 'Fn::GetAtt': [role, 'Arn'] } }] as const);
  const resources = Object.entries(template.Resources).map(([id, one]) => [
    id,
    trusted.has(id) ? trustingAccount(one) : withSlack(one, slackApiUrl),
  ]);
  return {
    template: {
      ...template,
      Resources: Object.fromEntries(resources),
      Outputs: { ...template.Outputs, ...(gate?.outputs ?? {}), ...Object.fromEntries(outputs) },
    },
    gate,
    actors,
    leftOut: missingOf(original, template),
  };
}

function missingOf(original: Template, template: Template): readonly string[] {
  const types = [...new Set(Object.values(original.Resources).map(({ Type }) => Type))].toSorted();
  return types.flatMap((type) => {
    const [all, left] = [ofType(original, type).length, ofType(template, type).length];
    return all === left ? [] : [`${all - left} of ${all} ${type}`];
  });
}

type Outputs = NonNullable<Template['Outputs']>;

function gateIn(template: Template): (FoundGate & { readonly outputs: Outputs }) | undefined {
  const parameters = ofType(template, 'AWS::SSM::Parameter').map(([, { Properties = {} }]) => Properties);
  const valueNamed = (name: string) => parameters.find(({ Name }) => Name === name)?.['Value'];
  const [slack] = ofType(template, 'AWS::Lambda::Function').flatMap(([id, one]) => {
    const variables = variablesOf(one);
    return 'SLACK_APP_ID' in variables ? [{ id, variables }] : [];
  });
  if (!slack) return undefined;
  const { DEPLOYMENT, SLACK_APP_ID, POLICY_VERSION, SLACK_SECRET, SLACK_SIGNING_SECRET } = slack.variables;
  const aliases = ofType(template, 'AWS::Lambda::Alias').filter(([, one]) => referredIn(one.Properties).has(slack.id));
  const targets = [slack.id, ...aliases.map(([id]) => id)];
  const [url = ''] = ofType(template, 'AWS::Lambda::Url')
    .filter(([, { Properties = {} }]) => targets.some((id) => referredIn(Properties['TargetFunctionArn']).has(id)))
    .map(([id]) => id);
  return {
    deployment: String(DEPLOYMENT),
    slackAppId: String(SLACK_APP_ID),
    policyVersion: String(POLICY_VERSION),
    outputs: {
      [ADDED.settings]: { Value: valueNamed(`/${DEPLOYMENT}/gate`) },
      [ADDED.functions]: { Value: valueNamed(`/${DEPLOYMENT}/functions`) },
      [ADDED.slackSecret]: { Value: SLACK_SECRET },
      ...(SLACK_SIGNING_SECRET ? { [ADDED.slackSigningSecret]: { Value: SLACK_SIGNING_SECRET } } : {}),
      [ADDED.slackUrl]: { Value: { 'Fn::GetAtt': [url, 'FunctionUrl'] } },
    },
  };
}

const variablesOf = ({ Properties = {} }: Resource): Readonly<Record<string, unknown>> =>
  (Properties['Environment'] as { readonly Variables?: Readonly<Record<string, unknown>> } | undefined)?.Variables ??
  {};

/** Functions that talk to Slack have its secret. Deployments in steps are for AWS: functions change in place. */
function withSlack(
  { UpdatePolicy: _, ...resource }: Resource & { readonly UpdatePolicy?: unknown },
  url: string,
): Resource {
  const variables = variablesOf(resource as Resource);
  if (!('SLACK_SECRET' in variables)) return resource as Resource;
  const Environment = { Variables: { ...variables, SLACK_API_URL: url } };
  return { ...(resource as Resource), Properties: { ...(resource as Resource).Properties, Environment } };
}
