/** Finds models that could never be asked: without a key, or by no name of their provider. */
import { bedrockModel } from '../../domain/aws/bedrock-model.ts';
import { modelsUsed } from '../readers/models-used.ts';
import { boundProblems } from '../schema/bounds.ts';
import type { ModelAccess } from '../schema/models.ts';
import type { PolicyFile } from '../schema/policy-file.ts';
import type { PolicyProblem } from '../schema/problems.ts';

type Path = readonly (string | number)[];

/** Problems of models that the schema of one key cannot see. */
export function modelProblems(file: PolicyFile): PolicyProblem[] {
  const { classifier, taskAgent, models } = file;
  return [
    ...boundsOf(file),
    ...(classifier?.model ? accessProblems(classifier.model, ['classifier', 'model']) : []),
    ...(taskAgent.model ? accessProblems(taskAgent.model, ['taskAgent', 'model']) : []),
    ...Object.entries(models).flatMap(([name, access]) => accessProblems(access, ['models', name])),
    ...modelsUsed(file).flatMap(({ model, access, path }) => idProblems(model, access, path)),
  ];
}

function accessProblems({ provider, secret, region }: ModelAccess, path: Path): PolicyProblem[] {
  if (provider !== 'bedrock')
    return [
      ...(secret === undefined
        ? [{ path: [...path, 'secret'], message: `is required: ${provider} asks for a key` }]
        : []),
      ...(region === undefined ? [] : [{ path: [...path, 'region'], message: 'is for bedrock only' }]),
    ];
  if (secret === undefined) return [];
  const message = 'is never read: Bedrock is asked by the role of the function; leave it out';
  return [{ path: [...path, 'secret'], message }];
}

/** Each role may ask the models that the file names, and no other: a name that is no id would get no right. */
function idProblems(model: string, { provider, region }: ModelAccess, path: Path): PolicyProblem[] {
  if (provider !== 'bedrock') return [];
  const read = bedrockModel(model);
  if (!read)
    return [
      {
        path,
        message:
          'is no id of Bedrock: write maker.model, such as anthropic.claude-3-haiku-20240307-v1:0, an inference profile such as eu.anthropic.claude-…, or an ARN',
      },
    ];
  if (read.kind !== 'arn' || region === undefined || read.region === region) return [];
  return [{ path, message: `is in ${read.region}, and its client asks in ${region}` }];
}

function boundsOf({ classifier }: PolicyFile): PolicyProblem[] {
  const model = classifier?.model;
  if (!model) return [];
  const problems = (['perMinute', 'perDay', 'costPerDay'] as const).flatMap((key) =>
    boundProblems(model[key], ['classifier', 'model', key]),
  );
  if (model.costPerDay && !model.price) {
    const message = 'needs a price: without it nobody knows what a call costs';
    problems.push({ path: ['classifier', 'model', 'costPerDay'], message });
  }
  return problems;
}
