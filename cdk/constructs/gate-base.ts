/** Declares the public face of a gate, of this app or of another: rights, variables, metrics. */
import { type IResource, Resource } from 'aws-cdk-lib';
import type { Metric, MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { ContainerDefinition } from 'aws-cdk-lib/aws-ecs';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import type { IConstruct } from 'constructs';
import { METRICS } from '../../shared/config/metric-names.ts';
import { AGENT_VARIABLE, STACK_SETTINGS, type StackSetting } from '../../shared/domain/aws/stack-settings.ts';
import { gateMetric } from './alarm/metrics.ts';
import type { GateSettings } from './published.ts';
import {
  type GateAccess,
  type GrantOptions,
  grantAudit,
  grantOperate,
  grantPropose,
  grantRedeem,
} from './rights/grants.ts';

/** A metric of the gate, in the namespace `Countersign`. */
export type GateMetric = keyof typeof METRICS;

/** The rights of a connected program besides proposing. */
export interface ConnectOptions extends GrantOptions {
  /** Redeem the permits of its own tools, so that the guardrails hold for them. Default: false. */
  readonly redeem?: boolean;
  /** Have the gate run approved calls. Default: false. */
  readonly execute?: boolean;
}

/** A deployed gate. */
export interface ICountersign extends IResource {
  /** Name of the deployment: the client's setting `deployment`. */
  readonly deployment: string;

  /**
   * Lets a role propose as `agent` and read that agent's decisions; registers the role as the agent's identity. The same grant twice is one.
   *
   * @param grantee a role, or something that has one, such as a function or a task definition, of any stack of the account and region
   * @throws Error if the policy file declares no such agent, if the role is another agent or an operator already, or if an imported role lacks its `roleId`
   */
  grantPropose(grantee: IGrantable, agent: string, options?: GrantOptions): Grant;

  /**
   * Lets a tool server, or an agent's own tool runner, redeem permits and report outcomes. Only those who can
   * read a decision know its permit, so this right alone runs nothing.
   */
  grantRedeem(grantee: IGrantable): Grant;

  /**
   * Lets a role pause the gate and vote through the operators queue as `operator`. The role may also read what operators work with: results of
   * operations, pauses, delegations, sessions, waiting questions, queues and alarms.
   *
   * @throws Error as `grantPropose`
   */
  grantOperate(grantee: IGrantable, operator: string, options?: Pick<GrantOptions, 'roleId'>): Grant;

  /** Lets `grantee` read the record, what waits and what `countersign status` shows. */
  grantAudit(grantee: IGrantable): Grant;

  /**
   * Makes a function or a container `agent`: grants its role what it needs, and sets the variables `COUNTERSIGN_…` that
   * `CountersignClient.fromEnvironment()` reads.
   *
   * @example
   * const gate = Countersign.fromDeployment(stack, 'Gate', 'Countersign');
   * gate.connect(billing, 'billing', { redeem: true });
   */
  connect(program: LambdaFunction | ContainerDefinition, agent: string, options?: ConnectOptions): void;

  /** A metric of this gate. Default: the sum over five minutes for counts, the average for others. */
  metric(name: GateMetric, props?: MetricOptions): Metric;
  /** Decisions of every outcome. Default: the sum over five minutes. */
  metricDecisions(props?: MetricOptions): Metric;
  /** Calls that were denied by rules, models or people. Default: the sum over five minutes. */
  metricDenied(props?: MetricOptions): Metric;
  /** Approvals that wait for people. Default: the maximum over five minutes. */
  metricWaiting(props?: MetricOptions): Metric;
}

/** A gate, of this stack or of another: what `Countersign` and `Countersign.fromDeployment` have in common. */
export abstract class GateBase extends Resource implements ICountersign {
  abstract readonly deployment: string;
  /** @internal */
  protected abstract readonly access: GateAccess;
  /** @internal */
  protected abstract readonly settings: GateSettings;

  grantPropose(grantee: IGrantable, agent: string, options?: GrantOptions): Grant {
    return grantPropose(this.access, grantee, agent, options);
  }

  grantRedeem(grantee: IGrantable): Grant {
    return grantRedeem(this.access, grantee);
  }

  grantOperate(grantee: IGrantable, operator: string, options?: Pick<GrantOptions, 'roleId'>): Grant {
    return grantOperate(this.access, grantee, operator, options);
  }

  grantAudit(grantee: IGrantable): Grant {
    return grantAudit(this.access, grantee);
  }

  connect(program: LambdaFunction | ContainerDefinition, agent: string, options: ConnectOptions = {}): void {
    const { redeem = false, execute = false, ...grant } = options;
    // In JavaScript no type refuses it, and the grant would be half done.
    if (!('addEnvironment' in program))
      throw new Error(
        `connect: ${(program as IConstruct).node.path} takes no variables, as an alias, a version and an imported function: ` +
          'give the function itself, or grantPropose',
      );
    const grantee = 'taskDefinition' in program ? { grantPrincipal: program.taskDefinition.taskRole } : program;
    this.grantPropose(grantee, agent, grant);
    if (redeem) {
      this.grantRedeem(grantee);
      const resource = ('taskDefinition' in program ? program.taskDefinition : program).node.defaultChild;
      if (this.access.redeems) resource?.node.addDependency(this.access.redeems);
    }
    program.addEnvironment(AGENT_VARIABLE, agent);
    const settings: readonly StackSetting[] = [
      'deployment',
      'queueUrl',
      'auditTable',
      ...(execute ? (['executionsQueueUrl', 'stateTable'] as const) : []),
      ...(redeem ? (['redeemFunction', 'outcomesQueueUrl'] as const) : []),
    ];
    for (const setting of settings) program.addEnvironment(STACK_SETTINGS[setting].variable, this.settings[setting]);
  }

  metric(name: GateMetric, props: MetricOptions = {}): Metric {
    const { dimensionsMap = {}, ...others } = props;
    const statistic = METRICS[name].unit === 'Count' ? 'Sum' : 'Average';
    return gateMetric(this.deployment, name, statistic, dimensionsMap).with(others);
  }

  metricDecisions(props?: MetricOptions): Metric {
    return this.metric('Decisions', props);
  }

  metricDenied(props: MetricOptions = {}): Metric {
    return this.metric('Decisions', { ...props, dimensionsMap: { ...props.dimensionsMap, outcome: 'denied' } });
  }

  metricWaiting(props: MetricOptions = {}): Metric {
    return this.metric('ApprovalsWaiting', { statistic: 'Maximum', ...props });
  }
}
