/** Builds the service of echo_agent: auto mode, a rule, a classifier, a handler and an audit sink. */
import { InMemoryPermissionAuditSink, RuleClassifier } from 'countersign/permissions';
import { PermissionServiceBuilder } from 'countersign/seeds/echo-agent';

const sink = new InMemoryPermissionAuditSink();
const service = new PermissionServiceBuilder()
  .mode('auto')
  .rules([{ effect: 'deny', pattern: 'Bash(rm:*)', source: 'project' }])
  .classifier(new RuleClassifier())
  .requestHandler({ handle: async () => ({ kind: 'Allowed', scope: 'Session' }) })
  .auditSink(sink)
  .build();

for (const command of ['ls -la', 'rm -rf /']) {
  const { decision } = await service.decide('Bash', { command });
  console.log(command, decision);
}
console.log(
  sink
    .all()
    .map(({ decision }) => decision)
    .join(' '),
);

// Prints:
// ls -la allow
// rm -rf / deny
// allow deny
