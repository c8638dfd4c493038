/** Makes what sends agents their decisions, which name people as the record does. */
import { sqsReplySender } from '../../../shared/adapters/sqs/reply-sender.ts';
import type { ReplySender } from '../../../shared/ports/stores/outbox.ts';
import { withAliasedReplies } from '../../../shared/use-cases/audit/aliased-record.ts';
import type { AliasedRecord } from '../../../shared/use-cases/audit/entry-aliases.ts';
import { sendText } from '../queues/lazy-queues.ts';
import { replyLost, replySent } from '../telemetry/observe.ts';
import type { Senders } from './senders.ts';

export const repliesOf = ({ replyQueueOf }: Senders, naming: AliasedRecord): ReplySender =>
  withAliasedReplies(sqsReplySender(sendText, replyQueueOf, replyLost, replySent), naming);
