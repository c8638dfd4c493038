/** Tells by its name whether an operation of a cloud's command line reads or changes something. */
import { set } from '../../record/record.ts';

const AWS_READS = set(
  'list describe get head ls wait tail help search query scan lookup filter estimate preview simulate validate check count detect',
);

/** `describe-instances`, `batch-get-item`: the name of an operation of AWS begins with its verb. */
export function readsByName(name: string): boolean {
  const [first = '', second = ''] = name.split('-');
  return AWS_READS.has(first === 'batch' ? second : first);
}

const REVEALED =
  'secret-value|(?<!random-)password|password-data|token|token-for-.*|credentials|credentials-.*|instance-access-details|login';
const AWS_REVEALS = new RegExp(`^(?:(?:batch-)?get|describe)-(?:.*-)?(?:${REVEALED})$|^describe-user-pool-client$`);

/** `get-secret-value`, `get-session-token`: an operation of AWS that prints a secret. */
export const revealsByName = (name: string): boolean => AWS_REVEALS.test(name);

const READS = set('list describe show exists read ls tail wait info version help lookup get-value');
const READ_STARTS = ['get-', 'list-', 'show-', 'describe-', 'check-'] as const;

/** A command behind groups of commands; groups have names such as `query-key` and `test`. */
export const isReadVerb = (name: string): boolean =>
  READS.has(name) || READ_STARTS.some((start) => name.startsWith(start));

const CHANGES = set(
  'create delete update deploy submit set unset add remove clone start stop reset resume suspend restart import export move copy cp mv ' +
    'rm rsync run call access enable disable promote rollback apply attach detach resize restore patch publish pull push sign encrypt ' +
    'decrypt destroy cancel connect tag untag lock unlock grant revoke replace upgrade failover drain scale build invoke execute purge ' +
    'undelete recover upload download link unlink assign write browse open setup install login logout generate rotate reimage ' +
    'deallocate redeploy swap sync migrate provision register unregister activate deactivate approve reject acquire release dispatch ' +
    'send receive ack seek trigger init bind unbind',
);
const CHANGE_STARTS = [
  'set-',
  'add-',
  'remove-',
  'update-',
  'create-',
  'delete-',
  'import-',
  'export-',
  'upload-',
  'start-',
] as const;

const KEYS = 'secrets?|keys?|(?:key|auth|connection)-strings?|publish\\w*-profiles?';
const PRINTS_KEYS = new RegExp(`^(?:get|list|show)-(?:.*-)?(?:${REVEALED}|${KEYS})$`);

/** `get-access-token`, `list-keys`, `show-connection-string`: a command behind groups that does so. */
export const printsKeys = (name: string): boolean => PRINTS_KEYS.test(name);

/** The words behind such a verb are names, and no further command. */
export const isChangeVerb = (name: string): boolean =>
  CHANGES.has(name) || CHANGE_STARTS.some((start) => name.startsWith(start));

const DELETES = set('rm rb rmi delete remove destroy terminate purge prune drop undeploy');

/** `s3 rm`, `delete-bucket`, `volume rm`: what it names, or what is behind it, is gone afterwards. */
export function deletesByName(name: string): boolean {
  const [first = '', second = ''] = name.split('-');
  return DELETES.has(first === 'batch' ? second : first);
}
