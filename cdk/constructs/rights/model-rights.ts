/** Lets the functions that ask models of Amazon Bedrock ask those of the policy file, and no other. */
import { Stack } from 'aws-cdk-lib';
import { type ModelUse, modelsUsed } from '../../../shared/config/readers/models-used.ts';
import type { PolicyFile } from '../../../shared/config/schema/policy-file.ts';
import { type BedrockModel, bedrockModel, modelOfProfile } from '../../../shared/domain/aws/bedrock-model.ts';
import type { GateFunction } from '../functions/gate-function.ts';
import type { GateFunctions, GateParts } from '../functions/gate-functions.ts';

/** The right of Converse, which has no action of its own. */
const ASK = ['bedrock:InvokeModel'];

export function giveModels({ deliberate, converse }: GateFunctions, { shared }: GateParts): void {
  const uses = bedrockUses(shared.policy.policy);
  allowModels(deliberate, uses);
  allowModels(
    converse,
    uses.filter(({ of }) => of === 'taskAgent'),
  );
}

interface BedrockUse extends Pick<ModelUse, 'access' | 'of'> {
  readonly model: BedrockModel;
}

export const bedrockUses = (policy: PolicyFile): BedrockUse[] =>
  modelsUsed(policy).flatMap(({ access, model, of }) => {
    if (access.provider !== 'bedrock') return [];
    const read = bedrockModel(model);
    if (!read) throw new Error(`${model} is no id of Bedrock`);
    return [{ access, model: read, of }];
  });

function allowModels(to: GateFunction, uses: readonly BedrockUse[]): void {
  const stack = Stack.of(to);
  const arns = new Set<string>();
  for (const { model, access } of uses) {
    const arn = arnOf(model, access.region ?? stack.region, stack);
    if (arns.has(arn)) continue;
    arns.add(arn);
    to.allow(ASK, [arn]);
    const inside = modelOfProfile(model);
    if (inside === undefined) continue;
    // A profile asks its model in any of its regions, and in none by name where it is a global one.
    to.allow(ASK, [foundationModel(stack, '*', inside)], { StringEquals: { 'bedrock:InferenceProfileArn': arn } });
  }
}

function arnOf(model: BedrockModel, region: string, stack: Stack): string {
  switch (model.kind) {
    case 'model':
      return foundationModel(stack, region, model.id);
    case 'profile':
      return stack.formatArn({ service: 'bedrock', region, resource: 'inference-profile', resourceName: model.id });
    case 'arn':
      return model.arn;
    default:
      return model satisfies never;
  }
}

const foundationModel = (stack: Stack, region: string, resourceName: string): string =>
  stack.formatArn({ service: 'bedrock', region, account: '', resource: 'foundation-model', resourceName });
