/** Gives the SDK's own client, for a module that bundles load when it is needed. */
export { EventBridgeClient } from '@aws-sdk/client-eventbridge';
