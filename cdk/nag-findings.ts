/** Accepts findings of cdk-nag, each with its reason, as close to its cause as it can stand. */
import { type CfnResource, Stack, Validations } from 'aws-cdk-lib';
import { ENTRANCES } from '../shared/config/live-alias.ts';
import { modelOfProfile } from '../shared/domain/aws/bedrock-model.ts';
import type { Countersign } from './constructs/countersign.ts';
import { internalsOf } from './constructs/internals.ts';
import { statusReadersOf } from './constructs/rights/grants.ts';
import { bedrockUses } from './constructs/rights/model-rights.ts';

export function explainFindings(gate: Countersign): void {
  const { workflow, functions, access, record, inputs: bucket } = internalsOf(gate);
  const inputs = Stack.of(gate).getLogicalId(bucket.node.defaultChild as CfnResource);
  const archive = Stack.of(gate).getLogicalId(record.bucket.node.defaultChild as CfnResource);
  const machine = Stack.of(gate).getLogicalId(workflow.stateMachine.node.defaultChild as CfnResource);
  Validations.of(gate).acknowledge(
    {
      id: 'AwsSolutions-SMG4',
      reason:
        'The digest key has to stay, or old digests could not be compared; Slack secrets are rotated in Slack, and a pending one is accepted beside the current one (A23).',
    },
    {
      id: 'AwsSolutions-S1',
      reason:
        'Inputs are written once under their digest by one function; data events of the account trail show who reads them.',
    },
    ...['input', 'record', 'shown'].map((kind) => ({
      id: `AwsSolutions-IAM5[Resource::<${inputs}.Arn>/${kind}/*]`,
      reason: 'Inputs and texts of the record are named by their digest, which nobody knows before.',
    })),
    ...['entry', 'tamper', 'list', 'seal', 'anchor'].map((kind) => ({
      id: `AwsSolutions-IAM5[Resource::<${archive}.Arn>/${kind}/*]`,
      reason: 'Objects of the archive are named by their time and their number in the stream.',
    })),
  );
  if (record.copy)
    Validations.of(record).acknowledge(
      ...[`<${archive}.Arn>`, record.copy.bucketArn].map((bucketArn) => ({
        id: `AwsSolutions-IAM5[Resource::${bucketArn}/*]`,
        reason: 'S3 copies the whole archive.',
      })),
    );
  Validations.of(workflow.stateMachine).acknowledge({
    id: 'AwsSolutions-SF1',
    reason:
      'All events would hold the task token, in the parameters of the task that carries it (G24); history has them all.',
  });
  Validations.of(workflow.stateMachine).acknowledge({
    id: 'AwsSolutions-SF2',
    reason:
      'Traces are billed one by one, and `tracing: active` asks for them; history and record tell of each approval without them.',
  });
  for (const role of statusReadersOf(access)) {
    for (const kind of ['record', 'shown'])
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${inputs}.Arn>/${kind}/*]`,
        reason: 'Auditors read every text that an entry names.',
      });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::<${archive}.Arn>/*]`,
      reason: 'Auditors read the whole archive to verify it.',
    });
    Validations.of(role).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'Alarms are looked up by the prefix of their names, and figures by metric: IAM narrows neither.',
    });
    for (const name of ENTRANCES)
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::<${Stack.of(gate).getLogicalId(functions[name].function.node.defaultChild as CfnResource)}.Arn>:*]`,
        reason: 'Each deployment makes a version, whose number nobody knows before; its configuration alone is read.',
      });
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:states:<AWS::Region>:<AWS::AccountId>:execution:<${machine}.Name>:*]`,
      reason: 'Executions are named by decisions to come; when one began and ended is all that may be read.',
    });
  }
  const shift = gate.node.tryFindChild('Shift')?.node.tryFindChild('Role');
  if (shift)
    Validations.of(shift).acknowledge({
      id: 'AwsSolutions-IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AWSCodeDeployRoleForLambdaLimited]',
      reason: 'CodeDeploy moves aliases by the policy that AWS maintains for it; the role trusts CodeDeploy alone.',
    });
  explainModels(gate);
  const traced = [...Object.values(functions), workflow.stateMachine];
  for (const construct of traced) {
    Validations.of(construct).acknowledge({
      id: 'AwsSolutions-IAM5[Resource::*]',
      reason: 'X-Ray and vended log delivery take no resource.',
    });
  }
}

function explainModels(gate: Countersign): void {
  const { policy, functions } = internalsOf(gate);
  for (const { model, of } of bedrockUses(policy.policy)) {
    const inside = modelOfProfile(model);
    if (inside === undefined) continue;
    for (const one of of === 'taskAgent' ? [functions.deliberate, functions.converse] : [functions.deliberate])
      Validations.of(one).acknowledge({
        id: `AwsSolutions-IAM5[Resource::arn:<AWS::Partition>:bedrock:*::foundation-model/${inside}]`,
        reason: 'An inference profile asks its model in regions that Bedrock picks; a condition names the profile.',
      });
  }
}
