/** Gives the SDK's own client, for a module that bundles load when it is needed. */
export { SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
