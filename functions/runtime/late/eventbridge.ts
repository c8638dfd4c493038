/** Gives the client of EventBridge alone: imported later, its package would be loaded whole. */
export { EventBridgeClient } from '@aws-sdk/client-eventbridge';
