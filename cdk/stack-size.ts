/** Refuses a stack that is too large for CloudFormation, with the way that has room. */
import { CfnOutput, CfnResource, type Stack } from 'aws-cdk-lib';

/** The CDK counts resources at the end of synthesis, by type, and outputs never: CloudFormation refuses them at deployment. */
const MAX = { resources: 500, outputs: 200 } as const;

/** @throws Error that names what makes it large. */
export function checkSize(stack: Stack, agents: number): void {
  const all = stack.node.findAll();
  const made = {
    resources: all.filter((one) => CfnResource.isCfnResource(one)).length,
    outputs: all.filter((one) => one instanceof CfnOutput).length,
  };
  for (const kind of ['outputs', 'resources'] as const)
    if (made[kind] > MAX[kind])
      throw new Error(
        `agents: the stack has ${made[kind]} ${kind} with its ${agents} agents, and CloudFormation takes ${MAX[kind]}: ` +
          'put Countersign into a stack of your own, and the agents into other stacks (docs/deploy.md)',
      );
}
