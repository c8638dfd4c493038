/** Gives the SDK's own client, for a module that bundles load when it is needed. */
export { KMSClient } from '@aws-sdk/client-kms';
