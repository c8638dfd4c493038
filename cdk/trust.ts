/** Names the stack's roles and the principals that may assume them; warns where there is none. */
import { Annotations } from 'aws-cdk-lib';
import { AccountRootPrincipal, ArnPrincipal, CompositePrincipal, type IPrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import { sha256Hex } from '../shared/domain/digest.ts';
import { isTexts } from './stack-props.ts';

/** ARNs of IAM: for every role of the kind, or for each by its name in the policy file. */
export type Principals = readonly string[] | Readonly<Record<string, readonly string[]>>;

/** The principals that may assume the roles of the stack. */
export interface TrustProps {
  /** Principals that may act as operators: `['arn:aws:iam::111122223333:role/oncall']`, or by the operator's name. Default: the account, with a warning. */
  readonly operatorPrincipals?: Principals;
  /** Principals that may act as agents, likewise by the agent's name. Default: the account, with a warning. */
  readonly agentPrincipals?: Principals;
  /** Principals that may read the record. Default: the account, with a warning. */
  readonly auditorPrincipals?: readonly string[];
}

export type RoleKind = 'Agent' | 'Operator' | 'Auditor';

const SETTINGS = {
  Agent: 'agentPrincipals',
  Operator: 'operatorPrincipals',
  Auditor: 'auditorPrincipals',
} as const satisfies Record<RoleKind, keyof TrustProps>;

/**
 * Maps each name to its form in the ids of resources and outputs, which may hold letters and digits only.
 *
 * Names that become equal this way, also with `Arn` behind one, all get a digest. If one of them kept the plain form,
 * another order in the policy file would give its role to the other name.
 */
export function idsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const alphanumeric = (name: string): string => name.replace(/[^A-Za-z0-9]/g, '');
  const alike = Map.groupBy(names, (name) => alphanumeric(name).replace(/Arn$/, ''));
  const digested = [...alike.values()].filter(({ length }) => length > 1).flat();
  const digestOf = (name: string): string => (digested.includes(name) ? sha256Hex(name).slice(0, 8) : '');
  return new Map(names.map((name) => [name, `${alphanumeric(name)}${digestOf(name)}`]));
}

/** A whole account only as `:root`, in full, so that nobody is let in by a number. */
const PRINCIPAL =
  /^arn:aws[a-z-]*:(iam::\d{12}:(root|(user|role)\/[\w+=,.@/-]+)|sts::\d{12}:assumed-role\/[\w+=,.@/-]+)$/;

/** @throws Error that names the setting and the principal, or the name that has no role. */
export function checkTrust(props: TrustProps, names: Readonly<Record<'Agent' | 'Operator', readonly string[]>>): void {
  for (const kind of ['Agent', 'Operator', 'Auditor'] as const) {
    const setting = SETTINGS[kind];
    const principals: Principals | undefined = props[setting];
    if (principals === undefined) continue;
    // A text would be read letter by letter, and anything else as nobody, so that the role would trust the account.
    if (typeof principals !== 'object' || principals === null)
      throw new Error(`${setting}: must be a list of ARNs${kind === 'Auditor' ? '' : ', or one for each name'}`);
    if (isList(principals)) checkArns(setting, principals);
    else
      for (const [name, arns] of Object.entries(principals)) {
        if (kind === 'Auditor' || !names[kind].includes(name))
          throw new Error(`${setting}.${name}: the stack makes no role for an ${kind.toLowerCase()} of this name`);
        checkArns(`${setting}.${name}`, arns);
      }
  }
}

function checkArns(setting: string, arns: readonly string[]): void {
  if (!isTexts(arns)) throw new Error(`${setting}: must be a list of ARNs`);
  if (!arns.length) throw new Error(`${setting}: name at least one principal, or leave it away`);
  for (const arn of arns)
    if (!PRINCIPAL.test(arn))
      throw new Error(`${setting}: ${arn} is no ARN of a user, a role, a session or an account's root`);
}

/** The principals that the role trusts. Warns at `scope` if everybody in the account may be let assume it. */
export function trustOf(scope: Construct, kind: RoleKind, name: string, props: TrustProps): IPrincipal {
  const setting = SETTINGS[kind];
  const principals: Principals = props[setting] ?? [];
  const arns = isList(principals) ? principals : Object.hasOwn(principals, name) ? (principals[name] ?? []) : [];
  const [first, ...others] = arns.map((arn) => new ArnPrincipal(arn));
  if (first) return others.length ? new CompositePrincipal(first, ...others) : first;
  const who = [kind.toLowerCase(), name].filter(Boolean).join(' ');
  Annotations.of(scope).addWarningV2(
    `countersign:trust:${who.replace(' ', ':')}`,
    `Whoever in this account may assume roles can act as the ${who}: name who may, with the setting ${setting}`,
  );
  return new AccountRootPrincipal();
}

const isList = (principals: Principals): principals is readonly string[] => Array.isArray(principals);
