/** Finds the roles of a template that speak for agents, operators and auditors. */
import { readSenderParameter, type SenderKind } from '../../config/sender-path.ts';
import { CANARY } from '../../domain/canary.ts';
import { ACCOUNT } from '../aws/endpoint.ts';
import { gotAttributes, ofType, type Resource, referredIn, type Template } from './template.ts';

/** A role of the app that speaks for somebody of the policy file. */
export interface Actor {
  readonly kind: SenderKind | 'auditors';
  readonly name: string;
  /** The output that holds the ARN of the role. */
  readonly output: string;
  /** Whether it redeems the permits of its calls. */
  readonly redeems: boolean;
}

/** The output of `CountersignStack` that an app of its own may state, too. */
const AUDITOR = 'AuditorRoleArn';

/** Registered senders, and the auditor that an output names. */
export function actorsIn(template: Template): readonly (Actor & { readonly role: string })[] {
  const senders = ofType(template, 'AWS::SSM::Parameter').flatMap(([, { Properties = {} }]) => {
    const path = String(Properties['Name']).split('/').slice(0, -3).join('/');
    const sender = path.endsWith('/senders') ? readSenderParameter(path, String(Properties['Name'])) : undefined;
    const [role] = gotAttributes(Properties['Value'], 'RoleId');
    // The canary is a function of the gate itself.
    return sender && role !== undefined && sender.name !== CANARY ? [{ ...sender, role }] : [];
  });
  const [auditor] = gotAttributes(template.Outputs?.[AUDITOR]?.Value, 'Arn');
  const all = [
    ...senders,
    ...(auditor === undefined ? [] : [{ kind: 'auditors' as const, name: 'auditor', role: auditor }]),
  ];
  return all.map((one, index) => ({
    ...one,
    output: `CountersignDevRole${index}`,
    redeems: redeems(template, one.role),
  }));
}

/** Whether a policy of the role lets it invoke the function `redeem`, whose logical id holds the name. */
const redeems = (template: Template, role: string): boolean =>
  ofType(template, 'AWS::IAM::Policy').some(([, { Properties = {} }]) => {
    const { Statement = [] } = (Properties['PolicyDocument'] ?? {}) as { readonly Statement?: readonly object[] };
    return (
      referredIn(Properties['Roles']).has(role) &&
      Statement.some((one) => /"lambda:InvokeFunction".*Redeem/.test(JSON.stringify(one)))
    );
  });

/** The role, with the endpoint's account among those who may assume it. */
export function trustingAccount(role: Resource): Resource {
  const { Statement = [], ...rest } = (role.Properties?.['AssumeRolePolicyDocument'] ?? {}) as {
    readonly Statement?: readonly object[];
  };
  const account = { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` } };
  const AssumeRolePolicyDocument = { ...rest, Statement: [...Statement, account] };
  return { ...role, Properties: { ...role.Properties, AssumeRolePolicyDocument } };
}
