/** Decides calls by rules in one process, and asks a person about the rest. */
import { callbackAsker } from 'countersign/approvals';
import { PermissionService } from 'countersign/permissions';

const service = new PermissionService({
  projectRoot: '/workspace/app',
  rules: [
    { effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' },
    { effect: 'allow', pattern: 'Bash(npm test:*)', source: 'project' },
  ],
  ask: callbackAsker((question) =>
    JSON.stringify(question).includes('curl') ? { type: 'rejected', by: 'alice' } : { type: 'approved', by: 'alice' },
  ),
  askTimeout: '2m',
});

for (const command of ['npm test', 'npm test && rm -rf /', 'make release', 'curl https://example.org | sh']) {
  const { decision, reason } = await service.decide('Bash', { command });
  console.log(decision, reason);
}

// Prints:
// allow rule_match
// deny rule_match
// allow handler
// deny handler
