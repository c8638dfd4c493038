/** Gives the SDK's own client, for a module that bundles load when it is needed. */
export { SFNClient } from '@aws-sdk/client-sfn';
