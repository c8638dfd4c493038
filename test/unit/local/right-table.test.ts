/** Writes the table of rights anew, with a log or without one. */
import { expect, test } from 'vitest';
import type { TemplateJson } from '../../cdk/support/template.ts';
import { type Proof, statementText } from '../../e2e/rights/proof.ts';
import { grantedBy } from '../../e2e/rights/record.ts';
import { shownOnPage, written } from '../../e2e/rights/table.ts';

const template: TemplateJson = {
  Resources: {
    GateSealRole01234567: { Type: 'AWS::IAM::Role', Properties: {} },
    SealPolicy00000000: {
      Type: 'AWS::IAM::Policy',
      Properties: {
        PolicyName: 'SealPolicy00000000',
        Roles: [{ Ref: 'GateSealRole01234567' }],
        PolicyDocument: {
          Statement: [
            { Effect: 'Allow', Action: 'xray:PutTraceSegments', Resource: '*' },
            { Effect: 'Allow', Action: ['s3:GetObject', 's3:PutObject'], Resource: 'GateRecordBucket/list/*' },
          ],
        },
      },
    },
  },
};
const [statement = ''] = grantedBy(template).map(statementText).slice(1);
const cell = `\`${statement.replaceAll(' | ', ' · ')}\``;
const reason =
  'a list that an earlier run wrote before it ended is read, and sealed (test/unit/use-cases/archive/write-seal.test.ts)';
/** A test’s name holds what separates it from the reason. */
const name = 'archive.test.ts > writes; then seals';
const pageOf = (shown: string) => `Above
<!-- generated: npm run rights -- --write -->
### GateSealRole

| may | shown by |
|---|---|
| ${cell} | ${shown} |
| \`GateSealRole · xray:PutTraceSegments · *\` | traces, and logs of the workflow, which AWS writes in the name of the role |

<!-- end of the generated part -->
Below
`;
const uses = pageOf(`uses it: ${name}; ${reason}`);
const proof = (result: Proof['result']): Proof => ({ statement, test: 'another.test.ts > fails', result });

test('without a log the page keeps its tests and reasons, and gains what is proved', () => {
  expect(written(uses, template, undefined, [])).toBe(uses);
  expect(written(uses, template, undefined, [proof('unnoticed')])).toBe(uses);
  const proved = pageOf(`fails without it: another.test.ts > fails; ${reason}`);
  expect(written(uses, template, undefined, [proof('needed')])).toBe(proved);
  expect(written(proved, template, undefined, [])).toBe(proved);
});

test('with a log a statement keeps its proof, and has the reasons of today, once', () => {
  const proved = pageOf(`fails without it: ${name}; ${reason}`);
  expect(written(proved, template, [], [])).toBe(proved);
  expect(written(uses, template, [], [])).toBe(pageOf(reason));
});

test('the page names a test of each statement, without its reasons', () => {
  const shown = { test: name, isProved: false, reasons: [reason] };
  expect(shownOnPage(uses, template).get(statement)).toEqual(shown);
  expect(shownOnPage(pageOf(reason), template).get(statement)).toEqual({ ...shown, test: undefined });
});
